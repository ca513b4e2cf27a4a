import OutboxCore

/// Runs a ``/OutboxCore/DrainMachine`` over a storage. The machine makes the decisions: this type
/// keeps the tasks and the timer, calls the storage, and logs.
///
/// One loop takes the events, in their order, so that no two decisions interleave; handlers and
/// timers run beside the loop and only send events. The loop tells all events that have come before
/// it performs the machine's answer.
struct Drainer<Storage: OutboxStorage>: Sendable {
    private let outbox: Outbox<Storage>
    private let handlers: [OperationKind: OperationHandler]
    private let events: DrainEvents
    private let clock: AnchoredClock
    private var machine: DrainMachine
    private var timer: Task<Void, Never>?
    /// The readable and the unreadable entries of the last look-up.
    private var operations: [OutboxOperation] = []
    private var unreadable: [(entry: StoredEntry, reason: QuarantineReason)] = []
    /// The end of the last step of ended waits.
    private var lastWait: WaitPosition?
    private var isEnded = false
    private var isStorageClosed = false

    init(
        outbox: Outbox<Storage>,
        handlers: [OperationKind: OperationHandler],
        end: DrainEnd,
        events: DrainEvents
    ) {
        self.outbox = outbox
        self.handlers = handlers
        self.events = events
        clock = AnchoredClock(outbox.clock)
        machine = DrainMachine(
            policy: outbox.policy,
            window: outbox.window,
            end == .idle ? .untilIdle : .untilStopped
        )
    }

    /// Ends as ``DrainEnd`` says. Cancellation arrives as an event like any other: a loop that was
    /// itself cancelled would not receive the outcomes of its last attempts.
    ///
    /// - Throws: ``StorageError/closed``.
    func run() async throws(StorageError) {
        let events = events
        let loop = Task(executorPreference: outbox.drainExecutor) {
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
        machine.woken()
        act(&tasks)
        // Beside the first attempts.
        tasks.addTask { [outbox] in outbox.checkEntries() }
        var hold = Hold(begun: outbox.clock.monotonic())
        while !isEnded {
            // While events come, the loop does not wait, and keeps its thread from the handlers.
            hold.turns += 1
            if hold.isOver(at: outbox.clock.monotonic()) {
                await Task.yield()
                hold = Hold(begun: outbox.clock.monotonic())
            }
            for event in await events.takeAll() { tell(event) }
            act(&tasks)
        }
    }

    private mutating func tell(_ event: DrainEvent) {
        switch event {
        case .wake: machine.woken()
        case .networkReturned: machine.networkReturned()
        case .waitsEnded(let isLast): machine.waitsEnded(isLast: isLast)
        case .allowed(let allowance, let id): machine.allowed(allowance, after: id, now: clock.now)
        case .timerFired(let number): machine.timerFired(number: number)
        case .outcomeDue(let id): machine.outcomeDue(id)
        case .stop: machine.stopped()
        case .attemptFinished(let id, let outcome):
            machine.attemptEnded(
                id,
                outcome,
                now: clock.now,
                jitter: outbox.clock.jitter,
                lanePolicy: outbox.lanePolicy
            )
        }
    }

    /// Performs effects until the machine waits for an event.
    private mutating func act(_ tasks: inout DiscardingTaskGroup) {
        var effects = machine.answer()
        while !effects.isEmpty {
            for effect in effects { perform(effect, &tasks) }
            effects = machine.answer()
        }
        // No payload stays open in memory while the drain waits.
        operations.removeAll(keepingCapacity: true)
        unreadable.removeAll()
    }

    private mutating func perform(
        _ effect: DrainMachine.Effect,
        _ tasks: inout DiscardingTaskGroup
    ) {
        switch effect {
        case .look(let limit): look(limit)
        case .quarantine(let handedOut): quarantine(handedOut)
        case .attempt(let envelope): attempt(envelope, &tasks)
        // Only a stop cuts attempts.
        case .cancelAttempts: tasks.cancelAll()
        case .store(let settlements): store(settlements)
        case .endWaits(let isFirst): endWaits(isFirst: isFirst)
        case .wait(let wait, let number): arm(wait, number)
        case .holdBack(let id, let wait):
            tasks.addTask { [clock = outbox.clock, events] in
                await clock.sleep(wait)
                events.send(.outcomeDue(id))
            }
        // The drain has its role from its beginning to its end, and no storage of this process has
        // leases.
        case .claim, .rest, .waitForLease: break
        case .end(let isStorageClosed):
            isEnded = true
            self.isStorageClosed = isStorageClosed
        case .tell(let occurrence): outbox.log(OutboxEvent(occurrence, now: clock.now))
        }
    }

    // MARK: Time

    /// Replaces the drain's only timer.
    private mutating func arm(_ wait: Milliseconds?, _ number: Int) {
        timer?.cancel()
        timer = nil
        guard let wait else { return }
        timer = Task { [clock = outbox.clock, events] in
            await clock.sleep(wait)
            events.send(.timerFired(number: number))
        }
    }

    // MARK: The storage

    private mutating func look(_ limit: Int) {
        operations.removeAll(keepingCapacity: true)
        unreadable.removeAll()
        do {
            let now = clock.now
            let eligible = try outbox.storage.eligible(
                at: now,
                limit: limit,
                withoutRecordsOf: Set(machine.flights.map(\.envelope.id))
            )
            var found: [DrainMachine.Found] = []
            found.reserveCapacity(eligible.entries.count)
            for entry in eligible.entries {
                found.append(DrainMachine.Found(entry.handedOut, try content(of: entry, now)))
            }
            machine.looked(
                found,
                nextEligibleAt: eligible.nextEligibleAt,
                now: clock.now,
                jitter: outbox.clock.jitter,
                lanePolicy: outbox.lanePolicy
            )
        } catch {
            machine.lookFailed(failure(error), jitter: outbox.clock.jitter)
        }
    }

    private mutating func content(
        of entry: StoredEntry,
        _ now: WallTime
    ) throws -> DrainMachine.Found.Content {
        guard !machine.passesOver(entry.handedOut, now: now) else { return .passedOver }
        do {
            let (envelope, operation) = try outbox.read(entry)
            operations.append(operation)
            return .readable(envelope)
        } catch let error as UnreadableRecord {
            if error.reason == .unknownKey, let envelope = try? Envelope(decoding: entry.envelope) {
                return .locked(envelope)
            }
            unreadable.append((entry, error.reason))
            return .unreadable
        }
    }

    private mutating func quarantine(_ handedOut: DrainMachine.HandedOut) {
        guard let (entry, reason) = unreadable.first(where: { $0.entry.handedOut == handedOut })
        else { preconditionFailure("a quarantine of an entry that was not handed out") }
        do {
            try outbox.storage.quarantine(
                entry.id,
                reason: reason,
                as: outbox.underLanePolicy(entry)
            )
            outbox.log(OutboxEvent(.quarantined(reason), entry))
            machine.quarantined()
        } catch {
            machine.quarantineFailed(failure(error), jitter: outbox.clock.jitter)
        }
    }

    private mutating func store(_ settlements: [Settlement]) {
        do {
            let unsettled = try outbox.storage.settle(settlements)
            machine.stored(except: unsettled, now: clock.now, jitter: outbox.clock.jitter)
        } catch {
            machine.notStored(failure(error), jitter: outbox.clock.jitter)
        }
    }

    /// The failure to tell of a call of the storage. That the storage is closed is an event before it.
    private mutating func failure(_ error: any Error) -> DrainMachine.Failure {
        if case StorageError.closed = error { machine.storageClosed() }
        return DrainMachine.Failure(error)
    }

    /// Tells the end as an event, so that the events of attempts have their turn between two steps.
    private mutating func endWaits(isFirst: Bool) {
        lastWait = outbox.endWaits(for: .network, after: isFirst ? nil : lastWait, now: clock.now)
        events.send(.waitsEnded(isLast: lastWait == nil))
    }

    // MARK: Attempts

    private mutating func attempt(_ envelope: Envelope, _ tasks: inout DiscardingTaskGroup) {
        guard let operation = operations.first(where: { $0.id == envelope.id }) else {
            preconditionFailure("an attempt of an operation that was not handed out")
        }
        outbox.log(OutboxEvent(.attempting(number: operation.attemptCount + 1), envelope))
        let handler = handlers[operation.kind] ?? { _ in .park(.noHandler) }
        let events = events
        start(&tasks) {
            events.send(.attemptFinished(operation.id, await handler(operation)))
        }
    }

    /// Runs a handler beside all others: on this thread until the handler first waits, which saves
    /// waking another thread, unless the machine says that it begins on a thread of its own.
    private mutating func start(
        _ tasks: inout DiscardingTaskGroup,
        _ run: sending @escaping () async -> Void
    ) {
        guard #available(macOS 26, iOS 26, watchOS 26, tvOS 26, visionOS 26, *),
            !machine.beginsApart()
        else {
            tasks.addTask(operation: run)
            return
        }
        let begun = outbox.clock.monotonic()
        tasks.addImmediateTask(operation: run)
        machine.held(Milliseconds(outbox.clock.monotonic().count - begun.count))
    }
}

/// How long a drain's loop has kept its thread from the handlers.
private struct Hold {
    private static let mostTurns = 32
    /// A call of the storage may take longer: the hold is over behind this call.
    private static let longest = Milliseconds(5)

    let begun: Milliseconds
    var turns = 0

    init(begun: Milliseconds) { self.begun = begun }

    func isOver(at now: Milliseconds) -> Bool {
        turns >= Self.mostTurns || now.count - begun.count >= Self.longest.count
    }
}

extension StoredEntry {
    fileprivate var handedOut: DrainMachine.HandedOut {
        DrainMachine.HandedOut(entry: id, operation: operationID)
    }
}
