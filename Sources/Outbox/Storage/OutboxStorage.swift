public import OutboxCore

/// Where operations live. Every method may be called from any thread.
///
/// Held to its contract by `StorageConformance` in `OutboxTesting`, which every storage must pass.
/// A method that throws has changed nothing.
///
/// ## Lanes
/// An entry whose envelope can be read and has an ordering key belongs to that lane. It *has a
/// place* in the lane while it is queued, and while it is parked or quarantined under an envelope
/// that says ``/OutboxCore/Envelope/blocksLane``. The *front* of a lane is, of the entries that
/// have a place in it, the one that was inserted first. A queued entry that is not the front is
/// *behind*: its state is ``OperationState/queued`` like that of the front, but it is not eligible,
/// whatever its envelope says of the time.
///
/// The storage keeps this so by itself: what ends a front's being the front, by whatever method,
/// makes the next one the front in the same atomic step, also for every other process. An entry
/// that is queued again has the place that it was inserted at: if that is before the front, it
/// becomes the front. An entry whose envelope is damaged belongs to no lane; one that the disk does
/// not give back now keeps the place that is known of it.
public protocol OutboxStorage: Sendable {
    /// Adds operations, all or none, queued. Durable on return: they survive a power cut.
    ///
    /// - Throws: ``StorageError/duplicate`` when an identifier is taken.
    /// - Complexity: Independent of the number stored.
    func insert(_ operations: [SealedOperation]) throws

    /// Queued operations that are eligible at `now`, in the order of becoming eligible; of those
    /// that have been eligible for equally long, which first is for the storage to say, by
    /// identifier or by insertion. And, when they are fewer than `limit`, the moment after `now` at
    /// which another becomes eligible. Of a lane, at most its front.
    ///
    /// - Complexity: O(`limit`), independent of the number stored, also in one lane.
    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords

    /// Records how attempts ended, of each operation at most one: all or none. Durable on return,
    /// unless all of them are removals: one that a power cut undoes means one more attempt. A
    /// removal must not be what makes an ``insert(_:)`` that has returned less durable.
    ///
    /// Changes only what is there: an entry that is gone, or that holds another operation than the
    /// one that was attempted, is left as it is, which is not an error and keeps no other back.
    ///
    /// - Returns: The entries that were left as they are.
    @discardableResult
    func settle(_ settlements: [Settlement]) throws -> [EntryID]

    /// Takes an entry that cannot be read out of the queue, its record untouched.
    ///
    /// - Parameters:
    ///   - id: An entry in any state; one that is not there is not an error.
    ///   - reason: Why it cannot be read.
    ///   - envelope: What is stored instead of the entry's envelope, so that the entry keeps, or
    ///     loses, its place in its lane; `nil` to leave those bytes untouched as well.
    func quarantine(_ id: EntryID, reason: QuarantineReason, as envelope: Envelope?) throws

    /// Entries in `state` ordered by entry number, from the one after `last` on.
    func entries(in state: OperationState, after last: EntryID?, limit: Int) throws
        -> [StoredEntry]

    /// Queued entries that wait for `cause` until after `moment`, the farthest first, also those
    /// that are behind another in their lane.
    func entries(waitingFor cause: WaitCause, beyond moment: WallTime, limit: Int) throws
        -> [StoredEntry]

    /// The entry of an operation, in any state.
    func entry(for id: OperationID) throws -> StoredEntry?

    /// Puts an entry under a new envelope into the queue, from any state.
    func requeue(_ id: EntryID, as envelope: Envelope) throws

    /// Stores `new` in place of an entry's record, provided that it still is `old`. Its state, its
    /// envelope and its place stay as they are. Durable on return.
    ///
    /// - Returns: `false` when the entry is not there or has another record: nothing was changed.
    func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool

    /// Ends the wait of every queued operation that waits for `cause`, also of those that are
    /// behind another in their lane, where they stay.
    func endWaits(for cause: WaitCause) throws

    /// Deletes an entry for good. An entry that is not there is not an error.
    func delete(_ id: EntryID) throws

    /// How many entries there are in each state. A diagnostic: O(entries).
    func counts() throws -> OutboxCounts

    /// Whether nothing was ever sealed into this storage, so that a missing key may be made.
    func isUnused() throws -> Bool

    /// Records that something was sealed: ``isUnused()`` is false from then on. Durable on return.
    func markUsed() throws

    /// What is wrong with the storage beyond single entries, so that entries may be missing, or
    /// never be attempted, while nothing fails. Changes nothing. A storage in which damage always
    /// shows in an entry need not find anything.
    ///
    /// - Parameter limit: How many bytes of records may be looked through: where more is stored,
    ///   and with 0, only what was noticed before is told.
    /// - Complexity: O(bytes stored), or O(`limit`) where that is less.
    func damage(checkingUpTo limit: Int) throws -> [StorageDamage]

    /// Takes the role of the drainer.
    ///
    /// - Returns: `nil` while another holder, in this process or another, is alive. The role is
    ///   given up when the claim is released from memory or its process dies.
    func claimDrain() throws -> (any DrainClaim)?

    /// Ends the use of this object: waits for calls that are under way, then closes every file that
    /// this object has open. As soon as this returns another object may open the same place as the
    /// only one, and an app may move, replace or delete its files.
    ///
    /// Afterwards every other method throws ``StorageError/closed`` and changes nothing; to close
    /// once more is not an error. Nothing is lost, and nothing becomes more durable than it was. A
    /// claim of ``claimDrain()`` is not ended: its holder keeps the role, and the lock's file open,
    /// until the claim is released. Other objects over the same place are not concerned.
    ///
    /// Blocks the calling thread for as long as the longest of those calls. Must not be called
    /// inside of another method of this object, such as in the body of a transaction.
    func close()
}

extension OutboxStorage {
    /// Finds no damage.
    public func damage(checkingUpTo limit: Int) throws -> [StorageDamage] { [] }
}

/// The role of the one drainer, held for as long as this object lives.
public protocol DrainClaim: AnyObject, Sendable {}

/// Names an entry in one storage, readable or not. Never reused while the entry exists.
public struct EntryID: Hashable, Sendable {
    /// A number of the storage; positive.
    public let rawValue: Int64

    /// The entry of that number.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// The state of an entry.
public enum OperationState: UInt8, Hashable, Sendable, CaseIterable {
    /// Will be attempted; in a lane, when it is the front.
    case queued = 0
    /// Refused for good, or without a handler: a person decides.
    case parked = 1
    /// Bytes that cannot be read, kept as they are.
    case quarantined = 2
}

/// An entry as stored. The bytes are not checked yet.
public struct StoredEntry: Sendable {
    /// The entry's number in the storage that handed it out.
    public let id: EntryID
    /// The operation under which the entry was inserted.
    public let operationID: OperationID?
    /// The entry's state.
    public let state: OperationState
    /// An ``/OutboxCore/Envelope``, encoded.
    public let envelope: [UInt8]
    /// A ``/OutboxCore/SealedRecord``, encoded.
    public let record: [UInt8]
    /// Why the entry is quarantined.
    public let quarantineReason: QuarantineReason?

    /// An entry of these parts, which a storage hands out.
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

/// The answer to ``OutboxStorage/eligible(at:limit:)``.
public struct EligibleRecords: Sendable {
    /// In the order in which they are to be attempted.
    public let entries: [StoredEntry]
    /// When another operation becomes eligible; `nil` when none does by itself, and when there are
    /// as many entries as were asked for: a drain that takes these looks again before it waits.
    public let nextEligibleAt: WallTime?

    /// An answer of these parts.
    public init(entries: [StoredEntry], nextEligibleAt: WallTime?) {
        self.entries = entries
        self.nextEligibleAt = nextEligibleAt
    }
}

/// How many entries of each state a storage holds.
public struct OutboxCounts: Hashable, Sendable {
    /// Entries that will be attempted, at once or later, also behind others in a lane.
    public var queued: Int
    /// Entries that wait for a person.
    public var parked: Int
    /// Entries that cannot be read.
    public var quarantined: Int

    /// Counts of these numbers.
    public init(queued: Int = 0, parked: Int = 0, quarantined: Int = 0) {
        self.queued = queued
        self.parked = parked
        self.quarantined = quarantined
    }
}

extension Envelope {
    /// The lane in which an entry that is in `state` under this envelope has a place; `nil` when it
    /// has none. The rule for every storage, see ``OutboxStorage``.
    public func lane(whenIn state: OperationState) -> OrderingKey? {
        state == .queued || blocksLane ? orderingKey : nil
    }
}

/// How an attempt ended, for the entry that was attempted.
public struct Settlement: Sendable {
    /// The entry that was handed out for the attempt. The number may name another entry meanwhile.
    public let entry: EntryID
    /// The operation that was attempted. An entry that holds another one is not changed.
    public let id: OperationID
    /// What the storage does with the operation.
    public let transition: DeliveryMachine.Transition

    /// The outcome `transition` of the operation `id` in `entry`.
    public init(entry: EntryID, id: OperationID, transition: DeliveryMachine.Transition) {
        self.entry = entry
        self.id = id
        self.transition = transition
    }
}
