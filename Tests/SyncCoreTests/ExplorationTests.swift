import OfflineFirstTesting
import SyncWorlds
import Testing

@Suite("Exploration", .timeLimit(.minutes(60)))
struct ExplorationTests {
    @Test(
        "no order of messages that are lost, late or repeated breaks a promise",
        arguments: UInt8(0)...4
    )
    func everyOrder(kind: UInt8) {
        var exploration = Exploration(kind: kind, size: Exploration.small)
        exploration.run()
        #expect(exploration.isWhole)
        #expect(exploration.states > 700)
        for (violation, path) in exploration.violations {
            Issue.record("\(violation.promise.rawValue): \(violation.text), path \(path)")
        }
    }

    @Test("a server that checks no version is found")
    func plantedBug() {
        var exploration = Exploration(
            kind: 0,
            size: Exploration.Size(edits: (1, 1), losses: 0, lateAnswers: 0, repeats: 0, wakes: 0),
            bug: .serverChecksNoVersion
        )
        exploration.run()
        #expect(exploration.violations.contains { $0.violation.promise == .policyKept })
    }
}
