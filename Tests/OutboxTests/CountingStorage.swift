import Outbox
import OutboxCore
import OutboxTesting
import Synchronization

/// A storage that counts how often outcomes are stored, and refuses those of some operations.
final class CountingStorage: OutboxStorage {
    private let base = MemoryStorage()
    private let state = Mutex((stores: 0, refused: Set<OperationID>()))

    /// How many calls have stored outcomes.
    var stores: Int { state.withLock { $0.stores } }

    /// From now on nothing is stored together with the outcome of any of these.
    func refuse(_ ids: Set<OperationID>) {
        state.withLock { $0.refused = ids }
    }

    func store(_ settlements: [Settlement]) throws {
        try state.withLock { state in
            guard state.refused.isDisjoint(with: settlements.map(\.id)) else {
                throw StorageError.diskFull
            }
            state.stores += 1
        }
        try base.store(settlements)
    }

    func insert(_ operations: [SealedOperation]) throws { try base.insert(operations) }

    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try base.eligible(at: now, limit: limit)
    }

    func quarantine(_ id: EntryID, reason: QuarantineReason, as envelope: Envelope?) throws {
        try base.quarantine(id, reason: reason, as: envelope)
    }

    func entries(
        in state: OperationState, after last: EntryID?, limit: Int
    ) throws -> [StoredEntry] {
        try base.entries(in: state, after: last, limit: limit)
    }

    func entries(
        waitingFor cause: WaitCause, beyond moment: WallTime, limit: Int
    ) throws -> [StoredEntry] {
        try base.entries(waitingFor: cause, beyond: moment, limit: limit)
    }

    func entry(for id: OperationID) throws -> StoredEntry? { try base.entry(for: id) }

    func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try base.requeue(id, as: envelope)
    }

    func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try base.replaceRecord(id, from: old, to: new)
    }

    func endWaits(for cause: WaitCause) throws { try base.endWaits(for: cause) }
    func delete(_ id: EntryID) throws { try base.delete(id) }
    func counts() throws -> OutboxCounts { try base.counts() }
    func isUnused() throws -> Bool { try base.isUnused() }
    func markUsed() throws { try base.markUsed() }
    func claimDrain() throws -> (any DrainClaim)? { try base.claimDrain() }
}
