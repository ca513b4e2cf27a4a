import SyncWorlds
import TestSeeds
import Testing

@Suite("Random worlds", .timeLimit(.minutes(60)))
struct RandomWorldTests {
    @Test("no promise is broken in random worlds", arguments: TestSeeds["sync-worlds"])
    func promises(first: UInt64) {
        for seed in first..<first + 60 {
            let run = RandomWorld(seed: seed)
            #expect(run.world.violations.isEmpty, "scripts/explore-sync --seed \(seed)")
        }
    }

    @Test("one seed is one run")
    func repeats() {
        let lines = RandomWorld(seed: 7, keepsLines: true).report
        #expect(lines.count > 10)
        #expect(RandomWorld(seed: 7, keepsLines: true).report == lines)
    }

    @Test("the worlds meet every sort of trouble")
    func troubles() {
        var tally = Tally()
        for seed in UInt64(1)...100 { tally += RandomWorld(seed: seed).world.tally }
        #expect(tally.conflicts > 0 && tally.overruled > 0 && tally.refusals > 0)
        #expect(tally.choices > 0 && tally.renames > 0 && tally.restarts > 0)
        #expect(tally.timeouts > 0 && tally.repeats > 0 && tally.forgotten > 0)
        #expect(tally.restored > 0 && tally.newNodes > 0)
    }
}
