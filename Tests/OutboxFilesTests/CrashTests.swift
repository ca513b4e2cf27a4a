import Foundation
import Outbox
import OutboxCore
import OutboxFiles
import OutboxLedger
import OutboxTesting
import Synchronization
import TemporaryFolders
import TestSeeds
import Testing

@Suite(.timeLimit(.minutes(60))) struct CrashTests {
    /// A disk just before one of its operations, and what was promised by then.
    private struct Moment: Sendable {
        let content: SimulatedDisk.Content
        let promises: Ledger.Promises
    }

    private final class Moments: Sendable {
        let all = Mutex<[Moment]>([])
    }

    /// Runs the script once, with a picture before every operation and one at the end.
    private func moments(
        through system: (SimulatedDisk) -> any FileSystem = { $0 }
    ) throws -> [Moment] {
        let disk = SimulatedDisk.prepared()
        let scenario = FileScenario()
        let (moments, ledger) = (Moments(), scenario.ledger)
        let observer = { @Sendable (content: SimulatedDisk.Content) in
            moments.all.withLock {
                $0.append(Moment(content: content, promises: ledger.promises))
            }
        }
        disk.observe(observer)
        let outbox = try FileScenario.open(system(disk))
        for step in scenario.steps { try step(outbox) }
        disk.observe(nil)
        observer(disk.content)
        return moments.all.withLock { $0 }
    }

    private struct Tally {
        var states = 0
        var verdict = Verdict()
        var unsealed = 0
        var leftovers = 0
    }

    private func tally(_ moments: [Moment], seed: UInt64) throws -> Tally {
        var random = SeededRandom(seed: seed)
        var tally = Tally()
        for moment in moments {
            // What a power cut leaves of them is a part of these.
            tally.unsealed += moment.content.allBytes.count { ScenarioWorld.isReadable(in: $0) }
            try CrashStates(moment.content).forEach(&random) { content in
                tally.states += 1
                let disk = SimulatedDisk(content)
                let outbox = try FileScenario.open(disk)
                tally.leftovers += try disk.names(in: FileScenario.folder + "/temporary").count
                tally.verdict += try FileScenario.inspect(
                    outbox,
                    moment.promises,
                    afterPowerCut: true
                )
                let id = try outbox.enqueue(kind: "note", payload: [1])
                if try outbox.open(id).payload != [1] { tally.verdict.lost += 1 }
            }
        }
        return tally
    }

    @Test(
        "a power cut at any file operation, in any legal state of the disk, loses nothing",
        arguments: TestSeeds["file-power-cut"]
    )
    func everyOperation(seed: UInt64) throws {
        let share = SearchShare()
        let moments = share.of(try moments())
        let tally = try tally(moments, seed: seed)
        print(
            """
            crash: \(share), \(moments.count) operations, \(tally.states) states, \(tally.verdict), \
            unsealed \(tally.unsealed), seed \(seed)
            """
        )
        #expect(moments.count > 100 / share.stride && tally.states > 10_000 / share.stride / 2)
        #expect(tally.verdict.isClean, "\(share), seed \(seed): \(tally.verdict)")
        #expect(tally.unsealed == 0 && tally.leftovers == 0, "seed \(seed)")
    }

    @Test(
        "a power cut while a store recovers from one loses nothing either",
        arguments: TestSeeds["file-power-cut-while-recovering"]
    )
    func whileRecovering(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (states, verdict) = (0, Verdict())
        for moment in try moments().shuffled(using: &random).prefix(12) {
            var first: [SimulatedDisk.Content] = []
            CrashStates(moment.content).forEach(&random) { first.append($0) }
            for content in first.shuffled(using: &random).prefix(4) {
                let disk = SimulatedDisk(content)
                let seen = Moments()
                disk.observe { content in
                    seen.all.withLock {
                        $0.append(Moment(content: content, promises: moment.promises))
                    }
                }
                _ = try FileScenario.inspect(
                    try FileScenario.open(disk),
                    moment.promises,
                    afterPowerCut: true
                )
                disk.observe(nil)
                let tally = try tally(seen.all.withLock { $0 }, seed: random.next())
                states += tally.states
                verdict += tally.verdict
            }
        }
        print("crash while recovering: \(states) states, \(verdict), seed \(seed)")
        #expect(states > 0 && verdict.isClean, "seed \(seed): \(verdict)")
    }

    @Test(
        "the search finds a store that leaves out a sync",
        arguments: [FileOperation.syncFile, .syncFolder]
    )
    func sabotage(omitted: FileOperation) throws {
        let moments = try moments { InterposedFiles($0) { $0 != omitted } }
        let some = moments.indices.filter { $0 % 8 == 7 }.map { moments[$0] }
        let tally = try tally(some, seed: 1)
        print("crash without \(omitted): \(tally.states) states, \(tally.verdict)")
        #expect(tally.verdict.lost + tally.verdict.damaged > 0)
    }
}
