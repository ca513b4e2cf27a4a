import Outbox
import OutboxCore
import OutboxTesting
import Synchronization

/// An outbox over memory with a clock of its own, and a record of what its handler saw.
final class OutboxFixture: Sendable {
    let storage: FaultyStorage<MemoryStorage>
    let keys: MemoryKeyStore
    let clock: ManualClock
    let outbox: Outbox<FaultyStorage<MemoryStorage>>
    private let seen = Mutex<[OutboxOperation]>([])
    private let logged: Log

    private final class Log: Sendable {
        let events = Mutex<[OutboxEvent]>([])
    }

    init(
        storage: MemoryStorage = MemoryStorage(),
        keys: MemoryKeyStore = MemoryKeyStore(),
        clock: ManualClock = ManualClock(),
        policy: RetryPolicy = .device,
        lanePolicy: LanePolicy = .skipAndPark
    ) {
        let log = Log()
        logged = log
        self.storage = FaultyStorage(storage)
        self.keys = keys
        self.clock = clock
        outbox = Outbox(
            storage: self.storage,
            keys: keys,
            policy: policy,
            lanePolicy: { _ in lanePolicy },
            clock: clock.clock,
            log: { event in log.events.withLock { $0.append(event) } }
        )
    }

    var attempts: [OutboxOperation] { seen.withLock { $0 } }
    var events: [OutboxEvent] { logged.events.withLock { $0 } }

    /// What the handler was given, in order.
    var attemptedPayloads: [UInt8] { attempts.map { $0.payload[0] } }

    /// A handler that answers with `outcomes` in turn, then `.done`.
    func handler(_ outcomes: [DeliveryMachine.Outcome] = []) -> OperationHandler {
        let remaining = Queue(outcomes)
        return { operation in
            self.seen.withLock { $0.append(operation) }
            return remaining.next() ?? .done
        }
    }

    /// Drains until nothing is queued, letting time pass whenever everybody sleeps.
    func drainUntilIdle(
        _ handler: @escaping OperationHandler,
        kind: OperationKind = "note"
    ) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                try await self.outbox.drain([kind: handler], until: .idle)
                return true
            }
            tasks.addTask {
                while !Task.isCancelled {
                    if self.clock.sleeperCount > 0 { self.clock.advance(by: Milliseconds(100)) }
                    await Task.yield()
                }
                return false
            }
            while let isDrained = try await tasks.next(), !isDrained {}
            tasks.cancelAll()
        }
    }

    private final class Queue: Sendable {
        private let outcomes: Mutex<[DeliveryMachine.Outcome]>

        init(_ outcomes: [DeliveryMachine.Outcome]) { self.outcomes = Mutex(outcomes) }

        func next() -> DeliveryMachine.Outcome? {
            outcomes.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
    }
}
