import OutboxCore
import Testing

/// The decisions of one drain, without a drain.
@Suite struct DrainMachineTests {
    private static let now = DeliveryMachineTests.now
    private static let all: [DeliveryMachine.Outcome] = [
        .done, .park("p"), .retry("r"), .retryOnNetwork("n"), .retryAfter(nil, "a"),
    ]
    private static let corrupt = DrainMachine.Failure(.corrupt, reason: "storage.corrupt")

    private static func id(_ number: UInt64) -> OperationID {
        DeliveryMachineTests.envelope(number).id
    }

    private static func entry(_ number: UInt64) -> DrainMachine.HandedOut {
        DrainMachine.HandedOut(entry: EntryID(rawValue: Int64(number) + 1), operation: id(number))
    }

    private static func found(_ numbers: [UInt64]) -> [DrainMachine.Found] {
        numbers.map { DrainMachine.Found(entry($0), .readable(DeliveryMachineTests.envelope($0))) }
    }

    /// A machine in which these operations are being attempted.
    private static func machine(
        attempting numbers: [UInt64],
        inFlight: Int = 8,
        _ term: DrainMachine.Term = .untilStopped
    ) -> DrainMachine {
        var machine = DrainMachine(policy: .device, window: AttemptWindow(inFlight), term)
        machine.woken()
        _ = machine.answer()
        machine.looked(found(numbers), nextEligibleAt: nil, now: now, jitter: { 0 })
        _ = machine.answer()
        return machine
    }

    private static func end(
        _ number: UInt64,
        _ outcome: DeliveryMachine.Outcome,
        in machine: inout DrainMachine
    ) {
        machine.attemptEnded(
            id(number),
            outcome,
            now: now,
            jitter: { 0 },
            lanePolicy: { _ in .skipAndPark }
        )
    }

    /// The operations of the store that is asked for.
    private static func stored(_ effects: [DrainMachine.Effect]) -> [OperationID] {
        for case .store(let settlements) in effects { return settlements.map(\.id) }
        return []
    }

    private static func isEnd(_ effects: [DrainMachine.Effect]) -> Bool {
        effects.contains(.end(isStorageClosed: false))
    }

    @Test("while a drain runs every outcome counts; after a stop only a final one")
    func outcomes() {
        for outcome in Self.all {
            var machine = Self.machine(attempting: [1, 2])
            Self.end(1, outcome, in: &machine)
            machine.stopped()
            Self.end(2, outcome, in: &machine)
            let stored = Self.stored(machine.answer())
            #expect(stored == (outcome.isFinal ? [1, 2] : [1]).map(Self.id))
        }
    }

    @Test("a drain until idle ends when nothing is in flight and nothing is scheduled")
    func idle() {
        for term in [DrainMachine.Term.untilStopped, .untilIdle] {
            for next in [nil, Self.now.advanced(by: .seconds(1))] {
                var machine = Self.machine(attempting: [1], term)
                Self.end(1, .done, in: &machine)
                #expect(!Self.isEnd(machine.answer()))
                machine.stored()
                #expect(!Self.isEnd(machine.answer()))
                machine.looked([], nextEligibleAt: next, now: Self.now, jitter: { 0 })
                #expect(Self.isEnd(machine.answer()) == (term == .untilIdle && next == nil))
            }
        }
    }

    @Test("a stopped drain ends when each attempt is stored or was cut short, in every order")
    func stopping() {
        for ends in 0..<UInt64(16) {
            var machine = Self.machine(attempting: [0, 1, 2, 3])
            machine.stopped()
            #expect(machine.answer() == [.cancelAttempts((0..<4).map(Self.id))])
            for number in 0..<UInt64(4) {
                let isFinal = ends >> number & 1 == 1
                Self.end(number, isFinal ? .done : .retry("cut short"), in: &machine)
                let effects = machine.answer()
                if isFinal {
                    #expect(Self.stored(effects) == [Self.id(number)])
                    machine.stored()
                    #expect(Self.isEnd(machine.answer()) == (number == 3))
                } else {
                    #expect(Self.isEnd(effects) == (number == 3))
                }
            }
        }
    }

    @Test("handlers begin apart for a while after one that held the drain's thread")
    func apart() {
        var machine = Self.machine(attempting: [])
        machine.held(Milliseconds(1))
        let isApartAtOnce = machine.beginsApart()
        #expect(!isApartAtOnce)
        machine.held(Milliseconds(2))
        let isApart = (0..<200).map { _ in machine.beginsApart() }
        #expect(isApart.prefix(100).allSatisfy { $0 } && !isApart.dropFirst(100).contains(true))
    }

    @Test("so many entries are left alone and no more; the next outcome keeps its place")
    func most() {
        var machine = Self.machine(attempting: [])
        for number in UInt64(0)...100 {
            machine.woken()
            #expect(machine.answer() == [.look(limit: 8 + Int(number))])
            machine.looked(Self.found([number]), nextEligibleAt: nil, now: Self.now) { 0 }
            _ = machine.answer()
            Self.end(number, .done, in: &machine)
            _ = machine.answer()
            machine.notStored(Self.corrupt, jitter: { 0 })
            let effects = machine.answer()
            let isLeft = effects.contains(.tell(.leftAlone(Self.entry(number), "k")))
            #expect(isLeft == (number < 100))
            #expect(effects.contains(.holdBack(Self.id(number), .seconds(1))) == !isLeft)
            if isLeft { machine.looked([], nextEligibleAt: nil, now: Self.now, jitter: { 0 }) }
            _ = machine.answer()
        }
        #expect((0..<100).allSatisfy { machine.passesOver(Self.entry($0), now: Self.now) })
    }

    /// In the first case no look-up sees all entries, in the second each one does.
    @Test(
        "what was gone and is handed out again is left alone, however many entries are",
        arguments: [(inFlight: 1, entries: UInt64(110)), (inFlight: 2, entries: 101)]
    )
    func returned(inFlight: Int, entries: UInt64) {
        var machine = Self.machine(attempting: [], inFlight: inFlight)
        var attempts = 0
        // Every entry is handed out again, although the storage says that it is gone.
        let stuck = 0..<entries
        for _ in 0..<1000 {
            machine.woken()
            while true {
                let effects = machine.answer()
                if effects.isEmpty { break }
                for effect in effects {
                    switch effect {
                    case .look(let limit):
                        let found = stuck.prefix(limit).map { number in
                            machine.passesOver(Self.entry(number), now: Self.now)
                                ? DrainMachine.Found(Self.entry(number), .passedOver)
                                : Self.found([number])[0]
                        }
                        machine.looked(found, nextEligibleAt: nil, now: Self.now, jitter: { 0 })
                    case .attempt(let envelope):
                        attempts += 1
                        Self.end(envelope.id.low, .done, in: &machine)
                    case .store(let settlements):
                        let gone = settlements.map { Unsettled($0.entry, .gone) }
                        machine.stored(except: gone, now: Self.now, jitter: { 0 })
                    default: break
                    }
                }
            }
        }
        #expect(attempts >= 100 && attempts <= 110)
    }

    @Test("between two steps of the waits that the network's return ends attempts begin")
    func steps() {
        var machine = Self.machine(attempting: [], inFlight: 1)
        machine.networkReturned()
        #expect(machine.answer() == [.endWaits(isFirst: true)])
        machine.waitsEnded(isLast: false)
        #expect(machine.answer() == [.look(limit: 1)])
        machine.looked(Self.found([1]), nextEligibleAt: nil, now: Self.now, jitter: { 0 })
        let first = DeliveryMachineTests.envelope(1)
        #expect(machine.answer() == [.attempt(first), .endWaits(isFirst: false)])
        // A step that ends while no slot is free has no other after it.
        machine.waitsEnded(isLast: false)
        #expect(machine.answer().isEmpty)
        Self.end(1, .done, in: &machine)
        #expect(Self.stored(machine.answer()) == [Self.id(1)])
        machine.stored()
        #expect(machine.answer().last == .look(limit: 1))
        // The network returns once more: the steps begin anew.
        machine.networkReturned()
        #expect(machine.answer() == [.endWaits(isFirst: true)])
        machine.waitsEnded(isLast: true)
        machine.looked([], nextEligibleAt: nil, now: Self.now, jitter: { 0 })
        #expect(machine.answer() == [.look(limit: 1)])
        machine.looked([], nextEligibleAt: nil, now: Self.now, jitter: { 0 })
        #expect(machine.answer().isEmpty)
    }

    @Test("what has no key waits uncounted, takes nothing from an allowance, and others go on")
    func locked() throws {
        var machine = Self.machine(attempting: [1], inFlight: 2)
        machine.allowed(
            AttemptAllowance(attempts: 1, wait: .seconds(60)),
            after: Self.id(1),
            now: Self.now
        )
        machine.woken()
        _ = machine.answer()
        let locked = DeliveryMachineTests.envelope(2)
        let found = [DrainMachine.Found(Self.entry(2), .locked(locked))] + Self.found([3])
        machine.looked(found, nextEligibleAt: nil, now: Self.now, jitter: { 0 })
        guard case .store(let settlements)? = machine.answer().last,
            case .reschedule(let next)? = settlements.first?.transition
        else {
            Issue.record("nothing is stored")
            return
        }
        #expect(settlements.map(\.id) == [Self.id(2)])
        #expect(next.attemptCount == 0 && next.lastError == .keyMissing)
        #expect(next.nextEligibleAt == Self.now.advanced(by: .seconds(60)))
        machine.stored()
        #expect(machine.answer().contains(.look(limit: 2)))
        machine.looked(Self.found([3]), nextEligibleAt: nil, now: Self.now, jitter: { 0 })
        #expect(machine.answer().contains(.attempt(DeliveryMachineTests.envelope(3))))
    }

    @Test("what was left unchanged is attempted again after a wait that grows")
    func unchanged() {
        var machine = Self.machine(attempting: [1])
        var now = Self.now
        for wait: Int64 in [1, 2, 4, 8] {
            Self.end(1, .done, in: &machine)
            _ = machine.answer()
            let unsettled = [Unsettled(Self.entry(1).entry, .unchanged)]
            machine.stored(except: unsettled, now: now, jitter: { 0 })
            #expect(machine.answer().contains(.look(limit: 9)))
            #expect(machine.passesOver(Self.entry(1), now: now))
            let found = [DrainMachine.Found(Self.entry(1), .passedOver)]
            machine.looked(found, nextEligibleAt: nil, now: now, jitter: { 0 })
            guard case .wait(.seconds(wait), let number)? = machine.answer().last else {
                Issue.record("no wait of \(wait) s")
                return
            }
            now = now.advanced(by: .seconds(wait))
            machine.timerFired(number: number)
            _ = machine.answer()
            #expect(!machine.passesOver(Self.entry(1), now: now))
            machine.looked(Self.found([1]), nextEligibleAt: nil, now: now, jitter: { 0 })
            #expect(machine.answer().contains(.attempt(DeliveryMachineTests.envelope(1))))
        }
    }

    @Test("an attempt whose lease ends is cut short, and its slot is free when it has ended")
    func lease() {
        var machine = Self.machine(attempting: [1, 2], inFlight: 2)
        let end = Self.now.advanced(by: .seconds(5))
        machine.leased(Self.id(2), until: end, now: Self.now)
        #expect(machine.answer() == [.waitForLease(Self.id(2), .seconds(5))])
        let later = Self.now.advanced(by: .seconds(9))
        machine.leased(Self.id(2), until: later, now: Self.now)
        #expect(machine.answer() == [.waitForLease(Self.id(2), .seconds(9))])
        machine.leaseDue(Self.id(2), now: end)
        #expect(machine.answer().isEmpty)
        machine.leaseDue(Self.id(2), now: later)
        #expect(machine.answer() == [.cancelAttempts([Self.id(2)])])
        Self.end(2, .retry("cut short"), in: &machine)
        #expect(machine.answer() == [.look(limit: 2)])
        machine.takenByAnother(Self.id(1))
        #expect(machine.answer() == [.cancelAttempts([Self.id(1)])])
    }
}
