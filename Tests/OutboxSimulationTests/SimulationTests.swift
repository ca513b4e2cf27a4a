import OutboxSimulation
import TestSeeds
import Testing

@Suite("The simulated world", .timeLimit(.minutes(60)))
struct SimulationTests {
    @Test("one seed is one run", arguments: TestSeeds["simulation-twice"])
    func determinism(first: UInt64) {
        let runs = (0..<20).map { Simulation(seed: first &+ $0) }
        for run in runs {
            let again = Simulation(seed: run.seed, keepsLines: true)
            #expect(again.hash == run.hash, "seed \(run.seed)")
            #expect(again.violations == run.violations, "seed \(run.seed)")
        }
        #expect(Set(runs.map(\.hash)).count == runs.count, "from seed \(first)")
    }

    @Test(
        "no promise is broken, and every fault happens and has effects",
        arguments: [1] + TestSeeds["simulation"]
    )
    func promises(first: UInt64) {
        let count = 150
        let result = Campaign(first: first, count: count).run(workers: 2)
        let tally = result.tally
        print(
            """
            simulation: \(result.seeds) seeds from \(first), \(tally.written) memos, \
            \(tally.attempts) attempts, \(tally.diskOperations) disk operations, \
            \(tally.crashes) crashes, \(tally.collapsed) collapsed repeats, \
            \(result.failures.count) with violations
            """
        )
        for failure in result.failures {
            Issue.record("scripts/simulate --seed \(failure.seed): \(failure.violations[0])")
        }
        #expect(result.seeds == count)
        #expect(tally.acknowledged > count && tally.crashes > count && tally.collapsed > 0)
        for (name, count) in tally.faultCounts + tally.effectCounts where first == 1 {
            #expect(count > 0, "\(name)")
        }
    }

    @Test(
        "worlds in which a promise was broken once break none",
        arguments: TestSeeds["simulation-found"]
    )
    func found(seed: UInt64) {
        let violations = Simulation(seed: seed).violations
        #expect(violations.isEmpty, "scripts/simulate --seed \(seed)")
    }

    @Test("what is made wrong on purpose is found", arguments: Sabotage.allCases)
    func sabotage(_ sabotage: Sabotage) {
        // Every fourth world is a browser's.
        let step: UInt64 = sabotage.isBrowsers ? 4 : 1
        let count = 30 / Int(step)
        var first: UInt64 = 1
        while first < 600 {
            let campaign = Campaign(first: first, count: count, step: step, sabotage: sabotage)
            let violations = campaign.run(workers: 2).failures.flatMap(\.violations)
            if violations.contains(where: { $0.checker == sabotage.breaks }) { return }
            first += UInt64(count) * step
        }
        Issue.record("nothing was found in seeds 1 to \(first)")
    }
}

extension Sabotage {
    /// Whether only a browser, or a page of one, does it.
    fileprivate var isBrowsers: Bool {
        switch self {
        case .tornTransactions, .sharedLocks, .hastyField, .relaxedDisk, .clearRecords,
            .droppedAnswers, .confirmingErrors, .pullsOverChanges, .forgottenTombstones,
            .trustedWallClock, .forgottenRefusals:
            true
        default: false
        }
    }

    /// The promise that it breaks.
    fileprivate var breaks: String {
        switch self {
        case .removalBeforeSending, .believedStrangers, .diskThatLiesAboutSyncs, .hastyField,
            .relaxedDisk:
            "no acknowledged memo is lost"
        case .forgetfulRelay, .newMessageIDs: "no memo is doubled"
        case .countedWaits: "a wait that a server asked for is not counted as an attempt"
        case .noLanes, .lanesNeverBlock: "the order in a lane is kept"
        case .unsealedText, .clearRecords: "nothing is unsealed at rest"
        case .tornTransactions: "history and outbox agree"
        case .sharedLocks: "one process at a time attempts a memo"
        case .newIdentifiers: "an identifier is never made anew"
        case .relayThatStops, .droppedAnswers: "everything drains once faults are over"
        case .confirmingErrors, .pullsOverChanges, .forgottenRefusals:
            "no change of what devices share is lost"
        case .forgottenTombstones: "all devices of a person come to agree"
        case .trustedWallClock: "a change is not earlier than what its author saw"
        }
    }
}
