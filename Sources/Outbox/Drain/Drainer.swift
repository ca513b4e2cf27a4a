import OutboxCore

/// Runs a ``DeliveryMachine`` over a storage. One loop takes the events, in their order, so that no
/// two decisions interleave; handlers and timers run beside it and only send events.
///
/// What has come meanwhile is taken at once: outcomes are stored together, and the queue is looked
/// at once for all places that they leave.
struct Drainer<Storage: OutboxStorage>: Sendable {
    let outbox: Outbox<Storage>
    let handlers: [OperationKind: OperationHandler]
    let end: DrainEnd
    let clock: AnchoredClock
    let inbox = DrainInbox()
    var machine: DeliveryMachine
    var timer: Task<Void, Never>?
    var timerGeneration = 0
    var isStopping = false
    var somethingIsScheduled = false
    /// Attempts that a stop cut short; their flights stay.
    var abandoned = 0
    /// What is left alone until the drain ends.
    var passedOver: Set<HandedOut> = []
    /// What was gone when its outcome was stored, until a look-up has seen that it is.
    var notFound: Set<HandedOut> = []
    /// How many attempts are to begin on threads of their own, because one held this one up.
    var startsApart = 0

    init(
        outbox: Outbox<Storage>,
        handlers: [OperationKind: OperationHandler],
        end: DrainEnd
    ) {
        self.outbox = outbox
        self.handlers = handlers
        self.end = end
        clock = AnchoredClock(outbox.clock)
        machine = DeliveryMachine(
            policy: outbox.policy,
            maximumInFlight: outbox.maximumInFlight
        )
    }

    /// Ends as ``DrainEnd`` says. Cancellation arrives as an event like any other: a loop that was
    /// itself cancelled would no longer hear what its last attempts came to.
    func run() async {
        let inbox = inbox
        outbox.bell.listen { ring in
            switch ring {
            case .wake: inbox.put(.wake)
            case .networkReturned: inbox.put(.networkReturned)
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
            inbox.put(.stop)
        }
        outbox.bell.listen(nil)
    }

    private mutating func loop(_ tasks: inout DiscardingTaskGroup) async {
        outbox.logNoticedDamage()
        recoverWaits()
        look(machine.woken(), &tasks)
        // Beside the first attempts.
        tasks.addTask { [outbox] in outbox.checkEntries() }
        var turns = 0
        while !isFinished {
            // Where handlers wait for nothing the loop does not wait either, and others want to run.
            turns += 1
            if turns % 32 == 0 { await Task.yield() }
            handle(await inbox.takeAll(), &tasks)
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

    private mutating func handle(_ events: [DrainEvent], _ tasks: inout DiscardingTaskGroup) {
        var outcomes: [DrainEvent.Settling] = []
        var isWoken = false
        for event in events {
            switch event {
            case .wake:
                outbox.bell.heard(.wake)
                isWoken = true
            case .networkReturned:
                // Also what waits for the network since an attempt that ended before.
                settle(&outcomes, &tasks)
                outbox.bell.heard(.networkReturned)
                endNetworkWaits()
                isWoken = true
            case .timerFired(let generation):
                if generation == timerGeneration { isWoken = true }
            case .attemptFinished(let attempt, let outcome):
                if let settling = finished(attempt, outcome) { outcomes.append(settling) }
            case .settle(let settling):
                outcomes.append(settling)
            case .stop:
                machine.stopped()
                settle(&outcomes, &tasks)
                isStopping = true
                tasks.cancelAll()
            }
        }
        let hasLooked = settle(&outcomes, &tasks)
        if isWoken, !hasLooked { look(machine.woken(), &tasks) }
    }

    /// - Returns: `nil` for an attempt that was cut short.
    private mutating func finished(
        _ attempt: DrainEvent.Attempt,
        _ outcome: DeliveryMachine.Outcome
    ) -> DrainEvent.Settling? {
        guard !isStopping || outcome.isFinal else {
            abandoned += 1
            return nil
        }
        let lane = attempt.envelope.orderingKey
        let settle = machine.attemptFinished(
            attempt.envelope.id,
            outcome,
            now: clock.now,
            // What does not wait needs none, and random bits cost a call of the system.
            jitter: outcome.isFinal ? 0 : outbox.clock.jitter(),
            lanePolicy: lane.map(outbox.lanePolicy) ?? .skipAndPark
        )
        return DrainEvent.Settling(attempt: attempt, settle: settle)
    }

    // MARK: Waits

    private func endNetworkWaits() {
        do {
            try outbox.storage.endWaits(for: .network)
        } catch {
            outbox.log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
        }
    }

    /// Puts right what an earlier process left behind: waits written under another wall clock, and
    /// operations that were parked for want of a handler that is here now.
    private func recoverWaits() {
        do {
            try outbox.clampWaits(now: clock.now)
            try outbox.requeueParked(reason: .noHandler, of: Set(handlers.keys))
        } catch {
            outbox.log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
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
