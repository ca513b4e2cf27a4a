import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TestSeeds
import Testing
import WatchedFiles

/// Cuts the power before each operation of SQLite on its files.
@Suite(.serialized, .timeLimit(.minutes(60))) struct CachePowerCutTests {
    /// The local changes that were promised, and how many of each value are settled for certain.
    private struct Promises: Sendable {
        var values: [Int: UInt8] = [:]
        var pending: [Int: Int] = [:]
        /// A value whose call is under way: it may be as it was or as it will be.
        var uncertain: Int?
    }

    private let keys = MemoryKeyStore(keys: [.random()])
    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private func open(_ folder: WatchedFolder) throws -> (
        SQLiteStorage, Outbox<SQLiteStorage>, DiskCache
    ) {
        let storage = try SQLiteStorage(path: folder.file("store"))
        let outbox = Outbox(storage: storage, keys: keys)
        let limits = CacheLimits(entries: 6)
        return (storage, outbox, try DiskCache(in: storage, sealer: outbox.sealer, limits: limits))
    }

    private func key(_ number: Int) -> CacheKey { CacheKey(place: "p", bytes: [UInt8(number)]) }

    private func edit(_ run: PowerCuts<Promises>.Run) throws {
        let (storage, outbox, cache) = try open(run.folder)
        var random = SeededRandom(seed: 1)
        for step in 0..<40 {
            let number = Int.random(in: 1...4, using: &random)
            run.promise { $0.uncertain = number }
            switch step % 4 {
            case 0, 1:
                let change = try cache.seal(
                    CacheChange(key: key(number), bytes: [UInt8(step)]),
                    at: now
                )
                let operation = try outbox.seal(kind: "list", payload: [UInt8(number)])
                try storage.write { database in
                    try cache.apply([change], in: database)
                    try storage.insert(operation, in: database)
                }
                run.promise {
                    $0.values[number] = UInt8(step)
                    $0.pending[number, default: 0] += 1
                }
            case 2:
                if try cache.settle(key(number)) {
                    run.promise { $0.pending[number, default: 0] -= 1 }
                }
            default:
                run.promise { $0.uncertain = nil }
                let answers = (5...9).map { CacheAnswer(key: key($0), bytes: [UInt8($0)]) }
                try cache.store(answers, ticket: try cache.nextTicket(), at: now)
                if step % 8 == 3 { try storage.checkpoint() }
            }
            run.promise { $0.uncertain = nil }
        }
    }

    @Test(
        "after a power cut at any moment each promised change is there, and the cache is whole",
        arguments: TestSeeds["cache-power-cuts"]
    )
    func powerCuts(seed: UInt64) async throws {
        let cuts = try await PowerCuts(Promises()) { try edit($0) }
        print("power cuts of the cache:", try cuts.examine(seed: seed, contents: 4, examine))
    }

    private func examine(
        _ folder: WatchedFolder,
        _ promises: Promises,
        _ circumstances: String
    ) throws {
        let (storage, outbox, cache) = try open(folder)
        defer { storage.close() }
        for (number, value) in promises.values where number != promises.uncertain {
            let pending = promises.pending[number] ?? 0
            guard pending > 0 else { continue }
            let entry = try cache.entry(for: key(number))
            #expect(entry?.bytes == [value], "\(circumstances)")
            #expect(entry?.pendingChanges == pending, "\(circumstances)")
        }
        let totals = try storage.read { connection in
            try connection.first("SELECT count(*), coalesce(sum(bytes), 0) FROM cache_values_order")
            {
                [Int($0.integer(0)), Int($0.integer(1))]
            }
        }
        let counts = try cache.counts()
        #expect(totals == [counts.entries, counts.bytes], "\(circumstances)")
        #expect(counts.unreadable == 0, "\(circumstances)")
        // Nothing that was settled comes back without its operation, nor an operation without its change.
        let changed = try storage.read { connection in
            try connection.first("SELECT count(*) FROM cache_values_entry WHERE source = 2") {
                Int($0.integer(0))
            } ?? 0
        }
        #expect(try outbox.counts().queued == 0 || changed > 0, "\(circumstances)")
        // It goes on.
        try cache.apply([CacheChange(key: key(1), bytes: [0])], at: now)
        #expect(try cache.entry(for: key(1))?.bytes == [0], "\(circumstances)")
    }
}
