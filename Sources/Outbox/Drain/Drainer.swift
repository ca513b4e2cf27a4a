internal import OutboxCore

/// Runs a ``DeliveryMachine`` over a storage. One loop takes one event at a time, so that no two
/// decisions interleave; handlers and timers run beside it and only send events.
struct Drainer<Storage: OutboxStorage>: Sendable {
    private enum Event: Sendable {
        case wake
        case networkReturned
        case timerFired(generation: Int)
        case attemptFinished(OperationID, DeliveryMachine.Outcome)
        case settle(DeliveryMachine.Settle)
        case stop
    }

    private let outbox: Outbox<Storage>
    private let handlers: [OperationKind: OperationHandler]
    private let end: DrainEnd
    private let clock: AnchoredClock
    private let events: AsyncStream<Event>
    private let send: AsyncStream<Event>.Continuation
    private var machine: DeliveryMachine
    private var timer: Task<Void, Never>?
    private var timerGeneration = 0
    private var isStopping = false
    private var somethingIsScheduled = false

    init(
        outbox: Outbox<Storage>, handlers: [OperationKind: OperationHandler], end: DrainEnd
    ) {
        self.outbox = outbox
        self.handlers = handlers
        self.end = end
        clock = AnchoredClock(outbox.clock)
        machine = DeliveryMachine(
            policy: outbox.policy, maximumInFlight: outbox.maximumInFlight)
        (events, send) = AsyncStream.makeStream()
    }

    /// Ends as ``DrainEnd`` says. Cancellation arrives as an event like any other: a loop that was
    /// itself cancelled would no longer hear what its last attempts came to.
    func run() async {
        let send = send
        outbox.bell.listen { ring in
            switch ring {
            case .wake: send.yield(.wake)
            case .networkReturned: send.yield(.networkReturned)
            }
        }
        let loop = Task {
            var drainer = self
            await withDiscardingTaskGroup { tasks in
                await drainer.loop(&tasks)
                tasks.cancelAll()
            }
            drainer.timer?.cancel()
            await drainer.timer?.value
        }
        await withTaskCancellationHandler {
            await loop.value
        } onCancel: {
            send.yield(.stop)
        }
        outbox.bell.listen(nil)
        send.finish()
    }

    private mutating func loop(_ tasks: inout DiscardingTaskGroup) async {
        recoverWaits()
        look(machine.woken(), &tasks)
        if isFinished { return }
        for await event in events {
            handle(event, &tasks)
            if isFinished { return }
        }
    }

    /// After a stop only what the other side has accepted or refused for good still settles; an
    /// attempt that was cut short leaves its operation as it was.
    private var isFinished: Bool {
        if isStopping {
            return !machine.flights.contains {
                if case .settling = $0.phase { true } else { false }
            } && attemptsRunning == 0
        }
        return end == .idle && machine.isIdle && !somethingIsScheduled
    }

    private var attemptsRunning: Int {
        machine.flights.count { $0.phase == .attempting } - abandoned
    }

    private var abandoned = 0

    private mutating func handle(_ event: Event, _ tasks: inout DiscardingTaskGroup) {
        switch event {
        case .wake:
            outbox.bell.heard(.wake)
            look(machine.woken(), &tasks)
        case .networkReturned:
            outbox.bell.heard(.networkReturned)
            endNetworkWaits()
            look(machine.woken(), &tasks)
        case .timerFired(let generation):
            if generation == timerGeneration { look(machine.woken(), &tasks) }
        case .attemptFinished(let id, let outcome):
            guard !isStopping || outcome.isFinal else {
                abandoned += 1
                return
            }
            let lane = machine.flights.first { $0.envelope.id == id }?.envelope.orderingKey
            let settle = machine.attemptFinished(
                id, outcome, now: clock.now, jitter: outbox.clock.jitter(),
                lanePolicy: lane.map(outbox.lanePolicy) ?? .skipAndPark)
            self.settle(settle, &tasks)
        case .settle(let settle):
            self.settle(settle, &tasks)
        case .stop:
            isStopping = true
            machine.stopped()
            tasks.cancelAll()
        }
    }

    // MARK: Loading

    private mutating func look(_ load: DeliveryMachine.Load?, _ tasks: inout DiscardingTaskGroup) {
        var next = load
        while let load = next {
            next = nil
            do {
                let (operations, nextEligibleAt) = try read(load)
                let start = machine.loaded(
                    operations.map(\.envelope), nextEligibleAt: nextEligibleAt, now: clock.now)
                somethingIsScheduled = nextEligibleAt != nil
                for envelope in start.attempts {
                    guard let ready = operations.first(where: { $0.envelope.id == envelope.id })
                    else { continue }
                    attempt(ready, &tasks)
                }
                arm(start.timer)
                next = start.load
            } catch {
                outbox.log(OutboxEvent(.queueNotRead, reason: reasonCode(for: error)))
                somethingIsScheduled = true
                arm(machine.loadFailed(jitter: outbox.clock.jitter()))
            }
        }
    }

    private typealias Ready = (envelope: Envelope, operation: OutboxOperation)

    /// Reads until it has what was asked for: unreadable entries are quarantined and read past.
    private func read(_ load: DeliveryMachine.Load) throws -> ([Ready], WallTime?) {
        while true {
            let now = clock.now
            let limit = load.limit + machine.flights.count
            let eligible = try outbox.storage.eligible(at: now, limit: limit)
            var ready: [Ready] = []
            var unreadable = 0
            for entry in eligible.entries {
                // The machine would pass it over; it is not worth opening.
                if let id = entry.operationID, machine.isInFlight(id) { continue }
                do {
                    ready.append(try outbox.read(entry))
                } catch let error as UnreadableRecord {
                    try outbox.storage.quarantine(
                        entry.id, reason: error.reason, as: underLanePolicy(entry))
                    outbox.log(OutboxEvent(.quarantined(error.reason)))
                    unreadable += 1
                }
            }
            if unreadable == 0 { return (ready, eligible.nextEligibleAt) }
        }
    }

    /// The envelope under which an entry is quarantined; `nil` for the bytes that are there.
    private func underLanePolicy(_ entry: StoredEntry) -> Envelope? {
        guard let envelope = try? Envelope(decoding: entry.envelope),
            envelope.id == entry.operationID, let lane = envelope.orderingKey
        else { return nil }
        let parked = envelope.parked(outbox.lanePolicy(lane))
        return parked == envelope ? nil : parked
    }

    /// Replaces the one timer.
    private mutating func arm(_ wait: Milliseconds?) {
        timer?.cancel()
        timer = nil
        timerGeneration += 1
        guard let wait else { return }
        let (generation, clock, send) = (timerGeneration, outbox.clock, send)
        timer = Task {
            await clock.sleep(wait)
            send.yield(.timerFired(generation: generation))
        }
    }

    // MARK: Attempts

    private func attempt(_ ready: Ready, _ tasks: inout DiscardingTaskGroup) {
        let operation = ready.operation
        outbox.log(
            OutboxEvent(.attempting(number: operation.attemptCount + 1), ready.envelope))
        guard let handler = handlers[operation.kind] else {
            send.yield(.attemptFinished(operation.id, .park(.noHandler)))
            return
        }
        let send = send
        tasks.addTask {
            send.yield(.attemptFinished(operation.id, await handler(operation)))
        }
    }

    private mutating func settle(
        _ settle: DeliveryMachine.Settle, _ tasks: inout DiscardingTaskGroup
    ) {
        if settle.delay.count > 0, !isStopping {
            let (clock, send) = (outbox.clock, send)
            tasks.addTask {
                await clock.sleep(settle.delay)
                send.yield(.settle(settle.due))
            }
            return
        }
        let envelope = machine.flights.first { $0.envelope.id == settle.id }?.envelope
        do {
            try outbox.storage.store(settle.transition, for: settle.id)
            log(settle.transition, envelope)
            look(machine.transitionStored(settle.id), &tasks)
        } catch {
            outbox.log(OutboxEvent(.outcomeNotStored, envelope, reason: reasonCode(for: error)))
            let again = machine.transitionFailed(settle.id, jitter: outbox.clock.jitter())
            if isStopping {
                _ = machine.transitionStored(settle.id)
            } else {
                self.settle(again, &tasks)
            }
        }
    }

    private func log(_ transition: DeliveryMachine.Transition, _ envelope: Envelope?) {
        switch transition {
        case .remove:
            outbox.log(OutboxEvent(.delivered, envelope))
        case .reschedule(let next):
            let wait = next.nextEligibleAt.since(clock.now)
            outbox.log(OutboxEvent(.waiting(next.waitCause, wait), next, reason: next.lastError))
        case .park(let next):
            outbox.log(OutboxEvent(.parked, next, reason: next.lastError))
        }
    }

    // MARK: Waits

    private func endNetworkWaits() {
        do {
            try outbox.storage.endWaits(for: .network)
        } catch {
            outbox.log(OutboxEvent(.queueNotRead, reason: reasonCode(for: error)))
        }
    }

    /// Puts right what an earlier process left behind: waits written under another wall clock, and
    /// operations that were parked for want of a handler that is here now.
    private func recoverWaits() {
        do {
            try outbox.clampWaits(now: clock.now)
            try outbox.requeueParked(reason: .noHandler, of: Set(handlers.keys))
        } catch {
            outbox.log(OutboxEvent(.queueNotRead, reason: reasonCode(for: error)))
        }
    }
}

extension DeliveryMachine.Outcome {
    fileprivate var isFinal: Bool {
        switch self {
        case .done, .park: true
        case .retry, .retryOnNetwork, .retryAfter: false
        }
    }
}

/// The type of a failure of storage or key store, fit for a log.
private func reasonCode(for error: any Error) -> ReasonCode {
    switch error {
    case let error as StorageError:
        switch error {
        case .diskFull: "storage.disk-full"
        case .readOnly: "storage.read-only"
        case .cannotOpen: "storage.cannot-open"
        case .corrupt: "storage.corrupt"
        case .busy: "storage.busy"
        case .duplicate: "storage.duplicate"
        case .failed(let code): ReasonCode(utf8: Array("storage.\(code)".utf8))
        }
    case let error as KeyStoreError:
        switch error {
        case .missing: "key.missing"
        case .unreadable: "key.unreadable"
        case .withheld: "key.withheld"
        case .permissionsTooWide: "key.permissions"
        case .malformed: "key.malformed"
        case .cannotCreate: "key.cannot-create"
        }
    default: "storage.unknown"
    }
}
