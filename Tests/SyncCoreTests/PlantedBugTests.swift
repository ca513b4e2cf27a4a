import OfflineFirstTesting
import SyncWorlds
import Testing

/// A checker that cannot fail proves nothing.
@Suite("Planted bugs", .timeLimit(.minutes(60)))
struct PlantedBugTests {
    @Test(
        "a server that breaks its part of the contract is found",
        arguments: [
            (
                PlantedBug.serverForgetsAnswers,
                [Promise.nothingDoubled, .nothingLost, .monotonicWrites]
            ),
            (.serverChecksNoVersion, [.policyKept]),
            (.serverClampsNothing, [.stampsOrdered]),
            (.serverClampsOld, [.stampsOrdered]),
            (.serverReordersClamped, [.stampsOrdered]),
        ]
    )
    func server(bug: PlantedBug, promises: [Promise]) {
        var found: Set<Promise> = []
        for seed in UInt64(1)...150 where found.isDisjoint(with: promises) {
            for violation in RandomWorld(seed: seed, bug: bug).world.violations {
                found.insert(violation.promise)
            }
        }
        #expect(!found.isDisjoint(with: promises), "found \(found)")
    }

    @Test("no checker sees a broken promise on a bare table")
    func soundTable() {
        for seed in UInt64(1)...50 {
            #expect(BareTable(seed: seed).book.violations.isEmpty, "seed \(seed)")
        }
    }

    @Test("each checker finds the bug that is planted for it", arguments: BareTable.Bug.allCases)
    func checkers(bug: BareTable.Bug) {
        var found: Set<Promise> = []
        for seed in UInt64(1)...100 where !found.contains(bug.promise) {
            for violation in BareTable(seed: seed, bug: bug).book.violations {
                found.insert(violation.promise)
            }
        }
        #expect(found.contains(bug.promise), "found \(found)")
    }
}
