import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import Testing

@testable import OfflineFirst

/// What a cache has in its tables: keys of one bucket, and the tables of earlier builds.
@Suite struct CacheTablesTests {
    private let folder: TemporaryFolder
    private let storage: SQLiteStorage
    private let sealer: Sealer

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        storage = try SQLiteStorage(path: folder.file("store"))
        sealer = Sealer(store: MemoryKeyStore(), storage: storage)
    }

    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private func opened(entries: Int = 5000) throws -> DiskCache {
        try DiskCache(in: storage, sealer: sealer, limits: CacheLimits(entries: entries))
    }

    private func key(_ number: Int) -> CacheKey {
        CacheKey(place: "lists", bytes: [UInt8(number)])
    }

    private func answer(_ cache: DiskCache, _ number: Int, _ bytes: [UInt8]) throws {
        let answer = CacheAnswer(key: key(number), bytes: bytes)
        #expect(try cache.store([answer], ticket: try cache.nextTicket(), at: now) == [.stored])
    }

    @Test("keys of one bucket have entries of their own, whichever of them is there first")
    func sharedBucket() throws {
        let cache = try opened()
        try answer(cache, 1, [1])
        let bucket = CacheBucket(key(2)).first
        // Seven others have all numbers of the second key's bucket but one.
        for free in 0..<CacheBucket.size {
            try storage.write { database in
                try database.run("DELETE FROM cache_values_entry WHERE place = 'planted'")
                try database.run("DELETE FROM cache_values_order WHERE bytes = 77")
                for number in (0..<CacheBucket.size) where number != free {
                    try database.run(
                        """
                        INSERT INTO cache_values_entry(
                            entry, place, key, ticket, written, source, pending, record
                        )
                        VALUES (?1, 'planted', x'00', 0, 0, 1, 0, x'00')
                        """,
                        .integer(bucket + number)
                    )
                    try database.run(
                        "INSERT INTO cache_values_order VALUES (?, 1, 77)",
                        .integer(bucket + number)
                    )
                }
            }
            #expect(try cache.entry(for: key(2)) == nil)
            try cache.apply([CacheChange(key: key(2), bytes: [2], isPending: true)], at: now)
            #expect(try cache.entry(for: key(2))?.bytes == [2])
            let entry = try storage.read {
                try $0.first("SELECT entry FROM cache_values_entry WHERE key = x'02'") {
                    $0.integer(0)
                }
            }
            #expect(entry == bucket + free)
            #expect(try cache.settle(key(2)))
            try answer(cache, 2, [3])
            #expect(try cache.entry(for: key(2))?.bytes == [3])
            #expect(try cache.discard(key(2)))
            #expect(try cache.entry(for: key(2)) == nil)
        }
        #expect(try cache.entry(for: key(1))?.bytes == [1])
        #expect(try cache.counts().unreadable == 0)
    }

    @Test("a full bucket is an error that changes nothing")
    func fullBucket() throws {
        let cache = try opened()
        let bucket = CacheBucket(key(2)).first
        try storage.write { database in
            for number in 0..<CacheBucket.size {
                try database.run(
                    "INSERT INTO cache_values_entry VALUES (?, 'planted', x'00', 0, 0, 1, 0, x'00')",
                    .integer(bucket + number)
                )
                try database.run(
                    "INSERT INTO cache_values_order VALUES (?, 1, 77)",
                    .integer(bucket + number)
                )
            }
        }
        #expect(throws: CacheError.self) { try answer(cache, 2, [2]) }
        #expect(try cache.entry(for: key(2)) == nil)
        try answer(cache, 1, [1])
        #expect(try cache.entry(for: key(1))?.bytes == [1])
    }

    /// Puts the rows into the tables of the builds that kept an index by key.
    private func goBack(toIndexByUse: Bool) throws {
        try storage.write { database in
            try database.execute(
                """
                CREATE TABLE cache_values(
                    entry INTEGER PRIMARY KEY,
                    place TEXT NOT NULL,
                    key BLOB NOT NULL,
                    ticket INTEGER NOT NULL,
                    written INTEGER NOT NULL,
                    source INTEGER NOT NULL,
                    pending INTEGER NOT NULL,
                    record BLOB NOT NULL,
                    UNIQUE(place, key)
                );
                CREATE INDEX cache_values_local ON cache_values(place, ticket) WHERE source = 2;
                CREATE TABLE cache_values_use(
                    entry INTEGER PRIMARY KEY,
                    used INTEGER NOT NULL,
                    bytes INTEGER NOT NULL
                );
                INSERT INTO cache_values(place, key, ticket, written, source, pending, record)
                SELECT place, key, ticket, written, source, pending, record
                FROM cache_values_entry ORDER BY ticket;
                INSERT INTO cache_values_use SELECT former.entry, used, bytes
                FROM cache_values former JOIN cache_values_entry today USING (place, key)
                JOIN cache_values_order stored ON stored.entry = today.entry;
                DROP TABLE cache_values_entry;
                DROP TABLE cache_values_order;
                """
            )
            if toIndexByUse {
                try database.execute(
                    "CREATE INDEX cache_values_used ON cache_values_use(used, bytes)"
                )
            }
        }
    }

    @Test(
        "the cache of an earlier build keeps its values, pending changes, and order of uses",
        arguments: [false, true]
    )
    func former(hasIndexByUse: Bool) throws {
        do {
            let cache = try opened()
            // More than are moved at once.
            let answers = (0..<2500).map {
                CacheAnswer(key: CacheKey(place: "many", bytes: Array("\($0)".utf8)), bytes: [7])
            }
            try cache.store(answers, ticket: try cache.nextTicket(), at: now)
            for number in 1...3 { try answer(cache, number, [UInt8(number)]) }
            try cache.apply([CacheChange(key: key(4), bytes: [4], isPending: true)], at: now)
            try goBack(toIndexByUse: hasIndexByUse)
        }
        let large = try opened()
        #expect(try large.counts().entries == 2504)
        #expect(try large.counts().pending == 1)
        for number in 1...4 {
            #expect(try large.entry(for: key(number))?.bytes == [UInt8(number)])
        }
        for number in 0..<2500 {
            let key = CacheKey(place: "many", bytes: Array("\(number)".utf8))
            #expect(try large.entry(for: key)?.bytes == [7])
        }
        // The answer's number is above all earlier ones, and those used least recently go first.
        let cache = try opened(entries: 4)
        try answer(cache, 5, [5])
        #expect(try cache.counts().entries == 4)
        #expect(try cache.localKeys(in: "lists") == [key(4)])
        let rest = try [2, 3, 5].map { try cache.entry(for: key($0))?.bytes }
        #expect(rest == [[2], [3], [5]])
        let left = try storage.read { database in
            try database.query(
                """
                SELECT name FROM sqlite_schema
                WHERE name IN ('cache_values', 'cache_values_use', 'cache_values_used')
                """
            ) { $0.text(0) }
        }
        #expect(left.isEmpty)
    }
}
