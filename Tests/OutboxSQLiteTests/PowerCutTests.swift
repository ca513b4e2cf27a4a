import Outbox
import OutboxCore
import OutboxLedger
import OutboxSQLite
import OutboxTesting
import SQLite
import Synchronization
import TemporaryFolders
import TestSeeds
import Testing
import Waiting
import WatchedFiles

@Suite(.serialized, .timeLimit(.minutes(60))) struct PowerCutTests {
    /// A disk just before one of its operations, and what was promised by then.
    private struct Moment: Sendable {
        let disk: RecordedDisk
        let promises: Ledger.Promises
    }

    private final class Moments: Sendable {
        let all = Mutex<[Moment]>([])

        func observe(_ folder: WatchedFolder, _ promises: @escaping @Sendable () -> Ledger.Promises)
        {
            folder.observe { disk in
                self.all.withLock { $0.append(Moment(disk: disk, promises: promises())) }
            }
        }
    }

    /// Runs the script once, with a picture before every operation and one at the end.
    private func moments(
        holding oldOperations: [Int] = [],
        settings: String = "",
        rule: WatchedFolder.Rule? = nil
    ) throws -> [Moment] {
        let contents =
            try oldOperations.isEmpty
            ? [:] : SQLiteScenario.oldDatabase(holding: oldOperations)
        let folder = try WatchedFolder(contents)
        folder.apply(rule)
        let scenario = SQLiteScenario(in: folder, oldOperations: oldOperations)
        let (moments, ledger) = (Moments(), scenario.ledger)
        moments.observe(folder) { ledger.promises }
        if let error = scenario.run(settings: settings).first { throw error }
        folder.observe(nil)
        let last = Moment(disk: folder.disk, promises: ledger.promises)
        return moments.all.withLock { $0 + [last] }
    }

    private struct Tally: CustomStringConvertible {
        let seed: UInt64
        var moments = 0
        var states = 0
        var verdict = Verdict()
        var unsealed = 0
        /// Could not be opened, or did not pass SQLite's own check.
        var broken = 0
        /// A log of which something was dropped was set aside.
        var reported = 0

        var isClean: Bool { verdict.isClean && unsealed == 0 && broken == 0 }

        var description: String {
            """
            \(moments) operations, \(states) states, \(verdict), unsealed \(unsealed), \
            broken \(broken), logs set aside \(reported), seed \(seed)
            """
        }
    }

    /// Tells states apart, so that none is looked at twice under the same promises.
    private static func hash(
        _ contents: [String: [UInt8]],
        _ promises: Ledger.Promises
    ) -> Int {
        var hasher = Hasher()
        hasher.combine(promises)
        for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            hasher.combine(name)
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
        return hasher.finalize()
    }

    /// - Parameter isPatient: Whether to go on when something is wrong.
    private func tally(
        _ moments: [Moment],
        _ random: inout SeededRandom,
        isPatient: Bool = true
    ) throws -> Tally {
        var tally = Tally(seed: random.seed)
        let folder = try WatchedFolder()
        var seen: Set<Int> = []
        let garbage = (0..<32_768).map { _ in UInt8.random(in: 0...255, using: &random) }
        for moment in moments where isPatient || tally.isClean {
            tally.moments += 1
            try PowerCut(moment.disk, &random).forEach(&random) { contents in
                guard isPatient || tally.isClean else { return }
                guard seen.insert(Self.hash(contents, moment.promises)).inserted else { return }
                tally.states += 1
                tally.unsealed += contents.values.count { ScenarioWorld.isReadable(in: $0) }
                var contents = contents
                // Nobody syncs the index of the log, and SQLite makes it anew; whatever is there.
                contents[SQLiteScenario.database + "-shm"] =
                    tally.states % 2 == 0 ? garbage : []
                try folder.replace(with: contents)
                do {
                    try examine(folder, moment.promises, &tally)
                } catch {
                    tally.broken += 1
                }
            }
        }
        return tally
    }

    private func examine(
        _ folder: WatchedFolder,
        _ promises: Ledger.Promises,
        _ tally: inout Tally
    ) throws {
        let outbox = try SQLiteScenario.open(folder)
        tally.verdict += try inspect(
            outbox,
            promises,
            at: ScenarioWorld.now,
            afterPowerCut: true
        )
        tally.verdict.halves += try SQLiteScenario.halves(in: outbox)
        let damage = try outbox.storage.damage(checkingUpTo: .max)
        if !damage.isEmpty { tally.reported += 1 }
        let integrity = try outbox.storage.read { connection in
            try connection.first("PRAGMA integrity_check") { $0.text(0) }
        }
        if integrity != "ok" { tally.broken += 1 }
        let id = try outbox.enqueue(kind: "note", payload: [1])
        if try outbox.open(id).payload != [1] { tally.verdict.lost += 1 }
    }

    @Test(
        "a power cut at any file operation, in any legal state of the disk, loses nothing",
        arguments: TestSeeds["database-power-cut"]
    )
    func everyOperation(seed: UInt64) async throws {
        let share = SearchShare()
        let tally = try await onOwnThread {
            var random = SeededRandom(seed: seed)
            return try self.tally(share.of(try self.moments()), &random)
        }
        print("SQLite, crash: \(share): \(tally)")
        #expect(tally.moments > 250 / share.stride && tally.states > 3_000 / share.stride / 2)
        #expect(tally.isClean, "\(share): \(tally)")
        // Where a later frame reached the disk before an earlier one it looks like damage.
        #expect(tally.reported * 10 < tally.states, "\(tally)")
    }

    @Test("a process that is killed at any file operation leaves nothing to report")
    func kills() async throws {
        let (kills, reported) = try await onOwnThread {
            let moments = try self.moments()
            let folder = try WatchedFolder()
            var reported = 0
            for moment in moments {
                try folder.replace(with: moment.disk.latest)
                if try !SQLiteScenario.open(folder).storage.damage(checkingUpTo: .max).isEmpty {
                    reported += 1
                }
            }
            return (moments.count, reported)
        }
        #expect(kills > 250 && reported == 0, "\(reported) of \(kills)")
    }

    @Test(
        "a power cut while the database of an earlier build is opened and used loses nothing",
        arguments: TestSeeds["database-power-cut-while-migrating"]
    )
    func migration(seed: UInt64) async throws {
        let tally = try await onOwnThread {
            var random = SeededRandom(seed: seed)
            return try self.tally(
                Array(self.moments(holding: [101, 102, 103]).prefix(150)),
                &random
            )
        }
        print("SQLite, crash with an old database: \(tally)")
        #expect(tally.states > 500)
        #expect(tally.isClean, "\(tally)")
    }

    @Test(
        "a power cut while a database recovers from one loses nothing either",
        arguments: TestSeeds["database-power-cut-while-recovering"]
    )
    func whileRecovering(seed: UInt64) async throws {
        let tally = try await onOwnThread {
            var random = SeededRandom(seed: seed)
            return try self.tally(try self.recoveries(&random), &random)
        }
        print("SQLite, crash while recovering: \(tally)")
        #expect(tally.states > 1_000)
        #expect(tally.isClean, "\(tally)")
    }

    /// What the opening of what some power cuts left does to the disk.
    private func recoveries(_ random: inout SeededRandom) throws -> [Moment] {
        var recorded: [Moment] = []
        for moment in try moments().shuffled(using: &random).prefix(20) {
            var states: [[String: [UInt8]]] = []
            PowerCut(moment.disk, &random).forEach(&random) { states.append($0) }
            for contents in states.shuffled(using: &random).prefix(3) {
                let folder = try WatchedFolder(contents)
                let seen = Moments()
                seen.observe(folder) { moment.promises }
                try SQLiteScenario.open(folder).storage.checkpoint()
                recorded += seen.all.withLock { $0 }
            }
        }
        return recorded
    }

    @Test("a database whose making two power cuts end, wherever, can be opened")
    func making() async throws {
        let journal = SQLiteScenario.database + "-journal"
        let (states, refused) = try await onOwnThread {
            var random = SeededRandom(seed: 1)
            var (cut, cutAgain): (Set<[String: [UInt8]]>, Set<[String: [UInt8]]>) = ([], [])
            for disk in try self.opening([:]) {
                PowerCut(disk, &random).forEach(&random) { cut.insert($0) }
            }
            // The next opening takes the database back to nothing where its journal is whole.
            for contents in cut where contents[journal]?.isEmpty == false {
                for disk in try self.opening(contents).prefix(10) {
                    let end = PowerCut(disk, &random)
                    for _ in 0..<4 { cutAgain.insert(end.any(using: &random)) }
                }
            }
            let states = cut.union(cutAgain)
            let refused = states.count { (try? self.opening($0)) == nil }
            return (states.count, refused)
        }
        print("SQLite, power cuts while a database is made: \(states) states, refused \(refused)")
        #expect(states > 100 && refused == 0, "\(refused) of \(states)")
    }

    /// The disk at every moment of an opening.
    private func opening(_ contents: [String: [UInt8]]) throws -> [RecordedDisk] {
        let folder = try WatchedFolder(contents)
        let moments = Moments()
        moments.observe(folder) { Ledger().promises }
        try SQLiteStorage(path: folder.file(SQLiteScenario.database)).close()
        return moments.all.withLock { $0.map(\.disk) } + [folder.disk]
    }

    @Test(
        "the search finds a database that does not wait for the disk",
        arguments: ["PRAGMA synchronous=NORMAL", "PRAGMA synchronous=OFF"]
    )
    func sabotage(settings: String) async throws {
        let tally = try await onOwnThread {
            var random = SeededRandom(seed: 1)
            return try self.tally(try self.moments(settings: settings), &random, isPatient: false)
        }
        print("SQLite, crash with \(settings), until one is found: \(tally)")
        #expect(tally.verdict.lost > 0)
    }

    @Test(
        "the search finds a system that leaves out a sync",
        arguments: [SQLiteScenario.database, SQLiteScenario.database + "-wal"]
    )
    func omittedSync(name: String) async throws {
        let tally = try await onOwnThread {
            var random = SeededRandom(seed: 1)
            let moments = try self.moments { request, file in
                request == .sync && file == name ? .leaveOut : .pass
            }
            return try self.tally(moments, &random, isPatient: false)
        }
        print("SQLite, crash without a sync of \(name), until one is found: \(tally)")
        #expect(!tally.isClean)
    }
}
