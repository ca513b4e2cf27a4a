import ArgumentParser
import OfflineFirstTesting
import SyncWorlds

/// Runs worlds of devices that edit while the server is away. `scripts/explore-sync` builds and
/// starts it.
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

    @Flag(help: "Visit every state of two devices, in place of random worlds.")
    var exhaustive = false

    @Flag(help: "Run worlds of whole devices, over databases that lose power and are killed.")
    var devices = false

    @Flag(help: "With --devices: each world is that of two telephones and a terminal.")
    var telephones = false

    @Option(help: "Only this policy's kind of record: 0 to 4.")
    var kind: UInt8?

    @Option(help: "Only this trouble: 0 to 9.")
    var trouble: Int?

    @Option(help: "At most so many states for each policy and trouble.")
    var states = Int.max

    @Option(help: "Repeat these choices of --kind and --trouble, and print what happens.")
    var path: String?

    @Option(help: "Make this wrong on purpose, so that a promise is broken.")
    var bug: PlantedBug?

    private static let policies = ["serverWins", "clientWins", "newerWins", "manual", "merge"]

    func validate() throws {
        guard kind.map({ $0 < 5 }) ?? true, trouble.map(Exploration.whole.indices.contains) ?? true
        else { throw ValidationError("There is no such policy, or no such trouble.") }
    }

    func run() throws {
        let isSound: Bool
        if let seed {
            isSound = try devices ? replayDevices(seed) : replay(seed)
        } else if let path {
            isSound = replay(path)
        } else {
            isSound = try exhaustive ? explore() : devices ? runDevices() : runWorlds()
        }
        if !isSound { throw ExitCode.failure }
    }

    private func replay(_ seed: UInt64) -> Bool {
        let run = RandomWorld(seed: seed, bug: bug, keepsLines: true)
        for line in run.report { print(line) }
        return run.world.violations.isEmpty
    }

    private func replayDevices(_ seed: UInt64) throws -> Bool {
        let run = try DeviceWorld(
            seed: seed,
            bug: bug,
            hasTelephones: telephones ? true : nil,
            keepsLines: true
        )
        for line in run.report { print(line) }
        return run.violations.isEmpty
    }

    private func replay(_ path: String) -> Bool {
        let size = Exploration.whole[trouble ?? 0].size
        let choices = path.split(separator: ",").compactMap { Int($0) }
        let lines = Exploration(kind: kind ?? 0, size: size, bug: bug).replay(choices)
        for line in lines { print(line) }
        return !lines.contains { $0.hasPrefix("violation") }
    }

    private func explore() -> Bool {
        var violations = 0
        for kind in UInt8(0)...4 where self.kind ?? kind == kind {
            for (number, (name, size)) in Exploration.whole.enumerated()
            where trouble ?? number == number {
                var exploration = Exploration(kind: kind, size: size, bug: bug)
                exploration.run(limit: states)
                print(
                    """
                    \(Self.policies[Int(kind)]), \(name): states \(exploration.states), \
                    transitions \(exploration.transitions), ends \(exploration.ends), \
                    violations \(exploration.violations.count)\
                    \(exploration.isWhole ? "" : ", not all visited")
                    """
                )
                for (violation, path) in exploration.violations.prefix(3) {
                    let choices = path.map(String.init).joined(separator: ",")
                    print("violation: \(violation.promise.rawValue): \(violation.text)")
                    print(
                        """
                        again: scripts/explore-sync --kind \(kind) --trouble \(number) \
                        --path \(choices)
                        """
                    )
                }
                violations += exploration.violations.count
            }
        }
        print("violations \(violations)")
        return violations == 0
    }

    private func runWorlds() -> Bool {
        runWorlds(again: "--seed") { seed in
            let run = RandomWorld(seed: seed, bug: bug)
            return (run.world.tally, run.world.steps, run.world.violations)
        }
    }

    private func runDevices() throws -> Bool {
        let again = telephones ? "--devices --telephones --seed" : "--devices --seed"
        return try runWorlds(again: again) { seed in
            let run = try DeviceWorld(seed: seed, bug: bug, hasTelephones: telephones ? true : nil)
            return (run.tally, run.steps, run.violations)
        }
    }

    private func runWorlds(
        again option: String,
        _ run: (UInt64) throws -> (Tally, Int, [Violation])
    ) rethrows -> Bool {
        guard worlds > 0 else { return true }
        let first = from ?? UInt64.random(in: 0..<1 << 48)
        print("worlds: \(worlds) from seed \(first)")
        var tally = Tally()
        var steps = 0
        var violations = 0
        for number in 0..<UInt64(worlds) {
            let seed = first &+ number
            let (counts, taken, found) = try run(seed)
            tally += counts
            steps += taken
            guard let violation = found.first else { continue }
            violations += 1
            if violations <= 20 {
                print("violation: seed \(seed): \(violation.promise.rawValue): \(violation.text)")
                print("again: scripts/explore-sync \(option) \(seed)")
            }
        }
        print(
            """
            steps \(steps), edits \(tally.edits), applied \(tally.applied), \
            conflicts \(tally.conflicts), overruled \(tally.overruled), \
            refusals \(tally.refusals), choices \(tally.choices), renames \(tally.renames)
            restarts \(tally.restarts), suspensions \(tally.suspensions), requests given up \(tally.timeouts), \
            repeated \(tally.repeats), restored or cloned \(tally.restored), \
            new nodes \(tally.newNodes), \
            tombstones dropped \(tally.forgotten)
            rounds to rest \(tally.longestHealing)
            violations \(violations)
            """
        )
        return violations == 0
    }
}

extension PlantedBug: ExpressibleByArgument {}
