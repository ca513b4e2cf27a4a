package import OutboxCore
import Synchronization

/// Where an operation stands, as anybody sees it who opens the store.
package enum Standing: Hashable, Sendable {
    /// `waiting` is queued and not eligible.
    case absent, eligible, waiting, parked, quarantined
}

/// The promises of a store, kept apart from the store.
package final class Ledger: Sendable {
    package struct Promise: Hashable, Sendable {
        package let payload: [UInt8]
        /// Where the operation may stand while the power stays on.
        package var standings: Set<Standing>
        /// Where it may stand after a power cut: a removal may be lost.
        package var standingsAfterPowerCut: Set<Standing>
    }

    /// All promises at one moment.
    package struct Promises: Hashable, Sendable {
        package var operations: [OperationID: Promise] = [:]
        /// Operations that are being inserted together: all of them are there, or none.
        package var batch: [OperationID] = []
        /// The operations of each lane, in their order: at most the first queued one is eligible.
        package var lanes: [OrderingKey: [OperationID]] = [:]

        /// A change has failed: who is the front of a lane is not what the script says.
        var isDisturbed = false

        package subscript(id: OperationID) -> Promise? { operations[id] }

        func standings(of id: OperationID, at standing: Standing) -> Set<Standing> {
            let isQueued = standing == .eligible || standing == .waiting
            guard isDisturbed, isQueued, lanes.values.contains(where: { $0.contains(id) }) else {
                return [standing]
            }
            return [.eligible, .waiting]
        }
    }

    private let state = Mutex(Promises())

    package init() {}

    package var promises: Promises { state.withLock { $0 } }

    package func expect(_ id: OperationID, payload: [UInt8]) {
        state.withLock {
            $0.operations[id] = Promise(
                payload: payload,
                standings: [.absent],
                standingsAfterPowerCut: [.absent]
            )
        }
    }

    /// Runs an insertion, which is done whole or not at all.
    package func insert(
        _ operations: [(OperationID, Standing)],
        failureChangesNothing: Bool,
        _ body: () throws -> Void
    ) throws {
        state.withLock { $0.batch = operations.map(\.0) }
        defer { state.withLock { $0.batch = [] } }
        try change(operations, failureChangesNothing: failureChangesNothing, body)
    }

    /// `id` comes behind all others in `lane`.
    package func line(_ id: OperationID, in lane: OrderingKey) {
        state.withLock { $0.lanes[lane, default: []].append(id) }
    }

    /// Runs a change of an operation to another standing, and of those whose place in a lane it
    /// changes: until it returns, each may stand as before or after.
    ///
    /// - Parameter failureChangesNothing: Whether a change that throws must not be seen.
    package func change(
        _ changes: [(OperationID, Standing)],
        survivesPowerCut: Bool = true,
        failureChangesNothing: Bool = false,
        _ body: () throws -> Void
    ) throws {
        let before = promises
        // One that was never inserted does not come to be there with another's change.
        let changes = changes.filter { id, standing in
            id == changes[0].0 || before.batch.contains(id) || before[id]?.standings != [.absent]
        }
        for (id, standing) in changes { allow(standing, id) }
        do {
            try body()
        } catch {
            state.withLock { promises in
                promises.isDisturbed = true
                guard failureChangesNothing else { return }
                for (id, _) in changes {
                    promises.operations[id]?.standings = before[id]?.standings ?? []
                }
            }
            throw error
        }
        state.withLock { promises in
            for (id, standing) in changes {
                let isFollower = id != changes[0].0 && !before.batch.contains(id)
                let isUncertain = isFollower && before[id]?.standings.contains(.absent) == true
                let standings = promises.standings(of: id, at: standing)
                    .union(isUncertain ? [.absent] : [])
                promises.operations[id]?.standings = standings
                if survivesPowerCut {
                    promises.operations[id]?.standingsAfterPowerCut = standings
                } else {
                    promises.operations[id]?.standingsAfterPowerCut.formUnion(standings)
                }
            }
        }
    }

    /// A step has failed before it changed anything.
    package func disturb() {
        state.withLock { $0.isDisturbed = true }
    }

    /// From now on `id` stands like this.
    package func promise(_ standing: Standing, _ id: OperationID) {
        state.withLock { promises in
            promises.operations[id]?.standings = [standing]
            promises.operations[id]?.standingsAfterPowerCut = [standing]
        }
    }

    /// From now on `id` may stand like this as well.
    package func allow(_ standing: Standing, _ id: OperationID) {
        state.withLock { promises in
            promises.operations[id]?.standings.insert(standing)
            promises.operations[id]?.standingsAfterPowerCut.insert(standing)
        }
    }
}
