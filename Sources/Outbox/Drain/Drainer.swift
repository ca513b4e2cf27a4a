import OutboxCore

/// Runs a ``DeliveryMachine`` over a storage. One loop takes the events, in their order, so that no
/// two decisions interleave; handlers and timers run beside the loop and only send events.
///
/// The loop takes all events that have come: it stores their outcomes together, and looks at the
/// queue once for all slots that they free. The machine, ``DrainCourse`` and ``EntriesLeftAlone``
/// make the decisions.
struct Drainer<Storage: OutboxStorage>: Sendable {
    private struct Ready {
        let entry: EntryID
        let envelope: Envelope
        let operation: OutboxOperation
    }

    private let outbox: Outbox<Storage>
    private let handlers: [OperationKind: OperationHandler]
    private let end: DrainEnd
    private let events: DrainEvents
    private let clock: AnchoredClock
    private var machine: DeliveryMachine
    private var course = DrainCourse()
    private var leftAlone = EntriesLeftAlone()
    /// The entry of each operation in flight.
    private var entries: [OperationID: EntryID] = [:]
    private var timer: Task<Void, Never>?
    private var timerNumber = 0
    private var isStorageClosed = false

    init(
        outbox: Outbox<Storage>,
        handlers: [OperationKind: OperationHandler],
        end: DrainEnd,
        events: DrainEvents
    ) {
        self.outbox = outbox
        self.handlers = handlers
        self.end = end
        self.events = events
        clock = AnchoredClock(outbox.clock)
        machine = DeliveryMachine(
            policy: outbox.policy,
            maximumInFlight: outbox.maximumInFlight
        )
    }

    /// Ends as ``DrainEnd`` says. Cancellation arrives as an event like any other: a loop that was
    /// itself cancelled would not receive the outcomes of its last attempts.
    ///
    /// - Throws: ``StorageError/closed``.
    func run() async throws(StorageError) {
        let events = events
        let loop = Task {
            var drainer = self
            await withDiscardingTaskGroup { tasks in
                await drainer.loop(&tasks)
                tasks.cancelAll()
            }
            drainer.timer?.cancel()
            await drainer.timer?.value
            return drainer.isStorageClosed
        }
        let isStorageClosed = await withTaskCancellationHandler {
            await loop.value
        } onCancel: {
            events.send(.stop)
        }
        if isStorageClosed { throw .closed }
    }

    private mutating func loop(_ tasks: inout DiscardingTaskGroup) async {
        outbox.logNoticedDamage()
        outbox.recoverWaits(now: clock.now, handled: Set(handlers.keys))
        look(machine.woken(), &tasks)
        // Beside the first attempts.
        tasks.addTask { [outbox] in outbox.checkEntries() }
        var turns = 0
        while !course.isFinished(machine, end) {
            // If no handler waits, the loop does not wait either, and keeps the thread from other
            // tasks.
            turns += 1
            if turns % 32 == 0 { await Task.yield() }
            handle(await events.takeAll(), &tasks)
        }
    }

    private mutating func handle(_ events: [DrainEvent], _ tasks: inout DiscardingTaskGroup) {
        var ended: [OperationID] = []
        var isWoken = false
        for event in events {
            switch event {
            case .wake:
                isWoken = true
            case .networkReturned:
                // Also ends the wait of an attempt that failed before the network returned.
                settle(&ended, &tasks)
                outbox.endWaits(for: .network, now: clock.now)
                isWoken = true
            case .allowed(let allowance, let id):
                machine.allowed(allowance, after: id, now: clock.now)
            case .timerFired(let number):
                if number == timerNumber { isWoken = true }
            case .attemptFinished(let id, let outcome):
                if finished(id, outcome) { ended.append(id) }
            case .outcomeDue(let id):
                ended.append(id)
            case .stop:
                machine.stopped()
                settle(&ended, &tasks)
                stop(&tasks)
            }
        }
        let hasLooked = settle(&ended, &tasks)
        if isWoken, !hasLooked { look(machine.woken(), &tasks) }
    }

    private mutating func stop(_ tasks: inout DiscardingTaskGroup) {
        machine.stopped()
        course.stopped()
        tasks.cancelAll()
    }

    /// Stops the drain if `error` says that the storage is closed: a retry cannot succeed.
    private mutating func stopIfClosed(_ error: any Error, _ tasks: inout DiscardingTaskGroup) {
        guard case StorageError.closed = error else { return }
        isStorageClosed = true
        stop(&tasks)
    }

    /// Replaces the drain's only timer.
    private mutating func arm(_ wait: Milliseconds?) {
        timer?.cancel()
        timer = nil
        timerNumber += 1
        guard let wait else { return }
        let (number, clock, events) = (timerNumber, outbox.clock, events)
        timer = Task {
            await clock.sleep(wait)
            events.send(.timerFired(number: number))
        }
    }

    // MARK: Looking at the queue

    private mutating func look(
        _ load: DeliveryMachine.Load?,
        _ tasks: inout DiscardingTaskGroup
    ) {
        var next = load
        while let load = next {
            next = nil
            do {
                let (operations, nextEligibleAt) = try read(load)
                let start = machine.loaded(
                    operations.map(\.envelope),
                    nextEligibleAt: nextEligibleAt,
                    now: clock.now
                )
                course.looked(isScheduled: nextEligibleAt != nil || start.timer != nil)
                for envelope in start.attempts {
                    guard let ready = operations.first(where: { $0.envelope.id == envelope.id })
                    else { continue }
                    attempt(ready, &tasks)
                }
                arm(start.timer)
                next = start.load
            } catch {
                outbox.log(OutboxEvent(.queueNotRead, reason: ReasonCode(failure: error)))
                course.looked(isScheduled: true)
                arm(machine.loadFailed(jitter: outbox.clock.jitter()))
                stopIfClosed(error, &tasks)
            }
        }
    }

    /// Reads as many operations as `load` asks for. Quarantines unreadable entries, and skips
    /// entries that are left alone.
    private mutating func read(_ load: DeliveryMachine.Load) throws -> ([Ready], WallTime?) {
        var quarantined: Set<HandedOut> = []
        while true {
            let now = clock.now
            let known = quarantined.count + leftAlone.count
            // A look-up may hand out one entry of each lane in flight, and each entry that is left
            // alone. None of these entries takes a slot.
            let limit = load.limit + machine.flights.count + leftAlone.count
            let eligible = try outbox.storage.eligible(at: now, limit: limit)
            var ready: [Ready] = []
            for entry in eligible.entries {
                // The machine would skip this entry: opening it is not needed.
                if let id = entry.operationID, machine.isInFlight(id) { continue }
                if leaves(entry.handedOut) { continue }
                do {
                    let (envelope, operation) = try outbox.read(entry)
                    ready.append(Ready(entry: entry.id, envelope: envelope, operation: operation))
                } catch let error as UnreadableRecord {
                    try quarantine(
                        entry,
                        error.reason,
                        isAgain: quarantined.contains(entry.handedOut)
                    )
                    quarantined.insert(entry.handedOut)
                }
            }
            guard known == quarantined.count + leftAlone.count else { continue }
            if eligible.entries.count < limit { leftAlone.sawAllEligible() }
            return (ready, eligible.nextEligibleAt)
        }
    }

    private mutating func leaves(_ handedOut: HandedOut) -> Bool {
        switch leftAlone.decision(about: handedOut) {
        case .attempt:
            return false
        case .leave:
            return true
        case .beginToLeave:
            _ = leave(handedOut, StorageError.corrupt)
            return true
        }
    }

    /// Leaves an entry alone until the drain ends.
    ///
    /// - Returns: `false` when too many entries are left alone already.
    private mutating func leave(
        _ handedOut: HandedOut,
        kind: OperationKind? = nil,
        _ error: any Error
    ) -> Bool {
        guard leftAlone.leave(handedOut) else { return false }
        outbox.log(
            OutboxEvent(
                .leftAlone,
                id: handedOut.operation,
                kind: kind,
                reason: ReasonCode(failure: error)
            )
        )
        return true
    }

    /// - Parameter isAgain: Whether the entry was quarantined just before, and handed out
    ///   nevertheless.
    private mutating func quarantine(
        _ entry: StoredEntry,
        _ reason: QuarantineReason,
        isAgain: Bool
    ) throws {
        do {
            guard !isAgain else { throw StorageError.corrupt }
            try outbox.storage.quarantine(
                entry.id,
                reason: reason,
                as: outbox.underLanePolicy(entry)
            )
            outbox.log(OutboxEvent(.quarantined(reason), entry))
        } catch StorageError.corrupt {
            guard leave(entry.handedOut, StorageError.corrupt) else {
                throw StorageError.corrupt
            }
        }
    }

    // MARK: Attempts

    private mutating func attempt(_ ready: Ready, _ tasks: inout DiscardingTaskGroup) {
        let (operation, events) = (ready.operation, events)
        entries[operation.id] = ready.entry
        outbox.log(OutboxEvent(.attempting(number: operation.attemptCount + 1), ready.envelope))
        guard let handler = handlers[operation.kind] else {
            events.send(.attemptFinished(operation.id, .park(.noHandler)))
            return
        }
        start(&tasks) {
            events.send(.attemptFinished(operation.id, await handler(operation)))
        }
    }

    /// Runs a handler beside all others: on this thread until the handler first waits, which saves
    /// waking another thread. ``DrainCourse`` says when a handler begins on a thread of its own.
    private mutating func start(
        _ tasks: inout DiscardingTaskGroup,
        _ run: sending @escaping () async -> Void
    ) {
        guard #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *),
            !course.beginsApart()
        else {
            tasks.addTask(operation: run)
            return
        }
        let begun = outbox.clock.monotonic()
        tasks.addImmediateTask(operation: run)
        course.held(Milliseconds(outbox.clock.monotonic().count - begun.count))
    }

    /// - Returns: Whether the outcome is to be stored; `false` for an attempt that was cut short.
    private mutating func finished(
        _ id: OperationID,
        _ outcome: DeliveryMachine.Outcome
    ) -> Bool {
        guard course.counts(outcome) else { return false }
        let lane = machine.flight(of: id)?.envelope.orderingKey
        _ = machine.attemptFinished(
            id,
            outcome,
            now: clock.now,
            // A final outcome does not wait, and random bits cost a call of the system.
            jitter: outcome.isFinal ? 0 : outbox.clock.jitter(),
            lanePolicy: lane.map(outbox.lanePolicy) ?? .skipAndPark
        )
        return true
    }

    // MARK: Settling

    /// The outcome of an attempt, on its way into the storage.
    private struct Ended {
        let envelope: Envelope
        let settlement: Settlement

        var handedOut: HandedOut {
            HandedOut(entry: settlement.entry, operation: settlement.id)
        }
    }

    /// Stores the outcomes of these operations together, empties the list, and looks at the queue
    /// once for all slots that they free.
    ///
    /// - Returns: Whether it has looked at the queue.
    @discardableResult
    private mutating func settle(
        _ ids: inout [OperationID],
        _ tasks: inout DiscardingTaskGroup
    ) -> Bool {
        guard !ids.isEmpty else { return false }
        let settled = store(ids.map(ended), &tasks)
        ids = []
        for id in settled { entries[id] = nil }
        guard !settled.isEmpty, let load = machine.transitionsStored(settled) else { return false }
        look(load, &tasks)
        return true
    }

    private func ended(_ id: OperationID) -> Ended {
        guard let flight = machine.flight(of: id), case .settling(let transition) = flight.phase,
            let entry = entries[id]
        else { preconditionFailure("an outcome of an operation that was not attempted") }
        return Ended(
            envelope: flight.envelope,
            settlement: Settlement(entry: entry, id: id, transition: transition)
        )
    }

    /// Stores outcomes together or, if that fails, each alone, so that only the outcome at fault is
    /// held back.
    ///
    /// - Returns: The operations whose outcomes are stored, or never will be.
    private mutating func store(
        _ outcomes: [Ended],
        _ tasks: inout DiscardingTaskGroup
    ) -> [OperationID] {
        do {
            let gone = try outbox.storage.settle(outcomes.map(\.settlement))
            for outcome in outcomes {
                log(outcome)
                if gone.contains(outcome.settlement.entry) {
                    leftAlone.wasNotFound(outcome.handedOut)
                }
            }
            return outcomes.map(\.settlement.id)
        } catch {
            guard outcomes.count == 1 else {
                var stored: [OperationID] = []
                for outcome in outcomes { stored += store([outcome], &tasks) }
                return stored
            }
            let outcome = outcomes[0]
            stopIfClosed(error, &tasks)
            if case StorageError.corrupt = error,
                leave(outcome.handedOut, kind: outcome.envelope.kind, error)
            {
                return [outcome.settlement.id]
            }
            return holdBack(outcome, error, &tasks) ? [] : [outcome.settlement.id]
        }
    }

    /// Keeps the operation's slot taken until its outcome is stored, or the drain ends.
    ///
    /// - Returns: `false` when the drain is stopping, and does not store the outcome again.
    private mutating func holdBack(
        _ outcome: Ended,
        _ error: any Error,
        _ tasks: inout DiscardingTaskGroup
    ) -> Bool {
        outbox.log(
            OutboxEvent(.outcomeNotStored, outcome.envelope, reason: ReasonCode(failure: error))
        )
        guard !course.isStopping else { return false }
        let id = outcome.settlement.id
        let wait = machine.transitionFailed(id, jitter: outbox.clock.jitter())
        let (clock, events) = (outbox.clock, events)
        tasks.addTask {
            await clock.sleep(wait)
            events.send(.outcomeDue(id))
        }
        return true
    }

    private func log(_ outcome: Ended) {
        switch outcome.settlement.transition {
        case .remove:
            outbox.log(OutboxEvent(.delivered, outcome.envelope))
        case .reschedule(let next):
            let wait = next.nextEligibleAt.since(clock.now)
            outbox.log(OutboxEvent(.waiting(next.waitCause, wait), next, reason: next.lastError))
        case .park(let next):
            outbox.log(OutboxEvent(.parked, next, reason: next.lastError))
        }
    }
}

extension StoredEntry {
    fileprivate var handedOut: HandedOut { HandedOut(entry: id, operation: operationID) }
}
