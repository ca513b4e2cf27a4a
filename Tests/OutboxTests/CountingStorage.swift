import Outbox
import OutboxCore
import OutboxTesting
import Synchronization

/// A storage that counts how often outcomes are stored, refuses those of some operations, and
/// cannot change others, as if it were damaged there.
final class CountingStorage: WrappingStorage {
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

    func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
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
        return settlements.filter { stuck.contains($0.id) }.map { Unsettled($0.entry, .gone) }
            + (try base.settle(settlements.filter { !stuck.contains($0.id) }))
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
}
