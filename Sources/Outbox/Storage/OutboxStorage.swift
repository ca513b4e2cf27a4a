public import OutboxCore

/// Where operations live. Every method may be called from any thread.
///
/// Held to its contract by `StorageConformance` in `OutboxTesting`, which every storage must pass.
/// A method that throws has changed nothing.
public protocol OutboxStorage: Sendable {
    /// Adds operations, all or none, queued. Durable on return: they survive a power cut.
    ///
    /// - Throws: ``StorageError/duplicate`` when an identifier is taken.
    /// - Complexity: Independent of the number stored.
    func insert(_ operations: [SealedOperation]) throws

    /// Queued operations that are eligible at `now`, in the order of becoming eligible, then of
    /// identifiers; and the moment after `now` at which another becomes eligible.
    ///
    /// - Complexity: O(`limit`), independent of the number stored.
    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords

    /// Records how an attempt ended. A removal need not be durable on return: one that is lost in a
    /// power cut means one more attempt. An identifier that is not there is not an error.
    func store(_ transition: DeliveryMachine.Transition, for id: OperationID) throws

    /// Takes an entry that cannot be read out of the queue, its bytes untouched.
    func quarantine(_ id: EntryID, reason: QuarantineReason) throws

    /// Entries in `state` ordered by entry number, from the one after `last` on.
    func entries(in state: OperationState, after last: EntryID?, limit: Int) throws
        -> [StoredEntry]

    /// Queued entries that wait for `cause` and are not eligible at `moment`, the farthest first.
    func entries(waitingFor cause: WaitCause, beyond moment: WallTime, limit: Int) throws
        -> [StoredEntry]

    /// The entry of an operation, in any state.
    func entry(for id: OperationID) throws -> StoredEntry?

    /// Puts an entry under a new envelope into the queue, from any state.
    func requeue(_ id: EntryID, as envelope: Envelope) throws

    /// Makes every queued operation that waits for `cause` eligible at once.
    func endWaits(for cause: WaitCause) throws

    /// Deletes an entry for good. An entry that is not there is not an error.
    func delete(_ id: EntryID) throws

    /// How many entries there are in each state. A diagnostic: O(entries).
    func counts() throws -> OutboxCounts

    /// Whether nothing was ever sealed into this storage, so that a missing key may be made.
    func isUnused() throws -> Bool

    /// From here on ``isUnused()`` is false. Durable on return.
    func markUsed() throws

    /// Takes the role of the drainer.
    ///
    /// - Returns: `nil` while another holder, in this process or another, is alive. The role is
    ///   given up when the claim is released from memory or its process dies.
    func claimDrain() throws -> (any DrainClaim)?
}

/// The role of the one drainer, held for as long as this object lives.
public protocol DrainClaim: AnyObject, Sendable {}

/// Names an entry in one storage, readable or not. Never reused while the entry exists.
public struct EntryID: Hashable, Sendable {
    public let rawValue: Int64

    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// Where an entry stands.
public enum OperationState: UInt8, Hashable, Sendable, CaseIterable {
    /// Will be attempted.
    case queued = 0
    /// Refused for good, or without a handler: a person decides.
    case parked = 1
    /// Bytes that cannot be read, kept as they are.
    case quarantined = 2
}

/// An entry as stored. The bytes are not checked yet.
public struct StoredEntry: Sendable {
    public let id: EntryID
    /// The operation under which the entry was inserted.
    public let operationID: OperationID?
    public let state: OperationState
    /// An ``Envelope``, encoded.
    public let envelope: [UInt8]
    /// A ``SealedRecord``, encoded.
    public let record: [UInt8]
    /// Why the entry is quarantined.
    public let quarantineReason: QuarantineReason?

    public init(
        id: EntryID, operationID: OperationID?, state: OperationState, envelope: [UInt8],
        record: [UInt8], quarantineReason: QuarantineReason?
    ) {
        self.id = id
        self.operationID = operationID
        self.state = state
        self.envelope = envelope
        self.record = record
        self.quarantineReason = quarantineReason
    }
}

/// The answer to ``OutboxStorage/eligible(at:limit:)``.
public struct EligibleRecords: Sendable {
    public let entries: [StoredEntry]
    public let nextEligibleAt: WallTime?

    public init(entries: [StoredEntry], nextEligibleAt: WallTime?) {
        self.entries = entries
        self.nextEligibleAt = nextEligibleAt
    }
}

/// How many entries a storage holds.
public struct OutboxCounts: Hashable, Sendable {
    public var queued: Int
    public var parked: Int
    public var quarantined: Int

    public init(queued: Int = 0, parked: Int = 0, quarantined: Int = 0) {
        self.queued = queued
        self.parked = parked
        self.quarantined = quarantined
    }
}
