public import Outbox
public import OutboxCore
import Synchronization

/// A storage whose writes or reads fail when a test asks for it. A failed access changes nothing.
public final class FaultyStorage<Base: OutboxStorage>: WrappingStorage {
    /// The kind of access that a failure concerns.
    public enum Access: Sendable {
        /// Looking entries up.
        case reading
        /// Changing stored data.
        case writing
    }

    private struct Plan: Sendable {
        var failures: [(access: Access, error: StorageError, remaining: Int)] = []
    }

    /// The storage that does the work.
    public let base: Base
    private let plan = Mutex(Plan())

    /// Makes a storage that works like `base` until a test asks for failures.
    public init(_ base: Base) {
        self.base = base
    }

    /// Makes the next `count` accesses of this kind throw `error`.
    public func failNext(_ count: Int, _ access: Access, with error: StorageError) {
        plan.withLock { $0.failures.append((access, error, count)) }
    }

    /// Cancels all planned failures: later accesses succeed as they do in ``base``.
    public func recover() {
        plan.withLock { $0.failures.removeAll() }
    }

    private func check(_ access: Access) throws {
        try plan.withLock { plan in
            guard let index = plan.failures.firstIndex(where: { $0.access == access }) else {
                return
            }
            let error = plan.failures[index].error
            plan.failures[index].remaining -= 1
            if plan.failures[index].remaining <= 0 { plan.failures.remove(at: index) }
            throw error
        }
    }

    public func insert(_ operations: [SealedOperation]) throws {
        try check(.writing)
        try base.insert(operations)
    }

    public func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try check(.reading)
        return try base.eligible(at: now, limit: limit)
    }

    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        try check(.writing)
        return try base.settle(settlements)
    }

    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try check(.writing)
        try base.quarantine(id, reason: reason, as: envelope)
    }

    public func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try check(.reading)
        return try base.entries(in: state, after: last, limit: limit)
    }

    public func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try check(.reading)
        return try base.entries(waitingFor: cause, beyond: moment, limit: limit)
    }

    public func envelopes(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEnvelope] {
        try check(.reading)
        return try base.envelopes(in: state, after: last, limit: limit)
    }

    public func entry(for id: OperationID) throws -> StoredEntry? {
        try check(.reading)
        return try base.entry(for: id)
    }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try check(.writing)
        try base.requeue(id, as: envelope)
    }

    public func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try check(.writing)
        return try base.replaceRecord(id, from: old, to: new)
    }

    public func endWaits(for cause: WaitCause) throws {
        try check(.writing)
        try base.endWaits(for: cause)
    }

    public func endWaits(
        for cause: WaitCause,
        after last: WaitPosition?
    ) throws -> WaitPosition? {
        try check(.writing)
        return try base.endWaits(for: cause, after: last)
    }

    public func delete(_ id: EntryID) throws {
        try check(.writing)
        try base.delete(id)
    }

    public func counts() throws -> OutboxCounts {
        try check(.reading)
        return try base.counts()
    }

    public func isUnused() throws -> Bool {
        try check(.reading)
        return try base.isUnused()
    }

    public func markUsed() throws {
        try check(.writing)
        try base.markUsed()
    }
}
