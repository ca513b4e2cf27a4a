import OutboxCore
import OutboxTesting
import RelayRules

/// A world of three relays that hand over the mails of one queue, each with the ``LeaseMachine`` that decides
/// about its shards. A seed chooses what happens, and in which order.
///
/// 1. The seed chooses a plan: shards, mails, and which sorts of faults happen.
/// 2. The relays look at the leases and at the queue, attempt mails and record outcomes, each of these in
///    steps between which anything else happens. Mails are queued, and faults happen.
/// 3. The faults end. After a quiet time of ``quiet`` milliseconds all has come to rest.
///
/// One seed is one run, in every process.
package final class LeaseWorld {
    /// What a world has counted, by sorts.
    package typealias Tally = [String: Int]
    /// The sorts that are counted.
    package static let counted: Set = [
        "common pauses", "cuts", "kills", "late statements", "lost answers", "lost questions",
        "mails",
        "older relays", "pauses", "refused outcomes", "repeats", "silent mail servers", "stops",
    ]

    /// The length of a lease, in milliseconds.
    static let length = 1000
    /// From the last fault to the end: whatever was begun before has ended after three leases, a killed
    /// relay's leases are over after another one, and the rest is for shares and mails.
    static let quiet = 10 * length
    static let times = LeaseTimes(length: Milliseconds(Int64(length)))

    let plan: LeasePlan
    let sabotage: LeaseSabotage?
    var random: SeededRandom
    var rows: WorldRows
    /// The present or last process of each relay.
    private(set) var relays: [WorldRelay] = []
    private(set) var started = 0
    /// Every attempt that was begun.
    var attempts: [WorldRelay.Attempt] = []

    /// The milliseconds since the beginning, by the database's clock.
    private(set) var now = 0
    private var agenda = Agenda()

    /// The promises that were broken, each as it was first.
    package private(set) var violations: [(promise: LeasePromise, text: String)] = []
    /// What has happened.
    package private(set) var tally: Tally = [:]
    /// A line for everything that has happened, if they are kept.
    package private(set) var lines: [String] = []
    private let keepsLines: Bool

    /// Runs the world of a seed.
    ///
    /// - Parameters:
    ///   - sabotage: What is wrong on purpose.
    ///   - keepsLines: Whether ``lines`` are kept.
    package init(seed: UInt64, sabotage: LeaseSabotage? = nil, keepsLines: Bool = false) {
        var random = SeededRandom(seed: seed)
        plan = LeasePlan(using: &random)
        self.random = random
        self.sabotage = sabotage
        self.keepsLines = keepsLines
        rows = WorldRows(shards: plan.shards, length: Self.length)
        run()
    }

    private func run() {
        note("\(plan)")
        for mail in 0..<plan.mails {
            after(mail < 3 ? 0 : pick(0..<plan.trouble)) { world in
                let shard = world.pick(0..<world.plan.shards)
                world.rows.queue(mail, in: shard, at: world.now)
                world.note("mail \(mail) of shard \(shard)")
            }
        }
        for place in 0..<3 {
            let first = newRelay()
            relays.append(first)
            after(pick(0..<Self.length), of: first) { $0.begin(first) }
            planFault(of: place)
        }
        if plan.has(.olderRelays) { olderRelay() }
        while let event = agenda.next(), event.time <= plan.trouble + Self.quiet {
            now = event.time
            if let relay = event.relay {
                guard relay.isAlive else { continue }
                if relay.pausedUntil > now {
                    agenda.add(event, at: relay.pausedUntil)
                    continue
                }
            }
            event.perform(self)
        }
        checkRest()
    }

    // MARK: Chance

    /// Whether faults happen now.
    var isTroubled: Bool { now < plan.trouble }

    func chance(_ percent: Int) -> Bool { pick(0..<100) < percent }

    func pick(_ numbers: Range<Int>) -> Int { Int.random(in: numbers, using: &random) }

    /// Whether a fault of a sort happens now.
    func happens(_ sort: LeasePlan.Fault, _ percent: Int) -> Bool {
        isTroubled && plan.has(sort) && chance(percent)
    }

    // MARK: Time

    /// What a relay asks the database about, each on a connection of its own.
    enum Subject {
        case leases
        case mails
        case outcomes
    }

    /// Has something happen after some milliseconds.
    ///
    /// - Parameter relay: The relay that does it, unless it is dead; when it stands still, it does it later.
    func after(
        _ milliseconds: Int,
        of relay: WorldRelay? = nil,
        _ perform: @escaping (LeaseWorld) -> Void
    ) {
        agenda.add(Agenda.Event(relay: relay, perform: perform), at: now + milliseconds)
    }

    /// Has the database do something for a relay, which takes the answer: `nil` when it hears nothing.
    func ask<Answer>(
        _ relay: WorldRelay,
        about subject: Subject,
        _ perform: @escaping (LeaseWorld) -> Answer,
        take: @escaping (LeaseWorld, Answer?) -> Void
    ) {
        let there = delay()
        let isCut = now < relay.cutUntil
        let back = isCut && subject == .mails ? pick(Self.length..<3 * Self.length) : delay()
        let loss = isCut && subject == .leases ? 0 : loss(of: subject)
        guard let loss else {
            after(there) { world in
                let answer = perform(world)
                world.after(back, of: relay) { take($0, answer) }
            }
            return
        }
        let names = ["lost questions", "lost answers", "late statements"]
        count(names[loss])
        let performed = [nil, there, pick(Self.length..<3 * Self.length)][loss]
        if let performed {
            after(performed) { world in
                world.note("\(names[loss]) of \(relay.name)")
                _ = perform(world)
            }
        }
        after(pick(10..<Self.length / 2), of: relay) { take($0, nil) }
    }

    private func loss(of subject: Subject) -> Int? {
        guard happens(.lostAnswers, 8) else { return nil }
        // What became of a transaction with outcomes is known before it is tried again.
        return pick(subject == .leases ? 0..<3 : 0..<2)
    }

    private func delay() -> Int {
        happens(.slowAnswers, 4) ? pick(100..<3 * Self.length / 2) : pick(1..<20)
    }

    // MARK: Relays

    private func newRelay() -> WorldRelay {
        started += 1
        let years = 365 * 86_400_000
        return WorldRelay(
            name: pick(1..<1000) * 1000 + started,
            rate: sabotage == .slowClock ? 500 : pick(800..<1251),
            ahead: pick(-10 * years..<10 * years),
            times: Self.times
        )
    }

    private func begin(_ relay: WorldRelay) {
        note("\(relay.name) begins, clock \(relay.rate)")
        lookAtLeasesAgainAndAgain(relay)
        lookAtMailsAgainAndAgain(relay)
    }

    /// Something happens to a relay, again and again.
    private func planFault(of place: Int) {
        after(pick(Self.length / 2..<3 * Self.length)) { world in
            guard world.isTroubled else { return }
            world.fault(of: place)
            world.planFault(of: place)
        }
    }

    private func fault(of place: Int) {
        let relay = relays[place]
        guard relay.isAlive, !relay.isStopping else { return }
        if happens(.kills, 25) {
            kill(relay)
            restart(place)
        } else if happens(.pauses, 50) {
            let isCommon = chance(25)
            let end = now + pick(Self.length / 5..<3 * Self.length)
            for relay in isCommon ? relays : [relay] where relay.isAlive {
                relay.pausedUntil = end
                note("\(relay.name) stands still until \(end)")
            }
            count(isCommon ? "common pauses" : "pauses")
        } else if happens(.cuts, 50) {
            relay.cutUntil = now + pick(Self.length..<5 * Self.length / 2)
            count("cuts")
            note("\(relay.name) is cut off until \(relay.cutUntil)")
        } else if chance(50) {
            count("stops")
            note("\(relay.name) is to end")
            relay.isStopping = true
            stop(relay, place)
        }
    }

    private func kill(_ relay: WorldRelay) {
        count("kills")
        note("\(relay.name) is killed")
        relay.isAlive = false
        for attempt in relay.attempts.values { attempt.isExcused = true }
    }

    /// Ends a relay when nothing is under way.
    private func stop(_ relay: WorldRelay, _ place: Int) {
        guard relay.isAtRest else {
            after(20, of: relay) { $0.stop(relay, place) }
            return
        }
        note("\(relay.name) ends")
        ask(relay, about: .leases) {
            $0.rows.leave(relay.name)
        } take: { _, _ in
        }
        relay.isAlive = false
        restart(place)
    }

    private func restart(_ place: Int) {
        let relay = newRelay()
        relays[place] = relay
        after(pick(0..<2 * Self.length), of: relay) { $0.begin(relay) }
    }

    /// A relay of a build without shards takes the whole part when nobody has it, as while builds are
    /// exchanged.
    private func olderRelay() {
        started += 1
        let name = started
        guard rows.takeWholePart(name, at: now) else {
            after(pick(50..<Self.length)) { world in
                if world.isTroubled { world.olderRelay() }
            }
            return
        }
        count("older relays")
        note("older relay \(name) has the whole part")
        checkNoneHolds("older relay \(name)")
        after(pick(50..<2 * Self.length)) { world in
            world.rows.giveWholePartBack(name)
            world.note("older relay \(name) ends")
            if world.isTroubled { world.olderRelay() }
        }
        handOverAsOlder(name)
    }

    // MARK: What is told

    func count(_ name: String, _ times: Int = 1) { tally[name, default: 0] += times }

    func note(_ line: @autoclosure () -> String) {
        if keepsLines { lines.append("\(now) \(line())") }
    }

    func fail(_ promise: LeasePromise, _ text: String) {
        note("broken: \(promise.rawValue): \(text)")
        guard !violations.contains(where: { $0.promise == promise }) else { return }
        violations.append((promise, "\(text), \(now) ms after the beginning"))
    }
}

/// What happens in a world, as its seed chooses.
struct LeasePlan: CustomStringConvertible {
    /// A sort of fault.
    enum Fault: String, CaseIterable {
        case kills
        case pauses
        case cuts
        case lostAnswers
        case slowAnswers
        case silentMailServer
        case longAttempts
        case olderRelays
    }

    let shards: Int
    let mails: Int
    /// The milliseconds in which faults happen.
    let trouble: Int
    private let faults: Set<Fault>

    /// Whether no lease runs out.
    var isCalm: Bool {
        faults.isDisjoint(with: [.kills, .pauses, .cuts, .lostAnswers, .slowAnswers, .olderRelays])
    }

    init(using random: inout SeededRandom) {
        shards = .random(in: 1...9, using: &random)
        mails = .random(in: 10...60, using: &random)
        trouble = .random(in: 6...14, using: &random) * LeaseWorld.length
        let isCalm = Int.random(in: 0..<5, using: &random) == 0
        var faults: Set<Fault> = []
        for fault in Fault.allCases where Int.random(in: 0..<100, using: &random) < 60 {
            if !isCalm || fault == .longAttempts { faults.insert(fault) }
        }
        self.faults = faults
    }

    func has(_ fault: Fault) -> Bool { faults.contains(fault) }

    var description: String {
        let faults = faults.map(\.rawValue).sorted().joined(separator: ", ")
        return
            "\(shards) shards, \(mails) mails, \(trouble) ms of \(faults.isEmpty ? "calm" : faults)"
    }
}

/// What is to happen, in its order.
private struct Agenda {
    struct Event {
        let relay: WorldRelay?
        let perform: (LeaseWorld) -> Void
        var time = 0
        var number = 0
    }

    /// The next event is the last one.
    private var events: [Event] = []
    private var added = 0

    mutating func add(_ event: Event, at time: Int) {
        var event = event
        event.time = time
        if event.number == 0 {
            added += 1
            event.number = added
        }
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            let other = events[middle]
            if (other.time, other.number) > (event.time, event.number) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        events.insert(event, at: low)
    }

    mutating func next() -> Event? { events.popLast() }
}
