import Foundation
import KilledProcess
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import TestSeeds
import Testing

@Suite(.serialized, .timeLimit(.minutes(60))) struct CacheKillTests {
    @Test(
        "whatever is killed whenever, each change is there with its operation, and the totals are right",
        arguments: TestSeeds["cache-kills"]
    )
    func kills(seed: UInt64) async throws {
        // On a thread of its own: it waits for processes, and the other tests need the task threads.
        try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread { done.resume(with: Result { try killProcesses(seed) }) }
        }
    }

    private func killProcesses(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let keys = FileKeyStore(path: folder.file("key"))
        let storage = try SQLiteStorage(path: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: keys)
        let cache = try DiskCache(
            in: storage,
            sealer: outbox.sealer,
            limits: CacheLimits(entries: 50)
        )
        var first = 0
        for _ in 0..<max(4, 40 / SearchShare().stride) {
            let processes = try [first, first + 1_000_000].map {
                try KilledProcess("CacheWriter", [folder.path, "\($0)"])
            }
            for process in processes { #expect(process.waitUntilItBegins(), "seed \(seed)") }
            usleep(UInt32.random(in: 0..<8000, using: &random))
            for process in processes { #expect(process.kill(), "seed \(seed)") }
            first += 10_000
            try examine(storage, outbox, cache, folder, "seed \(seed)")
        }
        #expect(try promised(folder).count > 0)
    }

    private func promised(_ folder: TemporaryFolder) throws -> [Int] {
        let text = try String(contentsOfFile: folder.file("promised"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { Int($0) }
    }

    private func examine(
        _ storage: SQLiteStorage,
        _ outbox: Outbox<SQLiteStorage>,
        _ cache: DiskCache,
        _ folder: TemporaryFolder,
        _ circumstances: String
    ) throws {
        // Of each operation there is one change that is not settled, and the reverse.
        let (changes, entries, bytes) = try storage.read { connection in
            let row = try connection.first(
                """
                SELECT (SELECT sum(pending) FROM cache_values),
                    count(*), sum(bytes) FROM cache_values_use
                """
            ) { (Int($0.integer(0)), Int($0.integer(1)), Int($0.integer(2))) }
            return try #require(row)
        }
        let counts = try cache.counts()
        #expect(try outbox.counts().queued == changes, "\(circumstances)")
        #expect(counts.entries == entries && counts.bytes == bytes, "\(circumstances)")
        #expect(counts.entries <= 50 && counts.unreadable == 0, "\(circumstances)")
        let numbers = try promised(folder)
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
