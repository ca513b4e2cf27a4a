import LeaseWorlds
import TestSeeds
import Testing

/// Three relays over several shards, in worlds that seeds choose: see `scripts/simulate --relays`.
@Suite("Worlds of relays that share a queue")
struct LeaseWorldTests {
    @Test(
        "whatever three relays, their clocks and the database do, each promise holds",
        arguments: TestSeeds["lease-worlds"]
    )
    func promises(first: UInt64) {
        var tally: LeaseWorld.Tally = [:]
        for seed in first..<first + 30 {
            let world = LeaseWorld(seed: seed)
            #expect(
                world.violations.isEmpty,
                "\(world.violations), scripts/simulate --relays --seed \(seed)"
            )
            tally.merge(world.tally, uniquingKeysWith: +)
        }
        #expect(Set(tally.keys) == LeaseWorld.counted, "\(tally)")
    }

    /// The worlds in which faults show, of some hundred.
    private static let tellingSeeds: [UInt64] = [1, 23, 45, 92, 125]

    @Test("worlds find each deliberate fault", arguments: LeaseSabotage.allCases)
    func sabotages(_ sabotage: LeaseSabotage) {
        var missing = sabotage.broken
        for seed in Self.tellingSeeds where !missing.isEmpty {
            let world = LeaseWorld(seed: seed, sabotage: sabotage)
            missing.subtract(world.violations.map(\.promise))
        }
        #expect(missing.isEmpty)
    }

    @Test("one seed is one run")
    func repeats() {
        let lines = LeaseWorld(seed: 1, keepsLines: true).lines
        #expect(lines.count > 100)
        #expect(LeaseWorld(seed: 1, keepsLines: true).lines == lines)
    }
}
