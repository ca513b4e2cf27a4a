import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import TestSeeds
import Testing
import Waiting

@Suite(.serialized, .timeLimit(.minutes(60))) struct CacheKillTests {
    @Test(
        "whatever is killed whenever, each change is there with its operation, and the totals are right",
        arguments: TestSeeds["cache-kills"]
    )
    func kills(seed: UInt64) async throws {
        try await onOwnThread { try killProcesses(seed) }
    }

    private func killProcesses(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(path: folder.file("key"))
        let storage = try SQLiteStorage(path: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: keys)
        let cache = try DiskCache(
            in: storage,
            sealer: outbox.sealer,
            limits: CacheLimits(entries: 50)
        )
        let pairs = KilledPairs(work: "cache", folder: folder, seed: seed)
        try pairs.run(rounds: 40, longest: 8000) { circumstances in
            try examine(storage, outbox, cache, pairs, circumstances)
        }
    }

    private func examine(
        _ storage: SQLiteStorage,
        _ outbox: Outbox<SQLiteStorage>,
        _ cache: DiskCache,
        _ pairs: KilledPairs,
        _ circumstances: String
    ) throws {
        // Of each operation there is one change that is not settled, and the reverse.
        let (changes, entries, bytes) = try storage.read { connection in
            let row = try connection.first(
                """
                SELECT (SELECT sum(pending) FROM cache_values_entry),
                    count(*), sum(bytes) FROM cache_values_order
                """
            ) { (Int($0.integer(0)), Int($0.integer(1)), Int($0.integer(2))) }
            return try #require(row)
        }
        let counts = try cache.counts()
        #expect(try outbox.counts().queued == changes, "\(circumstances)")
        #expect(counts.entries == entries && counts.bytes == bytes, "\(circumstances)")
        #expect(counts.entries <= 50 && counts.unreadable == 0, "\(circumstances)")
        let numbers = try pairs.promised()
        #expect(changes >= numbers.count, "\(circumstances)")
        for key in Set(numbers.map { $0 % 20 }) {
            let name = CacheKey(place: "list", bytes: Array("\(key)".utf8))
            let entry = try #require(try cache.entry(for: name), "\(circumstances)")
            let text = String(decoding: entry.bytes ?? [], as: UTF8.self)
            let number = try #require(Int(text.dropFirst("value ".count)))
            #expect(number % 20 == key, "\(circumstances)")
        }
    }
}
