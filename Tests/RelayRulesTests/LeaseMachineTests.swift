import LeaseWorlds
import Testing

/// Every course of two relays over one shard: between any two steps of one of them the other takes any
/// number of its own, and time passes; they fail, and their clocks are as slow as the margin of a lease
/// allows.
@Suite("The machine of the leases")
struct LeaseMachineTests {
    @Test(
        "whatever two relays and the database do in whatever order, each promise holds",
        arguments: [
            LeaseRules(mails: 2, pauses: 0), LeaseRules(pauses: 1),
            LeaseRules(faults: 1, pauses: 0),
        ]
    )
    func everyOrder(_ rules: LeaseRules) {
        let walk = LeaseWalk(rules)
        #expect(walk.broken.isEmpty, "\(walk.broken)")
        #expect(walk.states.count > 20_000, "\(walk.states.count) states")
    }

    @Test("a walk finds each deliberate fault", arguments: LeaseSabotage.allCases)
    func sabotages(_ sabotage: LeaseSabotage) {
        let walk = LeaseWalk(LeaseRules(sabotage: sabotage), seeking: sabotage.broken)
        #expect(sabotage.broken.isSubset(of: walk.broken.keys), "\(walk.states.count) states")
    }
}
