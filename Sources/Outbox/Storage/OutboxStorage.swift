public import OutboxCore

/// A store of operations. Any thread may call every method.
///
/// Every storage must pass `StorageConformance` in `OutboxTesting`, which tests this contract. A
/// method that throws has changed nothing.
///
/// ## Lanes
/// An entry whose envelope can be read and has an ordering key belongs to that lane. It *has a
/// place* in the lane while it is queued, and while it is parked or quarantined under an envelope
/// that says ``/OutboxCore/Envelope/blocksLane``. The *front* of a lane is, of the entries that
/// have a place in it, the one that was inserted first. A queued entry that is not the front is
/// *behind*: its state is ``OperationState/queued`` like that of the front, but it is not eligible,
/// whatever its envelope says of the time.
///
/// The storage maintains these rules by itself. When any method takes the front out of its place,
/// the next entry becomes the front in the same atomic step, also for every other process. An entry
/// that is queued again has the place at which it was inserted: if this place is before the front,
/// the entry becomes the front. An entry whose envelope is damaged belongs to no lane. An entry
/// that the disk cannot return at the moment keeps its known place.
public protocol OutboxStorage: Sendable {
    /// Adds operations to the queue, all or none. Durable on return: the operations survive a power
    /// cut.
    ///
    /// - Throws: ``StorageError/duplicate`` when an identifier is taken.
    /// - Complexity: Independent of the number stored.
    func insert(_ operations: [SealedOperation]) throws

    /// Returns the queued operations that are eligible at `now`, in the order in which they became
    /// eligible. The storage orders operations that became eligible at the same time by identifier
    /// or by insertion. When there are fewer than `limit`, the answer also has the moment after
    /// `now` at which another operation becomes eligible. The answer has at most the front of each
    /// lane.
    ///
    /// - Complexity: O(`limit`), independent of the number stored, also in one lane.
    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords

    /// Looks up what ``eligible(at:limit:)`` looks up, for a caller that has some of the records: the
    /// entries of `operations` may come with an empty envelope and an empty record. They count towards
    /// `limit`. A drain names the operations in flight.
    ///
    /// The default reads whole entries.
    ///
    /// - Complexity: As that of ``eligible(at:limit:)``, and independent of the sizes of the records that
    ///   are not read, where the storage has its own implementation.
    func eligible(at now: WallTime, limit: Int, withoutRecordsOf operations: Set<OperationID>)
        throws -> EligibleRecords

    /// Records the outcomes of attempts, all or none, at most one outcome for each operation.
    /// Durable on return, unless all outcomes are removals: a removal that a power cut undoes
    /// causes one more attempt. A removal must not make an ``insert(_:)`` that has returned less
    /// durable.
    ///
    /// An entry that is gone, or that holds another operation than the attempted one, is left as it
    /// is. This is not an error, and the other outcomes are still recorded.
    ///
    /// - Returns: The outcomes that were not recorded, each with its cause. A storage that has one
    ///   drain answers ``/OutboxCore/Unsettled/Cause/gone`` and no other cause.
    @discardableResult
    func settle(_ settlements: [Settlement]) throws -> [Unsettled]

    /// Takes an unreadable entry out of the queue. The entry's record stays untouched.
    ///
    /// - Parameters:
    ///   - id: An entry in any state. A missing entry is not an error.
    ///   - reason: The reason for which the entry cannot be read.
    ///   - envelope: The envelope that replaces the entry's envelope, so that the entry keeps, or
    ///     loses, its place in its lane. `nil`: the stored envelope stays untouched as well.
    func quarantine(_ id: EntryID, reason: QuarantineReason, as envelope: Envelope?) throws

    /// Lists the entries in `state` after the entry `last`, ordered by entry number.
    func entries(in state: OperationState, after last: EntryID?, limit: Int) throws
        -> [StoredEntry]

    /// Lists the envelopes of the entries that ``entries(in:after:limit:)`` lists, without their records.
    ///
    /// The default reads whole entries.
    ///
    /// - Complexity: Independent of the sizes of the records, where the storage has its own
    ///   implementation.
    func envelopes(in state: OperationState, after last: EntryID?, limit: Int) throws
        -> [StoredEnvelope]

    /// Lists the queued entries that wait for `cause` until after `moment`, the longest wait first.
    /// The list includes entries that are behind another entry in their lane.
    func entries(waitingFor cause: WaitCause, beyond moment: WallTime, limit: Int) throws
        -> [StoredEntry]

    /// Looks up the entry of an operation, in any state.
    func entry(for id: OperationID) throws -> StoredEntry?

    /// Puts an entry in any state into the queue, under a new envelope.
    func requeue(_ id: EntryID, as envelope: Envelope) throws

    /// Replaces an entry's record by `new` if the record still is `old`. The entry's state,
    /// envelope and place do not change. Durable on return.
    ///
    /// - Returns: `false` when the entry is missing or has another record. Nothing is changed then.
    func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool

    /// Ends the wait of every queued operation that waits for `cause`, also of operations that are
    /// behind another in their lane. They stay behind it.
    func endWaits(for cause: WaitCause) throws

    /// Ends some of the waits that ``endWaits(for:)`` ends, so that a caller can do other work before
    /// it ends the others. An operation that begins to wait between two steps need not be among them.
    ///
    /// The default ends all of them at once.
    ///
    /// - Parameters:
    ///   - cause: The cause of the waits.
    ///   - last: The answer to the step before; `nil` for the first step.
    /// - Returns: `nil` when no wait is left.
    /// - Complexity: Independent of the number stored, where the storage has its own implementation.
    func endWaits(for cause: WaitCause, after last: WaitPosition?) throws -> WaitPosition?

    /// Deletes an entry for good. A missing entry is not an error.
    func delete(_ id: EntryID) throws

    /// Counts the entries in each state. A diagnostic: O(entries).
    func counts() throws -> OutboxCounts

    /// Returns whether nothing was ever sealed into this storage, so that the first key may be
    /// made.
    func isUnused() throws -> Bool

    /// Records that something was sealed: from then on ``isUnused()`` returns `false`. Durable on
    /// return.
    func markUsed() throws

    /// Reports damage of the storage beyond single entries: entries may be missing, or never be
    /// attempted, although no call fails. Changes nothing. A storage in which damage always shows
    /// in an entry need not report anything.
    ///
    /// - Parameter limit: The number of bytes of records up to which the whole storage is checked.
    ///   For a larger storage, and with 0, only damage that was noticed before is reported.
    /// - Complexity: O(bytes stored), or O(`limit`) where that is less.
    func damage(checkingUpTo limit: Int) throws -> [StorageDamage]

    /// Claims the role of the drainer.
    ///
    /// - Returns: `nil` while another holder, in this process or another, is alive. The holder has
    ///   the role until the claim is released from memory or its process dies.
    func claimDrain() throws -> (any DrainClaim)?

    /// Closes this object: waits for running calls, then closes every file that this object has
    /// open. After the return, another object may open the same files as the only one, and an app
    /// may move, replace or delete the storage's files.
    ///
    /// Afterwards every other method throws ``StorageError/closed`` and changes nothing. A second
    /// call is not an error. Closing loses nothing and makes nothing more durable. A claim of
    /// ``claimDrain()`` continues: its holder keeps the role, and keeps the lock's file open, until
    /// the claim is released. Other objects over the same files are not affected.
    ///
    /// Blocks the calling thread until the last running call returns. Must not be called inside
    /// another method of this object, such as in the body of a transaction.
    func close()
}

extension OutboxStorage {
    /// Reports no damage: the default for a storage in which damage always shows in an entry.
    public func damage(checkingUpTo limit: Int) throws -> [StorageDamage] { [] }

    /// Reads whole entries: the default for a storage whose records are small or few.
    public func eligible(
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>
    ) throws -> EligibleRecords {
        try eligible(at: now, limit: limit)
    }

    /// Reads whole entries: the default for a storage that cannot read a part of one.
    public func envelopes(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEnvelope] {
        try entries(in: state, after: last, limit: limit)
            .map { StoredEnvelope(entry: $0.id, bytes: $0.envelope) }
    }

    /// Ends all waits at once: the default for a storage in which this takes moments.
    public func endWaits(for cause: WaitCause, after last: WaitPosition?) throws -> WaitPosition? {
        try endWaits(for: cause)
        return nil
    }
}

/// The end of a step of ``OutboxStorage/endWaits(for:after:)``.
public struct WaitPosition: Hashable, Sendable {
    /// Bytes of the storage's choice.
    public let bytes: [UInt8]

    /// Creates a position. Storages call this.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The role of the drainer. The holder has the role for as long as this object lives.
public protocol DrainClaim: AnyObject, Sendable {}

/// The state of an entry.
public enum OperationState: UInt8, Hashable, Sendable, CaseIterable {
    /// The entry will be attempted; in a lane, when it is the front.
    case queued = 0
    /// The operation was refused for good or has no handler: a person decides.
    case parked = 1
    /// The entry's bytes cannot be read, and are kept as they are.
    case quarantined = 2
}

/// An entry as it is stored. Its bytes are not checked yet.
public struct StoredEntry: Sendable {
    /// The entry's number in its storage.
    public let id: EntryID
    /// The operation under which the entry was inserted.
    public let operationID: OperationID?
    /// The entry's state.
    public let state: OperationState
    /// An ``/OutboxCore/Envelope``, encoded.
    public let envelope: [UInt8]
    /// A ``/OutboxCore/SealedRecord``, encoded.
    public let record: [UInt8]
    /// The reason of the quarantine.
    public let quarantineReason: QuarantineReason?

    /// Creates an entry from its parts. Storages call this.
    public init(
        id: EntryID,
        operationID: OperationID?,
        state: OperationState,
        envelope: [UInt8],
        record: [UInt8],
        quarantineReason: QuarantineReason?
    ) {
        self.id = id
        self.operationID = operationID
        self.state = state
        self.envelope = envelope
        self.record = record
        self.quarantineReason = quarantineReason
    }
}

/// The envelope of an entry as it is stored. Its bytes are not checked yet.
public struct StoredEnvelope: Hashable, Sendable {
    /// The entry's number in its storage.
    public let entry: EntryID
    /// An ``/OutboxCore/Envelope``, encoded.
    public let bytes: [UInt8]

    /// Creates an envelope from its parts. Storages call this.
    public init(entry: EntryID, bytes: [UInt8]) {
        self.entry = entry
        self.bytes = bytes
    }
}

/// The answer to ``OutboxStorage/eligible(at:limit:)``.
public struct EligibleRecords: Sendable {
    /// The eligible entries, in the order in which they are to be attempted.
    public let entries: [StoredEntry]
    /// The moment at which another operation becomes eligible. `nil` when no other operation
    /// becomes eligible by itself, and when ``entries`` has as many entries as were asked for: a
    /// drain reads the queue again before it waits.
    public let nextEligibleAt: WallTime?

    /// Creates an answer from its parts.
    public init(entries: [StoredEntry], nextEligibleAt: WallTime?) {
        self.entries = entries
        self.nextEligibleAt = nextEligibleAt
    }
}

/// The number of entries in each state.
public struct OutboxCounts: Hashable, Sendable {
    /// The number of entries that will be attempted, at once or later. It includes entries that are
    /// behind others in a lane.
    public var queued: Int
    /// The number of entries that wait for a person.
    public var parked: Int
    /// The number of entries that cannot be read.
    public var quarantined: Int

    /// Creates counts from their numbers.
    public init(queued: Int = 0, parked: Int = 0, quarantined: Int = 0) {
        self.queued = queued
        self.parked = parked
        self.quarantined = quarantined
    }
}

extension Envelope {
    /// Returns the lane in which an entry with this envelope has a place while the entry is in
    /// `state`; `nil` when the entry has no place. Every storage follows this rule, see
    /// ``OutboxStorage``.
    public func lane(whenIn state: OperationState) -> OrderingKey? {
        state == .queued || blocksLane ? orderingKey : nil
    }
}
