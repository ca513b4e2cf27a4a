import ArgumentParser
import Foundation
import LeaseWorlds
import OutboxSimulation

/// Runs the simulated world of one seed, or of many. `scripts/simulate` builds and starts it.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs devices, network, relay, provider and inbox in one process, with faults.",
        discussion: """
            One seed is one run. Exit status 1 if a promise was broken; the failing seed and the \
            first promise that it broke are printed.
            """
    )

    @Option(help: "How many seeds to run.")
    var seeds = 2000

    @Option(help: "The first of them; a random one if not told.")
    var from: UInt64?

    @Option(help: "The distance between two seeds; 4 for one platform alone.")
    var step: UInt64 = 1

    @Option(help: "Run this seed alone, and print what happens.")
    var seed: UInt64?

    @Option(help: "How many threads to use; as many as there are processors if not told.")
    var workers = ProcessInfo.processInfo.activeProcessorCount

    @Option(help: "Make this wrong on purpose, so that a promise is broken.")
    var sabotage: Sabotage?

    @Flag(help: "Run worlds of relays that share a queue.")
    var relays = false

    @Option(help: "With --relays: make this wrong on purpose.")
    var relaySabotage: LeaseSabotage?

    func run() throws {
        let isSound =
            relays
            ? seed.map(replayRelays) ?? runRelays()
            : seed.map(replay) ?? runMany()
        if !isSound { throw ExitCode.failure }
    }

    private func replayRelays(_ seed: UInt64) -> Bool {
        let world = LeaseWorld(seed: seed, sabotage: relaySabotage, keepsLines: true)
        for line in world.lines { print(line) }
        return world.violations.isEmpty
    }

    private func runRelays() -> Bool {
        let first = from ?? UInt64.random(in: 0..<1 << 48)
        print("from seed \(first)")
        var tally: LeaseWorld.Tally = [:]
        var failures = 0
        for seed in (0..<UInt64(seeds)).map({ first &+ $0 &* step }) {
            let world = LeaseWorld(seed: seed, sabotage: relaySabotage)
            tally.merge(world.tally, uniquingKeysWith: +)
            guard let violation = world.violations.first else { continue }
            failures += 1
            if failures <= 20 {
                print("seed \(seed): \(violation.promise.rawValue): \(violation.text)")
                print("again: scripts/simulate --relays --seed \(seed)")
            }
        }
        for (name, count) in tally.sorted(by: { $0.key < $1.key }) { print("\(name) \(count)") }
        print("violations \(failures)")
        return failures == 0
    }

    private func replay(_ seed: UInt64) -> Bool {
        let simulation = Simulation(seed: seed, sabotage: sabotage, keepsLines: true)
        for line in simulation.lines { print(line) }
        print("seed \(seed), trace \(String(simulation.hash, radix: 16))")
        return simulation.violations.isEmpty
    }

    private func runMany() -> Bool {
        let first = from ?? UInt64.random(in: 0..<1 << 48)
        print("from seed \(first)")
        let start = ContinuousClock.now
        SeedsUnderWay.reportAtTrap()
        let result = Campaign(
            first: first,
            count: seeds,
            step: step,
            sabotage: sabotage,
            begins: SeedsUnderWay.set
        ).run(workers: max(1, workers))
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            """
            seeds \(result.seeds), \(Int(Double(result.seeds) * 60 / seconds)) a minute
            memos \(result.tally.written), acknowledged \(result.tally.acknowledged), \
            attempts \(result.tally.attempts), in the inbox \(result.tally.delivered), \
            collapsed repeats \(result.tally.collapsed)
            operations of disks \(result.tally.diskOperations), steps \(result.tally.steps), \
            crashes \(result.tally.crashes)
            """
        )
        for fault in result.tally.faultCounts { print("fault: \(fault.name) \(fault.count)") }
        for effect in result.tally.effectCounts { print("effect: \(effect.name) \(effect.count)") }
        print("traces \(String(result.hash, radix: 16))")
        print("violations \(result.failures.count)")
        for failure in result.failures.sorted(by: { $0.seed < $1.seed }).prefix(20) {
            print("seed \(failure.seed): \(failure.violations[0])")
        }
        return result.failures.isEmpty
    }
}

extension Sabotage: ExpressibleByArgument {}
extension LeaseSabotage: ExpressibleByArgument {}
