import ArgumentParser
import SyncWorlds

/// Runs random worlds of devices that edit while the server is away.
@main
struct ExploreSync: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore-sync",
        abstract: "Runs devices, network and server of SyncCore in one process, with faults.",
        discussion: """
            One seed is one world. Exit status 1 if a promise was broken; the command that repeats \
            it is printed.
            """
    )

    @Option(help: "How many random worlds to run.")
    var worlds = 50_000

    @Option(help: "The seed of the first one; a random one if not told.")
    var from: UInt64?

    @Option(help: "Run this seed alone, and print what happens.")
    var seed: UInt64?

    @Option(help: "Make this wrong on purpose, so that a promise is broken.")
    var bug: PlantedBug?

    func run() throws {
        let isSound = seed.map(replay) ?? runWorlds()
        if !isSound { throw ExitCode.failure }
    }

    private func replay(_ seed: UInt64) -> Bool {
        let run = RandomWorld(seed: seed, bug: bug, keepsLines: true)
        for line in run.report { print(line) }
        return run.world.violations.isEmpty
    }

    private func runWorlds() -> Bool {
        guard worlds > 0 else { return true }
        let first = from ?? UInt64.random(in: 0..<1 << 48)
        print("worlds: \(worlds) from seed \(first)")
        var tally = Tally()
        var steps = 0
        var violations = 0
        for number in 0..<UInt64(worlds) {
            let seed = first &+ number
            let run = RandomWorld(seed: seed, bug: bug)
            tally += run.world.tally
            steps += run.world.steps
            guard let violation = run.world.violations.first else { continue }
            violations += 1
            if violations <= 20 {
                print("violation: seed \(seed): \(violation.promise.rawValue): \(violation.text)")
                print("again: scripts/explore-sync --seed \(seed)")
            }
        }
        print(
            """
            steps \(steps), edits \(tally.edits), applied \(tally.applied), \
            conflicts \(tally.conflicts), overruled \(tally.overruled), \
            refusals \(tally.refusals), choices \(tally.choices), renames \(tally.renames)
            restarts \(tally.restarts), requests given up \(tally.timeouts), \
            repeated \(tally.repeats), new nodes \(tally.newNodes), \
            tombstones dropped \(tally.forgotten)
            rounds to rest \(tally.longestHealing)
            violations \(violations)
            """
        )
        return violations == 0
    }
}

extension PlantedBug: ExpressibleByArgument {}
