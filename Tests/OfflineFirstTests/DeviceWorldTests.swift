import OfflineFirstTesting
import SyncWorlds
import TestSeeds
import Testing

/// Whole devices over a server in memory: see `scripts/explore-sync --devices`.
@Suite(.timeLimit(.minutes(60))) struct DeviceWorldTests {
    @Test(
        "no promise is broken in worlds of devices that crash, lose power, and have wrong clocks",
        arguments: TestSeeds["device-worlds"]
    )
    func promises(first: UInt64) throws {
        var tally = Tally()
        for seed in first..<first + 16 {
            let run = try DeviceWorld(seed: seed)
            #expect(run.violations.isEmpty, "scripts/explore-sync --devices --seed \(seed)")
            tally += run.tally
        }
        #expect(tally.edits > 0 && tally.applied > 0 && tally.conflicts > 0)
        #expect(tally.refusals > 0 && tally.choices > 0 && tally.renames > 0)
        #expect(tally.restarts > 0 && tally.timeouts > 0 && tally.repeats > 0)
    }

    @Test("one seed is one run")
    func repeats() throws {
        let lines = try DeviceWorld(seed: 3, keepsLines: true).report
        #expect(lines.count > 10)
        #expect(try DeviceWorld(seed: 3, keepsLines: true).report == lines)
    }

    @Test(
        "a server that breaks its duties is found",
        arguments: [PlantedBug.serverForgetsAnswers, .serverChecksNoVersion]
    )
    func planted(bug: PlantedBug) throws {
        let found = try (UInt64(1)...40).contains { seed in
            try !DeviceWorld(seed: seed, bug: bug).violations.isEmpty
        }
        #expect(found)
    }
}
