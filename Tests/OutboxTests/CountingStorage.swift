import Outbox
import OutboxCore
import OutboxTesting
import Synchronization

/// A storage that counts how often outcomes are stored, refuses those of some operations, and
/// cannot change others, as if it were damaged there.
final class CountingStorage: OutboxStorage {
    let base = MemoryStorage()
    private let state = Mutex(State())

    private struct State {
        var stores = 0
        var refused: Set<OperationID> = []
        var corrupt: Set<OperationID> = []
        var stuck: Set<OperationID> = []
    }

    /// How many calls have stored outcomes.
    var stores: Int { state.withLock { $0.stores } }

    /// From now on nothing is stored together with the outcome of any of these.
    func refuse(_ ids: Set<OperationID>) {
        state.withLock { $0.refused = ids }
    }

    /// From now on who changes the first ones hears that the storage is corrupt, and who changes
    /// the others that they are not there. All can still be read.
    func damage(corrupt: Set<OperationID>, stuck: Set<OperationID>) {
        state.withLock { ($0.corrupt, $0.stuck) = (corrupt, stuck) }
    }

    func settle(_ settlements: [Settlement]) throws -> [EntryID] {
        let stuck = try state.withLock { state in
            guard state.refused.isDisjoint(with: settlements.map(\.id)) else {
                throw StorageError.diskFull
            }
            guard state.corrupt.isDisjoint(with: settlements.map(\.id)) else {
                throw StorageError.corrupt
            }
            state.stores += 1
            return state.stuck
        }
        return settlements.filter { stuck.contains($0.id) }.map(\.entry)
            + (try base.settle(settlements.filter { !stuck.contains($0.id) }))
    }

    func insert(_ operations: [SealedOperation]) throws { try base.insert(operations) }

    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try base.eligible(at: now, limit: limit)
    }

    func quarantine(_ id: EntryID, reason: QuarantineReason, as envelope: Envelope?) throws {
        let corrupt = state.withLock { $0.corrupt }
        let entry = try base.entries(
            in: .queued,
            after: EntryID(rawValue: id.rawValue - 1),
            limit: 1
        )
        guard corrupt.isDisjoint(with: entry.compactMap(\.operationID)) else {
            throw StorageError.corrupt
        }
        try base.quarantine(id, reason: reason, as: envelope)
    }

    func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        try base.entries(in: state, after: last, limit: limit)
    }

    func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
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
    func close() { base.close() }
}
