import Outbox
import OutboxCore
import OutboxTesting

/// A drain in simulated time, and what it did. Confined to the thread that runs it.
final class SimulatedDrain: @unchecked Sendable {
    let scheduler: SimulatedScheduler
    let storage = CountingStorage()
    let outbox: Outbox<CountingStorage>
    /// In the order in which they are attempted.
    let ids: [OperationID]
    /// How often each was attempted.
    private(set) var attempts: [OperationID: Int] = [:]
    private(set) var isDrained = false
    /// The error with which the drain ended.
    private(set) var failure: (any Error)?
    private let log = Log()
    private var drain: Task<Void, Never>?

    private final class Log: @unchecked Sendable {
        var events: [OutboxEvent] = []
        var computed = Milliseconds(0)
    }

    init(seed: UInt64, operations: Int) throws {
        scheduler = SimulatedScheduler(seed: seed)
        let (scheduler, log) = (scheduler, log)
        var clock = SimulatedClock(scheduler: scheduler, seed: seed).clock
        clock.monotonic = { Milliseconds(scheduler.now.count + log.computed.count) }
        let outbox = Outbox(
            storage: storage,
            keys: MemoryKeyStore(),
            clock: clock,
            log: { log.events.append($0) }
        )
        self.outbox = outbox
        ids = try (0..<operations).map { _ in
            try outbox.enqueue(kind: "note", payload: [1])
        }.sorted()
    }

    var events: [OutboxEvent] { log.events }

    func logged(_ change: OutboxEvent.Change, _ id: OperationID) -> Int {
        log.events.count { $0.change == change && $0.id == id }
    }

    func envelope(_ number: Int) throws -> Envelope? {
        try outbox.entry(for: ids[number])?.envelope
    }

    /// Lets time pass while a task runs and does not wait.
    func compute(_ duration: Milliseconds) {
        log.computed = Milliseconds(log.computed.count + duration.count)
    }

    /// Runs a drain with this handler, which is told the operation's number, until `end`.
    func run(
        until end: Milliseconds,
        _ drainEnd: DrainEnd = .idle,
        _ handler: @escaping @Sendable (Int) async -> DeliveryMachine.Outcome
    ) {
        let handlers: [OperationKind: OperationHandler] = [
            "note": { operation in
                self.attempts[operation.id, default: 0] += 1
                return await handler(self.ids.firstIndex(of: operation.id)!)
            }
        ]
        scheduler.after(Milliseconds(0)) {
            self.drain = Task {
                do {
                    try await self.outbox.drain(handlers, until: drainEnd)
                    self.isDrained = true
                } catch {
                    self.failure = error
                }
            }
        }
        scheduler.run(until: end)
    }

    func cancel(after wait: Milliseconds) {
        scheduler.after(wait) { self.drain?.cancel() }
    }
}
