package import OutboxCore

/// The observations of a run: shown to the checkers at once, written down as lines, and summed up in one
/// number, by which two runs are compared.
final class History {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Empty unless asked for.
    private(set) var lines: [String] = []
    private(set) var violations: [Violation] = []
    private(set) var tally = Tally()
    private let keepsLines: Bool
    private var checkers: [any Checker]
    private let now: () -> Milliseconds

    init(keepsLines: Bool, checkers: [any Checker], now: @escaping () -> Milliseconds) {
        self.keepsLines = keepsLines
        self.checkers = checkers
        self.now = now
    }

    /// Writes a line down.
    func note(_ who: String, _ what: String) {
        let line = "\(seconds) \(who): \(what)"
        mix(line.utf8)
        if keepsLines { lines.append(line) }
    }

    /// Writes down what is too frequent to be read: only its sum is kept.
    func mix(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    func count(_ fault: Fault, _ who: String, _ what: String = "") {
        tally.count(fault)
        note(who, "! \(fault.rawValue)\(what.isEmpty ? "" : ", \(what)")")
    }

    func observe(_ observation: Observation) {
        tally.add(observation)
        for index in checkers.indices {
            if let problem = checkers[index].problem(with: observation, at: now()) {
                report(problem, by: checkers[index].name)
            }
        }
    }

    /// Asks the checkers what is wrong now that nothing more will come.
    func conclude() {
        for checker in checkers {
            for problem in checker.problemsAtEnd() { report(problem, by: checker.name) }
        }
    }

    func count(_ effect: Effect, times: Int = 1) {
        tally.effects[effect, default: 0] += times
    }

    func count(_ change: (inout Tally) -> Void) { change(&tally) }

    private func report(_ problem: String, by checker: String) {
        violations.append(Violation(checker: checker, problem: problem, time: now()))
        note("violation", "\(checker): \(problem)")
    }

    private var seconds: String {
        let time = now().count
        let rest = String(time % 1000)
        return "\(time / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}

/// A fault that a checker found.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
    package let checker: String
    package let problem: String
    package let time: Milliseconds

    package var description: String { "\(checker): \(problem) (at \(time.count) ms)" }
}

/// How much happened in a run, or in many.
package struct Tally: Sendable {
    package var written = 0
    package var acknowledged = 0
    package var attempts = 0
    package var accepted = 0
    package var delivered = 0
    package var collapsed = 0
    package var diskOperations = 0
    package var steps = 0
    var faults: [Fault: Int] = [:]
    var effects: [Effect: Int] = [:]

    package init() {}

    /// Deaths of processes, on devices and at the relay, and power cuts.
    package var crashes: Int {
        [Fault.processKilled, .powerCut, .relayKilled].reduce(0) { $0 + faults[$1, default: 0] }
    }

    /// How often each sort of fault happened, the names in order.
    package var faultCounts: [(name: String, count: Int)] {
        Fault.allCases.map { ($0.rawValue, faults[$0, default: 0]) }
    }

    /// How often each of what faults may come to happened, the names in order.
    package var effectCounts: [(name: String, count: Int)] {
        Effect.allCases.map { ($0.rawValue, effects[$0, default: 0]) }
    }

    mutating func count(_ fault: Fault) { faults[fault, default: 0] += 1 }

    package static func += (left: inout Tally, right: Tally) {
        left.written += right.written
        left.acknowledged += right.acknowledged
        left.attempts += right.attempts
        left.accepted += right.accepted
        left.delivered += right.delivered
        left.collapsed += right.collapsed
        left.diskOperations += right.diskOperations
        left.steps += right.steps
        left.faults.merge(right.faults, uniquingKeysWith: +)
        left.effects.merge(right.effects, uniquingKeysWith: +)
    }

    fileprivate mutating func add(_ observation: Observation) {
        switch observation {
        case .sendPressed: written += 1
        case .acknowledged: acknowledged += 1
        case .attempted: attempts += 1
        case .accepted: accepted += 1
        default: break
        }
    }
}
