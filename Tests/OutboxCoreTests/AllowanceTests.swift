import OutboxCore
import OutboxTesting
import Testing

@Suite struct AllowanceTests {
    static let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    static func envelope(_ number: UInt64) -> Envelope {
        Envelope(id: OperationID(high: 0, low: number), kind: "k", createdAt: now)
    }

    private func machine(inFlight: UInt64) -> DeliveryMachine {
        var machine = DeliveryMachine(policy: .device)
        _ = machine.woken()
        _ = machine.loaded(
            (0..<inFlight).map { Self.envelope($0) },
            nextEligibleAt: nil,
            now: Self.now
        )
        return machine
    }

    /// The attempts that begin when `count` operations are due, and the timer.
    private func starts(
        _ machine: inout DeliveryMachine,
        after wait: Milliseconds = .seconds(0),
        _ count: UInt64 = 3
    ) -> (attempts: [Envelope], timer: Milliseconds?) {
        guard machine.woken() != nil else { return ([], nil) }
        let start = machine.loaded(
            (100..<100 + count).map { Self.envelope($0) },
            nextEligibleAt: nil,
            now: Self.now.advanced(by: wait)
        )
        return (start.attempts, start.timer)
    }

    private func finish(
        _ machine: inout DeliveryMachine,
        _ number: UInt64,
        _ allowance: AttemptAllowance? = nil,
        after wait: Milliseconds = .seconds(0)
    ) {
        let (id, now) = (Self.envelope(number).id, Self.now.advanced(by: wait))
        if let allowance { machine.allowed(allowance, after: id, now: now) }
        _ = machine.attemptFinished(id, .done, now: now, jitter: 0)
        let load = machine.transitionStored(id)
        if load != nil { _ = machine.loaded([], nextEligibleAt: nil, now: now) }
    }

    @Test("no attempt begins while nothing is allowed, and a timer says when one does")
    func nothingLeft() {
        var machine = machine(inFlight: 1)
        finish(&machine, 0, AttemptAllowance(attempts: 0, wait: .seconds(50)))
        let blocked = starts(&machine, after: .seconds(10))
        #expect(blocked.attempts.isEmpty && blocked.timer == .seconds(40))
        let free = starts(&machine, after: .seconds(50))
        #expect(free.attempts.count == 1, "one attempt, to ask")
        finish(
            &machine,
            100,
            AttemptAllowance(attempts: 2, wait: .seconds(5)),
            after: .seconds(51)
        )
        #expect(starts(&machine, after: .seconds(51)).attempts.count == 2)
        #expect(starts(&machine, after: .seconds(51), 5).attempts.isEmpty)
    }

    @Test("attempts under way count against an allowance that may not know them")
    func underWay() {
        for inFlight: UInt64 in 1...3 {
            for attempts in 0...4 {
                var machine = machine(inFlight: inFlight)
                finish(
                    &machine,
                    0,
                    AttemptAllowance(attempts: attempts, wait: .seconds(50))
                )
                let others = Int(inFlight) - 1
                let start = starts(&machine)
                #expect(start.attempts.count == min(max(0, attempts - others), 3 - others))
                // Its answer leads to the next load, so that no timer is needed.
                #expect((start.timer == nil) == (others > 0 || attempts > 0))
            }
        }
    }

    @Test("an answer that was overtaken by another one allows no more than that one")
    func overtaken() {
        var machine = machine(inFlight: 3)
        finish(&machine, 2, AttemptAllowance(attempts: 3, wait: .seconds(50)))
        finish(&machine, 0, AttemptAllowance(attempts: 5, wait: .seconds(50)))
        finish(&machine, 1, AttemptAllowance(attempts: 4, wait: .seconds(50)))
        let start = starts(&machine, 3)
        #expect(start.attempts.count == 3)
        for envelope in start.attempts { finish(&machine, envelope.id.low) }
        #expect(starts(&machine, 6).attempts.isEmpty)
    }

    @Test("an answer that a refusal has overtaken holds the rest back as long as the refusal says")
    func overtakenByRefusal() {
        var machine = machine(inFlight: 2)
        finish(&machine, 1, AttemptAllowance(attempts: 0, wait: .seconds(30)))
        finish(
            &machine,
            0,
            AttemptAllowance(attempts: 1_000_000, wait: .seconds(86_400)),
            after: .seconds(3)
        )
        #expect(starts(&machine, after: .seconds(3)).timer == .seconds(27))
        #expect(starts(&machine, after: .seconds(30)).attempts.count == 1)
    }

    @Test("a wait beyond the policy's longest, and numbers below zero, strand nothing")
    func hostile() {
        let day = RetryPolicy.device.serverWaitCap
        for wait: Int64 in [.max, .max - 1, day.count, 0, -1, .min] {
            for attempts in [0, -1, .min] {
                var machine = machine(inFlight: 1)
                finish(
                    &machine,
                    0,
                    AttemptAllowance(attempts: attempts, wait: Milliseconds(wait))
                )
                #expect(starts(&machine, after: day).attempts.count == 1)
            }
        }
        var machine = machine(inFlight: 1)
        finish(&machine, 0, AttemptAllowance(attempts: .max, wait: .seconds(1)))
        #expect(starts(&machine).attempts.count == 3)
    }

    @Test("an outcome that cannot be stored does not keep the others from asking")
    func heldBack() {
        var machine = machine(inFlight: 2)
        _ = machine.attemptFinished(Self.envelope(1).id, .done, now: Self.now, jitter: 0)
        _ = machine.transitionFailed(Self.envelope(1).id, jitter: 0)
        finish(&machine, 0, AttemptAllowance(attempts: 0, wait: .seconds(50)))
        #expect(starts(&machine, after: .seconds(10)).timer == .seconds(40))
        #expect(starts(&machine, after: .seconds(50)).attempts.count == 1)
    }

    @Test("a drain that keeps to a server's allowance is never refused, and is not much slower")
    func neverRefused() {
        for seed: UInt64 in 0..<300 {
            var world = LimitedWorld(seed: seed)
            world.run()
            #expect(world.refusals == 0, "seed \(seed)")
            #expect(world.delivered == 200, "seed \(seed)")
            // Each request and each answer takes its time, and a wait is told in whole seconds.
            let windows = 199 / Int64(world.quota)
            let exchanges = 200 * 2 * world.slowest
            let longest = windows * (world.window + 2000) + exchanges
            #expect(world.time <= longest, "seed \(seed)")
        }
    }
}

/// 200 operations, and a server that takes so many in any window and says in each answer how many
/// are left. Requests and answers take their time, and overtake each other.
private struct LimitedWorld {
    private enum Event {
        case arrived(UInt64)
        case answered(UInt64, AttemptAllowance, isAccepted: Bool)
        case timer(Int)
    }

    let quota: Int
    let window: Int64
    private(set) var refusals = 0
    private(set) var delivered = 0
    private(set) var time: Int64 = 0
    private var random: SeededRandom
    let slowest: Int64
    private var machine = DeliveryMachine(policy: .device)
    private var queued = Array(UInt64(0)..<200)
    private var events: [(time: Int64, event: Event)] = []
    private var accepted: [Int64] = []
    private var timerNumber = 0

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        // Before the first answer three attempts begin.
        quota = Int.random(in: 3...40, using: &random)
        window = [1000, 10_000, 60_000].randomElement(using: &random)!
        slowest = [1, 50, 3000].randomElement(using: &random)!
    }

    private var now: WallTime { AllowanceTests.now.advanced(by: Milliseconds(time)) }

    mutating func run() {
        perform(machine.woken())
        var steps = 0
        while delivered < 200, steps < 20_000,
            let index = events.indices.min(by: { events[$0].time < events[$1].time })
        {
            steps += 1
            let (moment, event) = events.remove(at: index)
            time = moment
            handle(event)
        }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .arrived(let number):
            accepted.removeAll { $0 <= time - window }
            let isAccepted = accepted.count < quota
            if isAccepted { accepted.append(time) }
            let wait = (accepted.first ?? time) + window - time
            // Whole seconds, rounded up, as the field has them.
            let allowance = AttemptAllowance(
                attempts: quota - accepted.count,
                wait: .seconds((wait + 999) / 1000)
            )
            later(.answered(number, allowance, isAccepted: isAccepted))
        case .answered(let number, let allowance, let isAccepted):
            let id = AllowanceTests.envelope(number).id
            machine.allowed(allowance, after: id, now: now)
            if !isAccepted { refusals += 1 }
            _ = machine.attemptFinished(id, .done, now: now, jitter: 0)
            delivered += isAccepted ? 1 : 0
            queued.removeAll { $0 == number }
            perform(machine.transitionStored(id))
        case .timer(let number):
            if number == timerNumber { perform(machine.woken()) }
        }
    }

    private mutating func later(_ event: Event) {
        events.append((time + Int64.random(in: 0...slowest, using: &random), event))
    }

    private mutating func perform(_ load: DeliveryMachine.Load?) {
        var next = load
        while let load = next {
            let eligible = queued.map { AllowanceTests.envelope($0) }
                .filter { [machine] in !machine.isInFlight($0.id) }.prefix(load.limit)
            let start = machine.loaded(Array(eligible), nextEligibleAt: nil, now: now)
            for envelope in start.attempts { later(.arrived(envelope.id.low)) }
            timerNumber += 1
            if let timer = start.timer {
                events.append((time + timer.count, .timer(timerNumber)))
            }
            next = start.load
        }
    }
}
