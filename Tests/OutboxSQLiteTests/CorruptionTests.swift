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

@Suite(.serialized, .timeLimit(.minutes(60))) struct CorruptionTests {
    private typealias Store = CorruptibleStore

    private let store: Store

    init() throws {
        store = try Store()
    }

    @Test(
        "a flipped bit of the database leaves each operation intact, quarantined or reported",
        arguments: [false, true],
        TestSeeds["database-bits"]
    )
    func flippedBits(isSettled: Bool, seed: UInt64) async throws {
        let (store, contents) = (store, isSettled ? store.settled : store.logged)
        var random = SeededRandom(seed: seed)
        let share = SearchShare()
        let bytes = share.of(Array(0..<(try #require(contents[Store.database]).count)))
        let count = bytes.count
        let changes = bytes.map { byte in
            Store.flip(byte * 8 + Int.random(in: 0..<8, using: &random))
        }
        let tally = try await onOwnThread {
            try store.tally(Store.database, of: contents, changes)
        }
        print("SQLite, one bit of a byte of the database, \(share), seed \(random.seed): \(tally)")
        #expect(tally.changes == count && tally.untyped == 0, "seed \(random.seed)")
        for fate in [Store.Fate.forged, .displaced, .missing] {
            #expect(tally.fates[fate, default: 0] == 0, "\(fate), seed \(random.seed)")
        }
        // A page holds several operations; those on other pages are not concerned, unless it is the
        // tables' definition that is damaged.
        let all = count * store.promises.operations.count
        #expect(tally.fates[.intact, default: 0] * 10 > all * 7, "seed \(random.seed)")
    }

    @Test(
        "a truncated database leaves each operation intact, quarantined or reported",
        arguments: [false, true]
    )
    func truncations(isSettled: Bool) async throws {
        let (store, contents) = (store, isSettled ? store.settled : store.logged)
        let count = try #require(contents[Store.database]).count
        let lengths = (0..<count).filter { $0 % 7 == 0 || ($0 + 1) % 512 < 3 }
        let changes = lengths.map(Store.cut)
        let tally = try await onOwnThread {
            try store.tally(Store.database, of: contents, changes)
        }
        print("SQLite, truncations of the database: \(tally)")
        #expect(tally.changes == lengths.count && tally.untyped == 0)
        for fate in [Store.Fate.forged, .displaced, .missing] {
            #expect(tally.fates[fate, default: 0] == 0, "\(fate)")
        }
    }

    @Test("an identifier that became a text is quarantined, not attempted for ever")
    func identifierOfAnotherType() async throws {
        let folder = try WatchedFolder()
        let script = Scenario<SQLiteStorage>()
        let outbox = try SQLiteScenario.open(folder)
        for number in [1, 2] { try script.insert([number])(outbox) }
        _ = try outbox.storage.write {
            try $0.run("UPDATE outbox_operation SET id = CAST(id AS TEXT)")
        }
        try await outbox.drain(["note": { _ in .park("attempted") }], until: .idle)
        #expect(try outbox.counts() == OutboxCounts(quarantined: 2))
    }

    @Test("an identifier that a damaged index leads to another operation changes neither")
    func astray() throws {
        let (folder, script) = try storeWithIndexAstray()
        let storage = try SQLiteScenario.open(folder).storage
        #expect(try storage.damage(checkingUpTo: .max) == [.inconsistent])
        for number in [1, 3] {
            #expect(try storage.entry(for: script.id(number)) == nil)
            try storage.settle(.remove, for: script.id(number))
        }
        #expect(try storage.entries(in: .queued, after: nil, limit: 9).count == 2)
    }

    @Test("a check reads no more than it is told to")
    func limit() throws {
        let (folder, _) = try storeWithIndexAstray()
        let storage = try SQLiteScenario.open(folder).storage
        let stored = try storage.entries(in: .queued, after: nil, limit: 9)
            .reduce(0) { $0 + $1.record.count }
        #expect(try storage.damage(checkingUpTo: stored) == [.inconsistent])
        for limit in [stored - 1, 0] { #expect(try storage.damage(checkingUpTo: limit) == []) }
    }

    @Test("a drain says that a small storage contradicts itself")
    func drain() async throws {
        let (folder, _) = try storeWithIndexAstray()
        let events = Mutex<[OutboxEvent]>([])
        let outbox = Outbox(
            storage: try SQLiteStorage(path: folder.file(Store.database)),
            keys: ScenarioWorld.keys,
            log: { event in events.withLock { $0.append(event) } }
        )
        try await outbox.drain([:], until: .idle)
        let damage = events.withLock { $0.filter { $0.change == .damaged } }
        #expect(damage.map(\.reason) == ["storage.inconsistent"])
    }

    /// Of two operations that have each other's identifier in their rows, but not in the index.
    private func storeWithIndexAstray() throws -> (WatchedFolder, Scenario<SQLiteStorage>) {
        let folder = try WatchedFolder()
        let path = folder.file(Store.database)
        let script = Scenario<SQLiteStorage>()
        try script.insert([1, 3])(SQLiteScenario.open(folder))
        // The index is hidden while the two rows exchange their identifiers.
        let index = "WHERE name = 'outbox_due'"
        do {
            let connection = try Connection(path: path)
            try connection.execute(
                """
                PRAGMA writable_schema=ON; CREATE TABLE hidden AS SELECT * FROM sqlite_schema \(index);
                DELETE FROM sqlite_schema \(index)
                """
            )
        }
        do {
            let connection = try Connection(path: path)
            try connection.run(
                "UPDATE outbox_operation SET id = CASE id WHEN ?1 THEN ?2 ELSE ?1 END",
                .blob(script.id(1).bytes),
                .blob(script.id(3).bytes)
            )
            try connection.execute(
                "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema SELECT * FROM hidden"
            )
        }
        return (folder, script)
    }
}
