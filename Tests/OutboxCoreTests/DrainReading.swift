import OutboxCore

/// A drain, its storage and its handlers, and a second reading of the machine's invariants, from the
/// effects alone: ``violation`` names the first one that is broken.
struct DrainReading: Hashable {
    typealias Step = DrainMachineExhaustiveTests.Step

    private struct Operation: Hashable {
        let envelope: Envelope
        var isQueued = true
        var isUnreadable = false
        var isLocked = false
        var isAnothers = false
        var isDelivered = false
        /// A storage that did not take an outcome may have the operation attempted again.
        var mayRepeat = false
        /// The storage said that the entry is gone, and no look-up of all has confirmed it.
        var isGone = false
        /// Whether the damaged storage hands the entry out although it is gone.
        var isHandedOutStill = false
        var isLeftAlone = false
        var pausesUntil: WallTime?
        var wasQuarantined = false
        var mustBeCut = false
        /// The moment at which its lease ends.
        var leasedUntil: WallTime?
        var flight = Flight.none

        var isOffered: Bool { (isQueued && !isAnothers) || isHandedOutStill }
    }

    private enum Flight: Hashable {
        case none, attempting, cut
        case toStore(DeliveryMachine.Outcome)
        case storing(DeliveryMachine.Outcome)
        case heldBack(DeliveryMachine.Outcome)

        var isUnderWay: Bool { self == .attempting || self == .cut }
    }

    private enum Role: Hashable {
        case none, claimed, held
    }

    private struct Timer: Hashable {
        let number: Int
        let moment: WallTime
    }

    private(set) var violation: String?
    private var machine: DrainMachine
    private let term: DrainMachine.Term
    private var role: Role
    /// Whether the drain was woken since its last look-up began.
    private var isWoken = true
    private var wasRefused = false
    private var operations: [Operation]
    private var now = DeliveryMachineTests.now
    /// The answer to a look-up under way, as it was when the look-up began.
    private var looking: [Int]?
    private var limit = 0
    /// Whether the storage found an entry gone since the look-up began.
    private var isLookOld = false
    private var quarantining: Int?
    /// What a store under way is to store, and what is to be stored alone after it.
    private var storing: [Int] = []
    private var alone: [Int] = []
    /// Ended attempts in the order of their ends.
    private var due: [Int] = []
    private var hasNetworkReturned = false
    private var isEndingWaits = false
    /// Whether the storage has waits left that the network's return ends, and whether a look-up came
    /// since its last step.
    private var areWaitsLeft = false
    private var hasLookedSinceStep = false
    private var timer: Timer?
    private var timers = 0
    private var isStopped = false
    private var isClosed = false
    private var isEnded = false
    private var sawNothing = false
    private var wakesSeen = 0

    init(
        lanes: [OrderingKey?],
        unreadable: Set<Int> = [],
        locked: Set<Int> = [],
        _ term: DrainMachine.Term
    ) {
        self.term = term
        role = term == .inTurns ? .none : .held
        machine = DrainMachine(policy: .device, window: AttemptWindow(2), term)
        operations = lanes.enumerated().map { number, lane in
            Operation(
                envelope: Envelope(
                    id: OperationID(high: 0, low: UInt64(number)),
                    kind: "k",
                    createdAt: DeliveryMachineTests.now,
                    orderingKey: lane
                ),
                isUnreadable: unreadable.contains(number),
                isLocked: locked.contains(number)
            )
        }
    }

    mutating func begin() {
        machine.woken()
        readAnswer()
    }

    // MARK: Events

    /// Takes a step, and reads the machine's answer.
    ///
    /// - Returns: Whether the step was possible.
    mutating func take(_ step: Step) -> Bool {
        guard !isEnded, tell(step) else { return false }
        readAnswer()
        return true
    }

    private mutating func tell(_ step: Step) -> Bool {
        switch step {
        case .wake:
            // One more wake-up than before changes nothing that is not walked already.
            guard wakesSeen == 0 else { return false }
            wakesSeen += 1
            isWoken = true
            machine.woken()
        case .changes:
            guard term == .inTurns else { return false }
            let before = machine
            machine.changed()
            require(role != .none || machine == before, "a change wakes a drain at rest (14)")
        case .claimEnds(let isDrainer):
            guard role == .claimed else { return false }
            role = isDrainer ? .held : .none
            if !isDrainer { isWoken = false }
            wasRefused = !isDrainer
            machine.claimed(isDrainer)
        case .networkReturns:
            guard !hasNetworkReturned, !isEndingWaits else { return false }
            hasNetworkReturned = !isStopped
            machine.networkReturned()
        case .stop:
            guard !isStopped else { return false }
            stop()
            machine.stopped()
        case .timerFires:
            guard let timer else { return false }
            self.timer = nil
            now = max(now, timer.moment)
            isWoken = true
            machine.timerFired(number: timer.number)
        case .earlierTimerFires:
            guard timers > 1 else { return false }
            let before = machine
            machine.timerFired(number: timers - 1)
            require(machine == before, "an earlier timer is heard (11)")
        case .lookEnds: return endLook()
        case .lookFails(let kind):
            guard looking != nil else { return false }
            looking = nil
            fail(kind)
            sawNothing = false
            // Only the look-up that follows a quarantine tells whether it has had an effect.
            for number in operations.indices { operations[number].wasQuarantined = false }
            machine.lookFailed(failure(kind), jitter: { 0 })
        case .quarantineEnds:
            guard let number = quarantining else { return false }
            quarantining = nil
            operations[number].isQueued = false
            operations[number].wasQuarantined = true
            machine.quarantined()
        case .quarantineMisses:
            guard let number = quarantining else { return false }
            quarantining = nil
            operations[number].wasQuarantined = true
            machine.quarantined()
        case .quarantineFails(let kind):
            guard let number = quarantining else { return false }
            quarantining = nil
            if kind == .corrupt { expectLeft(number) }
            machine.quarantineFailed(failure(kind), jitter: { 0 })
        case .attemptEnds(let number, let outcome): return endAttempt(number, outcome)
        case .storeEnds(let cause): return endStore(cause, isHandedOutStill: false)
        case .storeMisses: return endStore(.gone, isHandedOutStill: true)
        case .storeFails(let kind): return failStore(kind)
        case .waitsEnd(let isLast):
            guard isEndingWaits else { return false }
            isEndingWaits = false
            areWaitsLeft = !isLast
            hasLookedSinceStep = false
            machine.waitsEnded(isLast: isLast)
        case .outcomeIsDue(let number):
            guard case .heldBack(let outcome) = operations[number].flight else { return false }
            operations[number].flight = .toStore(outcome)
            due.append(number)
            machine.outcomeDue(id(number))
        case .leased(let number):
            guard operations[number].flight == .attempting,
                operations[number].leasedUntil == nil
            else { return false }
            let until = now.advanced(by: .seconds(1))
            operations[number].leasedUntil = until
            machine.leased(id(number), until: until, now: now)
        case .leaseIsDue(let number):
            guard let end = operations[number].leasedUntil else { return false }
            now = max(now, end)
            operations[number].leasedUntil = nil
            let wasCut = operations[number].flight == .cut
            machine.leaseDue(id(number), now: now)
            operations[number].mustBeCut = operations[number].flight.isUnderWay && !wasCut
        case .leaseLost(let number):
            guard operations[number].flight.isUnderWay else { return false }
            machine.leaseLost(id(number))
        case .takenByAnother(let number):
            guard !operations[number].isAnothers else { return false }
            switch operations[number].flight {
            case .heldBack:
                operations[number].flight = .none
                operations[number].mayRepeat = true
            case .attempting, .cut: break
            case .none, .toStore, .storing: return false
            }
            operations[number].isAnothers = true
            machine.takenByAnother(id(number))
        case .lostByAnother(let number):
            guard operations[number].isAnothers else { return false }
            operations[number].isAnothers = false
            isWoken = true
            machine.woken()
        }
        return true
    }

    private mutating func endLook() -> Bool {
        guard let handedOut = looking else { return false }
        looking = nil
        let found = handedOut.map { number in
            let operation = operations[number]
            let entry = self.handedOut(number)
            let content: DrainMachine.Found.Content =
                if machine.passesOver(entry, now: now) {
                    .passedOver
                } else if operation.isUnreadable {
                    .unreadable
                } else if operation.isLocked {
                    .locked(operation.envelope)
                } else {
                    .readable(operation.envelope)
                }
            return DrainMachine.Found(entry, content)
        }
        if !isLookOld, handedOut.count < limit {
            for number in operations.indices where !handedOut.contains(number) {
                operations[number].isGone = false
            }
        }
        sawNothing =
            found.allSatisfy { $0.content == .passedOver }
            && !handedOut.contains { operations[$0].pausesUntil.map { $0 > now } ?? false }
        hasLookedSinceStep = true
        machine.looked(found, nextEligibleAt: nil, now: now, jitter: { 0 })
        return true
    }

    private mutating func endAttempt(
        _ number: Int,
        _ outcome: DeliveryMachine.Outcome
    ) -> Bool {
        let flight = operations[number].flight
        guard flight.isUnderWay else { return false }
        operations[number].leasedUntil = nil
        if outcome == .done { operations[number].isDelivered = true }
        if flight == .cut, !outcome.isFinal {
            operations[number].flight = .none
        } else {
            operations[number].flight = .toStore(outcome)
            due.append(number)
        }
        machine.attemptEnded(
            id(number),
            outcome,
            now: now,
            jitter: { 0 },
            lanePolicy: { _ in .skipAndPark }
        )
        return true
    }

    private mutating func endStore(_ cause: Unsettled.Cause?, isHandedOutStill: Bool) -> Bool {
        guard let first = storing.first else { return false }
        var unsettled: [Unsettled] = []
        for number in storing {
            guard case .storing(let outcome) = operations[number].flight else {
                violation = violation ?? "an outcome is stored that nobody had (2)"
                return true
            }
            operations[number].flight = .none
            let cause = number == first ? cause : nil
            switch cause {
            case nil:
                if outcome.isFinal { operations[number].isQueued = false }
                operations[number].pausesUntil = nil
            case .gone:
                operations[number].isQueued = false
                operations[number].isGone = true
                operations[number].isHandedOutStill = isHandedOutStill
                isLookOld = true
            case .anothers:
                operations[number].isAnothers = true
                operations[number].mayRepeat = true
            case .unchanged:
                operations[number].mayRepeat = true
                operations[number].pausesUntil = now.advanced(by: .seconds(1))
            }
            if let cause { unsettled.append(Unsettled(handedOut(number).entry, cause)) }
        }
        storing = []
        if unsettled.isEmpty {
            machine.stored()
        } else {
            machine.stored(except: unsettled, now: now, jitter: { 0 })
        }
        return true
    }

    private mutating func failStore(_ kind: DrainMachineExhaustiveTests.Fault) -> Bool {
        guard !storing.isEmpty else { return false }
        let numbers = storing
        storing = []
        for number in numbers {
            guard case .storing(let outcome) = operations[number].flight else { return false }
            operations[number].flight = .toStore(outcome)
        }
        if numbers.count > 1 {
            alone = numbers
        } else {
            let number = numbers[0]
            fail(kind)
            guard case .toStore(let outcome) = operations[number].flight else { return false }
            if kind == .corrupt {
                operations[number].flight = .none
                expectLeft(number)
            } else if isStopped {
                operations[number].flight = .none
            } else {
                operations[number].flight = .heldBack(outcome)
            }
        }
        machine.notStored(failure(kind), jitter: { 0 })
        return true
    }

    // MARK: The answer

    private mutating func readAnswer() {
        while true {
            let effects = machine.answer()
            guard !effects.isEmpty else { break }
            for effect in effects { read(effect) }
        }
        check()
    }

    private mutating func require(_ isHeld: Bool, _ invariant: String) {
        if !isHeld, violation == nil { violation = invariant }
    }

    private mutating func read(_ effect: DrainMachine.Effect) {
        require(!isEnded, "an effect after the end (13)")
        switch effect {
        case .look, .quarantine, .attempt, .store, .endWaits:
            require(role == .held, "a drain acts without its role (14)")
        default: break
        }
        switch effect {
        case .claim:
            require(role == .none && isWoken, "a role is claimed that is not needed (14)")
            role = .claimed
        case .rest:
            require(role == .held || wasRefused, "a role is given up that is not there (14)")
            require(!isRunning && !isWaiting, "a role is given up too early (14)")
            role = .none
            wasRefused = false
        case .look(let limit):
            isWoken = false
            require(looking == nil && quarantining == nil, "two look-ups at once (3)")
            require(limit >= 1, "a look-up of nothing (3)")
            self.limit = limit
            isLookOld = false
            looking = Array(fronts.prefix(limit))
        case .quarantine(let entry):
            let number = number(entry.operation)
            require(looking == nil && quarantining == nil, "two quarantines at once (3)")
            require(operations[number].isUnreadable, "a readable entry is quarantined (10)")
            require(!operations[number].isLeftAlone, "what is left alone is quarantined (7)")
            require(!operations[number].wasQuarantined, "quarantined twice (10)")
            quarantining = number
        case .attempt(let envelope): attempt(number(envelope.id))
        case .cancelAttempts(let ids):
            for id in ids {
                require(
                    operations[number(id)].flight == .attempting,
                    "an attempt is cut that does not run, or twice (6)"
                )
                operations[number(id)].flight = .cut
                operations[number(id)].mustBeCut = false
            }
        case .store(let settlements): store(settlements)
        case .endWaits(let isFirst):
            require(!isEndingWaits, "waits are ended twice at once (3)")
            require(
                isFirst ? hasNetworkReturned : areWaitsLeft && !isStopped,
                "waits are ended that the network does not end (12)"
            )
            require(isFirst || hasLookedSinceStep, "no look-up between two steps (12)")
            require(due.isEmpty && alone.isEmpty && storing.isEmpty, "waits end too early (12)")
            hasNetworkReturned = false
            areWaitsLeft = false
            isEndingWaits = true
        case .wait(let wait, let number):
            require(number > timers, "a timer's number comes again (11)")
            timers = number
            timer = wait.map { Timer(number: number, moment: now.advanced(by: $0)) }
        case .waitForLease(let id, let wait):
            require(
                operations[number(id)].leasedUntil == now.advanced(by: wait),
                "a lease is watched that is not there (2)"
            )
        case .holdBack(let id, let wait):
            guard case .heldBack = operations[number(id)].flight else {
                return require(false, "an outcome is held back that is stored (4)")
            }
            require(wait > Milliseconds(0), "an outcome is stored again at once (4)")
        case .end(let isStorageClosed):
            require(isStorageClosed == isClosed, "the end of a closed storage (13)")
            require(
                isStopped || term == .untilIdle && sawNothing,
                "an end with work left (13)"
            )
            isEnded = true
        case .tell(.leftAlone(let entry, _)):
            let operation = operations[number(entry.operation)]
            require(
                operation.isLeftAlone || operation.isHandedOutStill || operation.wasQuarantined,
                "what is not damaged is left alone (8, 9)"
            )
            operations[number(entry.operation)].isLeftAlone = true
            operations[number(entry.operation)].isGone = false
        // The wait after a failed look-up serves all who woke the drain.
        case .tell(.notRead): isWoken = false
        case .tell: break
        }
    }

    private mutating func attempt(_ number: Int) {
        let operation = operations[number]
        require(operation.flight == .none, "in flight twice (1)")
        require(!isStopped, "an attempt after a stop (6)")
        require(!operation.isLeftAlone, "what is left alone is attempted (7)")
        require(!operation.isGone, "what was gone is attempted (8)")
        require(operation.pausesUntil.map { $0 <= now } ?? true, "attempted in its pause (9)")
        require(!operation.isUnreadable, "what cannot be read is attempted (10)")
        require(!operation.isLocked, "what has no key is attempted (10)")
        require(!operation.isDelivered || operation.mayRepeat, "delivered twice (2)")
        operations[number].flight = .attempting
        operations[number].mayRepeat = false
        let lanes = operations.filter { $0.flight != .none }.compactMap(\.envelope.orderingKey)
        require(Set(lanes).count == lanes.count, "two of a lane in flight (1)")
    }

    private mutating func store(_ settlements: [Settlement]) {
        let numbers = settlements.map { number($0.id) }
        require(storing.isEmpty, "two stores at once (3)")
        for number in numbers where operations[number].isLocked {
            guard operations[number].flight == .none else { continue }
            operations[number].flight = .toStore(.retryAfter(nil, .keyMissing))
            due.append(number)
        }
        if alone.isEmpty {
            require(
                numbers.sorted() == due.sorted(),
                "outcomes known together are not stored together (4)"
            )
            due = []
        } else {
            require(numbers == [alone[0]], "outcomes are not stored alone (4)")
            alone.removeFirst()
        }
        for (number, settlement) in zip(numbers, settlements) {
            guard case .toStore(let outcome) = operations[number].flight else {
                return require(false, "an outcome is stored that is not due (4)")
            }
            require(settlement.entry == handedOut(number).entry, "another entry is changed (2)")
            require(
                (settlement.transition == .remove) == (outcome == .done),
                "what is removed was not delivered (2)"
            )
            operations[number].flight = .storing(outcome)
        }
        storing = numbers
    }

    /// What must hold between events.
    private mutating func check() {
        let inFlight = Set(operations.indices.filter { operations[$0].flight != .none })
        let flights = Set(machine.flights.map { number($0.envelope.id) })
        require(flights.isSuperset(of: inFlight), "a slot is free too early (5)")
        if !isEndingWaits, storing.isEmpty {
            require(flights == inFlight, "a slot is not free (5)")
        }
        require(
            role != .held || !hasNetworkReturned || isStopped || isEndingWaits || !storing.isEmpty,
            "the network's return is forgotten (12)"
        )
        if isStopped, storing.isEmpty, !isEndingWaits {
            require(due.isEmpty && alone.isEmpty, "a stop lets an outcome wait (6)")
        }
        require(
            !isStopped || !operations.contains { $0.flight == .attempting },
            "an attempt is not cut by a stop (6)"
        )
        require(!operations.contains { $0.mustBeCut }, "an attempt outlives its lease (2)")
        guard !isRunning, !isWaiting, !isEnded, role != .claimed else { return }
        require(!isStopped, "a stopped drain does not end (13)")
        require(term != .inTurns || role == .none, "a role is kept for nothing (14)")
        require(term != .inTurns || !isWoken, "a wake-up is forgotten (14)")
        guard timer == nil else { return }
        require(term != .untilIdle, "an idle drain does not end (13)")
        guard term != .inTurns else { return }
        require(!areWaitsLeft || sawNothing, "waits are left (12)")
        let left = fronts.filter { !operations[$0].isLeftAlone && !operations[$0].isGone }
        require(left.isEmpty, "eligible operations and nobody looks (5)")
    }

    private var isRunning: Bool { operations.contains { $0.flight != .none } }

    private var isWaiting: Bool { looking != nil || quarantining != nil || isEndingWaits }

    // MARK: The storage

    /// The entries that the storage offers.
    private var fronts: [Int] {
        var lanes: Set<OrderingKey> = []
        return operations.indices.filter { number in
            guard operations[number].isQueued || operations[number].isHandedOutStill else {
                return false
            }
            let lane = operations[number].envelope.orderingKey
            guard lane.map({ lanes.insert($0).inserted }) ?? true else { return false }
            return operations[number].isOffered
        }
    }

    private mutating func fail(_ kind: DrainMachineExhaustiveTests.Fault) {
        guard kind == .closed else { return }
        isClosed = true
        stop()
    }

    /// What is held back is stored once more at once.
    private mutating func stop() {
        guard !isStopped else { return }
        isStopped = true
        for number in operations.indices {
            guard case .heldBack(let outcome) = operations[number].flight else { continue }
            operations[number].flight = .toStore(outcome)
            due.append(number)
        }
    }

    /// The machine must leave this entry alone: it is told so at once.
    private mutating func expectLeft(_ number: Int) {
        operations[number].isLeftAlone = true
        operations[number].mayRepeat = false
    }

    private mutating func failure(
        _ kind: DrainMachineExhaustiveTests.Fault
    ) -> DrainMachine.Failure {
        if kind == .closed { machine.storageClosed() }
        return DrainMachine.Failure(kind == .corrupt ? .corrupt : .passing, reason: "f")
    }

    private func id(_ number: Int) -> OperationID { operations[number].envelope.id }

    private func number(_ id: OperationID?) -> Int { Int(id?.low ?? 0) }

    private func handedOut(_ number: Int) -> DrainMachine.HandedOut {
        DrainMachine.HandedOut(entry: EntryID(rawValue: Int64(number) + 1), operation: id(number))
    }
}
