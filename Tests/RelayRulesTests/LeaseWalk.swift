import LeaseWorlds
import OutboxCore

@testable import RelayRules

/// A walk over all states of two relays and the rows of one shard, breadth first.
///
/// A state is three numbers: of the rows, and of each relay. What one relay does depends on itself and the
/// rows alone, so that each step is computed once.
struct LeaseWalk {
    /// The numbers of values, in the order in which they were found.
    private struct Numbers<Value: Hashable> {
        private(set) var values: [Value] = []
        private var numbers: [Value: Int] = [:]

        mutating func number(of value: Value) -> Int {
            if let number = numbers[value] { return number }
            numbers[value] = values.count
            values.append(value)
            return values.count - 1
        }
    }

    /// A step by numbers.
    private struct Step {
        let name: Int
        let relay: Int
        let rows: Int
        /// `0`: none.
        let notice: Int
        /// The number of the promises that it breaks. `0`: none.
        let broken: Int
        /// The relays that can have this step on the way on which they have the shard and finish its mails.
        let ways: UInt8
    }

    private struct Edge {
        let from: Int32
        let to: Int32
        let ways: UInt8
    }

    private let rules: LeaseRules
    private var rows = Numbers<LeaseRows>()
    private var relays = Numbers<LeaseRelay>()
    private var notices = Numbers<LeaseStep.Notice?>()
    private var names = Numbers<String>()
    private var promises = Numbers<Set<LeasePromise>>()
    private var steps: [[Int: [Step]]] = [[:], [:]]
    private var noticed: [Int: Int] = [:]
    private var later: [Int] = []
    private var haveShard: [Bool] = []
    private var areDue: [Bool] = []

    /// The states, and for each the state and the name of the step from which it was found.
    private(set) var states: [Int] = []
    private var found: [Int: Int32] = [:]
    private var origins: [(state: Int32, step: Int32)] = []
    private var edges: [Edge] = []
    /// For each promise that is broken, the steps of a shortest way to it.
    private(set) var broken: [LeasePromise: [String]] = [:]

    /// The greatest number of values of one sort.
    private static let bits = 20

    /// Walks, until all that is sought is broken or there is nothing more.
    init(_ rules: LeaseRules, seeking sought: Set<LeasePromise> = []) {
        self.rules = rules
        _ = notices.number(of: nil)
        _ = promises.number(of: [])
        let relay = relays.number(of: LeaseRelay())
        add(state(rows.number(of: LeaseRows(rules)), relay, relay), from: 0, 0, 0)
        var next = 0
        while next < states.count, sought.isEmpty || !sought.isSubset(of: broken.keys) {
            goOn(from: next)
            next += 1
        }
        if sought.isEmpty { checkFinishing() }
    }

    private func state(_ rows: Int, _ one: Int, _ other: Int) -> Int {
        precondition(max(rows, one, other) < 1 << Self.bits)
        return (rows << Self.bits | one) << Self.bits | other
    }

    private func parts(_ state: Int) -> (rows: Int, relays: (Int, Int)) {
        let mask = 1 << Self.bits - 1
        return (state >> (2 * Self.bits), (state >> Self.bits & mask, state & mask))
    }

    private mutating func add(_ state: Int, from origin: Int, _ step: Int, _ ways: UInt8) {
        let number: Int32
        if let known = found[state] {
            number = known
        } else {
            number = Int32(states.count)
            found[state] = number
            states.append(state)
            origins.append((Int32(origin), Int32(step)))
        }
        if ways != 0 { edges.append(Edge(from: Int32(origin), to: number, ways: ways)) }
    }

    private mutating func goOn(from number: Int) {
        let (rows, (one, other)) = parts(states[number])
        learn()
        if haveShard[one], haveShard[other] { fail([.oneHolder], number) }
        if rules.isCalm, !attempted(one).isDisjoint(with: attempted(other)) {
            fail([.attemptedAlone], number)
        }
        for step in steps(of: 0, one, rows) {
            if step.broken != 0 { fail(promises.values[step.broken], number, step.name) }
            let other = notice(step.notice, other)
            add(state(step.rows, step.relay, other), from: number, step.name, step.ways)
        }
        for step in steps(of: 1, other, rows) {
            if step.broken != 0 { fail(promises.values[step.broken], number, step.name) }
            let one = notice(step.notice, one)
            add(state(step.rows, one, step.relay), from: number, step.name, step.ways)
        }
        learn()
        let isPause = areDue[one] || areDue[other]
        if !isPause || self.rows.values[rows].pauses > 0 {
            var later = self.rows.values[rows]
            later.passTime(isPause: isPause)
            let next = state(self.rows.number(of: later), self.later[one], self.later[other])
            add(next, from: number, names.number(of: "time passes"), isPause ? 0 : 3)
        }
    }

    private func attempted(_ relay: Int) -> Set<Int> { Set(relays.values[relay].attempts.keys) }

    private mutating func steps(of me: Int, _ relay: Int, _ number: Int) -> [Step] {
        let key = relay << Self.bits | number
        if let known = steps[me][key] { return known }
        let made = LeaseStep.all(of: me, relays.values[relay], rows.values[number], rules)
            .map { step in
                return Step(
                    name: names.number(of: step.name),
                    relay: relays.number(of: step.relay),
                    rows: rows.number(of: step.rows),
                    notice: notices.number(of: step.notice),
                    broken: promises.number(of: step.broken),
                    ways: ways(of: step, by: me)
                )
            }
        steps[me][key] = made
        return made
    }

    private func ways(of step: LeaseStep, by me: Int) -> UInt8 {
        if step.isFault || step.isEnd { return 0 }
        return step.wants.map { $0 == (me == 0) ? 1 : 2 } ?? 3
    }

    private mutating func notice(_ notice: Int, _ relay: Int) -> Int {
        guard let value = notices.values[notice] else { return relay }
        let key = notice << Self.bits | relay
        if let known = noticed[key] { return known }
        var changed = relays.values[relay]
        switch value {
        case .claim: changed.seeClaim()
        case .handOut(let mails): changed.seeHandOut(of: mails)
        case .outcome(let mail): changed.seeOutcome(of: mail)
        }
        let number = relays.number(of: changed)
        noticed[key] = number
        return number
    }

    /// Computes what is to be known of each relay.
    private mutating func learn() {
        while haveShard.count < relays.values.count {
            let relay = relays.values[haveShard.count]
            haveShard.append(relay.hasShard)
            areDue.append(relay.isDue)
            var next = relay
            next.passTime(rules.tick, looksAtEnd: rules.sabotage != .noEnd)
            later.append(relays.number(of: next))
        }
    }

    private mutating func fail(_ promises: Set<LeasePromise>, _ number: Int, _ step: Int? = nil) {
        for promise in promises where broken[promise] == nil {
            broken[promise] = way(to: number) + (step.map { [names.values[$0]] } ?? [])
        }
    }

    private func way(to number: Int) -> [String] {
        var (way, number) = ([String](), number)
        while number != 0 {
            way.append(names.values[Int(origins[number].step)])
            number = Int(origins[number].state)
        }
        return way.reversed()
    }

    /// Goes back from the states in which a relay has the shard and all mails are finished.
    private mutating func checkFinishing() {
        var first = [Int](repeating: 0, count: states.count + 1)
        for edge in edges { first[Int(edge.to) + 1] += 1 }
        for state in states.indices { first[state + 1] += first[state] }
        var places = first
        var into = [Int](repeating: 0, count: edges.count)
        for (place, edge) in edges.enumerated() {
            into[places[Int(edge.to)]] = place
            places[Int(edge.to)] += 1
        }
        for relay in 0..<2 {
            let way = UInt8(relay + 1)
            var reaches = states.map { state in
                let (rows, relays) = parts(state)
                return self.rows.values[rows].queued.isEmpty
                    && haveShard[relay == 0 ? relays.0 : relays.1]
            }
            var open = states.indices.filter { reaches[$0] }
            while let state = open.popLast() {
                for place in into[first[state]..<first[state + 1]] {
                    let edge = edges[place]
                    guard edge.ways & way != 0, !reaches[Int(edge.from)] else { continue }
                    reaches[Int(edge.from)] = true
                    open.append(Int(edge.from))
                }
            }
            if let stuck = reaches.firstIndex(of: false) {
                fail([.finishing], stuck)
            }
        }
    }
}
