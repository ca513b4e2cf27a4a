public import OutboxCore

/// A storage that does its work by another storage, ``base``, and changes some of the methods.
///
/// Every method calls the same method of ``base``, unless the conforming type has a method of its
/// own. An app wraps its storage to change rows of its own in the transaction that records the
/// outcome of an attempt:
///
/// ```swift
/// struct NoteStorage: WrappingStorage {
///     let base: SQLiteStorage
///
///     func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
///         try base.write { database in
///             for settlement in settlements where settlement.transition == .remove {
///                 try database.run(
///                     "UPDATE note SET sent = 1 WHERE id = ?", .blob(settlement.id.bytes))
///             }
///             return try base.settle(settlements, in: database)
///         }
///     }
/// }
/// ```
///
/// When the transaction fails, the drain repeats it later. The drain does not run the handler again
/// for that: see ``OutboxStorage/settle(_:)``.
public protocol WrappingStorage: OutboxStorage {
    /// The type of the storage that does the work.
    associatedtype Base: OutboxStorage

    /// The storage that does the work.
    var base: Base { get }
}

extension WrappingStorage {
    public func insert(_ operations: [SealedOperation]) throws { try base.insert(operations) }

    public func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try base.eligible(at: now, limit: limit)
    }

    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try base.settle(settlements)
    }

    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try base.quarantine(id, reason: reason, as: envelope)
    }

    public func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try base.entries(in: state, after: last, limit: limit)
    }

    public func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try base.entries(waitingFor: cause, beyond: moment, limit: limit)
    }

    public func envelopes(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEnvelope] {
        try base.envelopes(in: state, after: last, limit: limit)
    }

    public func entry(for id: OperationID) throws -> StoredEntry? { try base.entry(for: id) }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try base.requeue(id, as: envelope)
    }

    public func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try base.replaceRecord(id, from: old, to: new)
    }

    public func endWaits(for cause: WaitCause) throws { try base.endWaits(for: cause) }

    /// Ends the waits in the steps of the storage that does the work.
    public func endWaits(
        for cause: WaitCause,
        after last: WaitPosition?
    ) throws -> WaitPosition? {
        try base.endWaits(for: cause, after: last)
    }

    public func delete(_ id: EntryID) throws { try base.delete(id) }

    public func counts() throws -> OutboxCounts { try base.counts() }

    public func isUnused() throws -> Bool { try base.isUnused() }

    public func markUsed() throws { try base.markUsed() }

    /// Reports the damage of the storage that does the work.
    public func damage(checkingUpTo limit: Int) throws -> [StorageDamage] {
        try base.damage(checkingUpTo: limit)
    }

    public func claimDrain() throws -> (any DrainClaim)? { try base.claimDrain() }

    public func close() { base.close() }
}
