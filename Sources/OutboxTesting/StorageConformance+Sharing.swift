import Outbox
import OutboxCore
import Synchronization

extension StorageConformance {
    /// Checks several open storages over the same files under many threads. They lose no operation and
    /// drain each operation once. Each storage knows the fronts of all lanes, whichever storage
    /// changed a lane. A storage that is closed during its work leaves all of that work to the
    /// next.
    ///
    /// - Parameters:
    ///   - seed: The seed of a course of events over lanes. How the threads meet does not follow
    ///     from the seed.
    ///   - open: A function that opens the same files again, as another process would. The place is
    ///     empty at first.
    /// - Throws: ``ConformanceFailure``, or the error of the storage.
    public static func checkSharing(
        seed: UInt64 = 1,
        _ open: () throws -> Storage
    ) async throws {
        let keys = MemoryKeyStore(keys: [.random()])
        let outboxes = try (0..<3).map { _ in Outbox(storage: try open(), keys: keys) }
        let ids = try await withThrowingTaskGroup { tasks in
            for number in 0..<150 {
                tasks.addTask {
                    try await outboxes[number % 3].enqueue(kind: "conformance", payload: [1])
                }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        let handled = HandledOperations()
        try await withThrowingTaskGroup { tasks in
            for outbox in outboxes {
                tasks.addTask {
                    do {
                        try await outbox.drain(
                            ["conformance": { handled.add($0.id) }],
                            until: .idle
                        )
                    } catch OutboxError.drainedElsewhere {
                        // The outbox that drains takes all.
                    }
                }
            }
            try await tasks.waitForAll()
        }
        try expect(handled.ids.count == 150)
        try expect(Set(handled.ids) == ids)
        try checkLanes(
            seed: seed,
            steps: 100,
            over: [outboxes[0].storage, outboxes[1].storage]
        )
        try await checkLaneWhileDraining(outboxes[0], outboxes[1])
        try await checkClosing(open)
    }

    /// The writer enqueues into a lane while the drainer takes the lane's fronts away.
    private static func checkLaneWhileDraining(
        _ writer: Outbox<Storage>,
        _ drainer: Outbox<Storage>
    ) async throws {
        for entry in try drainer.storage.allEntries() { try drainer.storage.delete(entry.id) }
        let handled = HandledOperations()
        let lane = OrderingKey(bytes: [1])
        let handlers: [OperationKind: OperationHandler] = [
            "conformance": { handled.add($0.id) }
        ]
        let drain = Task { try await drainer.drain(handlers) }
        defer { drain.cancel() }
        var ids: [OperationID] = []
        for _ in 0..<100 {
            ids.append(
                try await writer.enqueue(kind: "conformance", payload: [1], orderingKey: lane)
            )
            drainer.wake()
        }
        drain.cancel()
        try await drain.value
        try await drainer.drain(handlers, until: .idle)
        try expect(handled.ids == ids)
    }
}

extension OutboxStorage {
    fileprivate func allEntries() throws -> [StoredEntry] {
        try OperationState.allCases.flatMap {
            try entries(in: $0, after: nil, limit: .max)
        }
    }
}

private final class HandledOperations: Sendable {
    private let kept = Mutex<[OperationID]>([])

    var ids: [OperationID] { kept.withLock { $0 } }

    func add(_ id: OperationID) -> DeliveryMachine.Outcome {
        kept.withLock { $0.append(id) }
        return .done
    }
}
