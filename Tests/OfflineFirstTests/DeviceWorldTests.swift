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

    @Test(
        "two telephones and a terminal of one person agree, however seldom the telephones are in front",
        arguments: TestSeeds["device-worlds"]
    )
    func telephones(first: UInt64) throws {
        var tally = Tally()
        for seed in first..<first + 16 {
            let run = try DeviceWorld(seed: seed, hasTelephones: true)
            let again = "scripts/explore-sync --devices --telephones --seed \(seed)"
            #expect(run.violations.isEmpty, "\(again)")
            tally += run.tally
        }
        #expect(tally.suspensions > tally.restarts && tally.restarts > 0)
        #expect(tally.edits > 0 && tally.conflicts > 0 && tally.refusals > 0)
    }

    @Test("one seed is one run, with telephones too", arguments: [false, true])
    func repeats(hasTelephones: Bool) throws {
        func lines() throws -> [String] {
            try DeviceWorld(seed: 3, hasTelephones: hasTelephones, keepsLines: true).report
        }
        let first = try lines()
        #expect(first.count > 10)
        #expect(try lines() == first)
    }

    @Test(
        "a server that breaks its duties is found",
        arguments: [PlantedBug.serverForgetsAnswers, .serverChecksNoVersion],
        [false, true]
    )
    func planted(bug: PlantedBug, hasTelephones: Bool) throws {
        let found = try (UInt64(1)...40).contains { seed in
            try !DeviceWorld(seed: seed, bug: bug, hasTelephones: hasTelephones).violations.isEmpty
        }
        #expect(found)
    }
}
