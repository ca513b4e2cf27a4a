import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import TemporaryFolders
import TestSeeds
import Testing

@Suite("The contract of a cache") struct CacheConformanceTests {
    private static let seed = TestSeeds["conformance"][0]

    @Test("holds in memory", arguments: CacheConformance<MemoryCache>.checks)
    func memory(check: CacheConformance<MemoryCache>.Check) throws {
        try check.run(seed: Self.seed) { MemoryCache(limits: $0) }
    }

    @Test("holds in a file of its own", arguments: CacheConformance<DiskCache>.checks)
    func ownFile(check: CacheConformance<DiskCache>.Check) throws {
        let folder = try TemporaryFolder(isInMemory: true)
        try check.run(seed: Self.seed) {
            try DiskCache(path: folder.file("cache"), keys: MemoryKeyStore(), limits: $0)
        }
    }

    @Test("holds in a database with an outbox", arguments: CacheConformance<DiskCache>.checks)
    func sharedDatabase(check: CacheConformance<DiskCache>.Check) throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let storage = try SQLiteStorage(path: folder.file("outbox"))
        let outbox = Outbox(storage: storage, keys: MemoryKeyStore())
        let other = try DiskCache(in: storage, sealer: outbox.sealer, named: "other")
        try outbox.enqueue(kind: "note", payload: [1])
        try check.run(seed: Self.seed) {
            try DiskCache(in: storage, sealer: outbox.sealer, limits: $0)
        }
        #expect(try outbox.counts() == OutboxCounts(queued: 1))
        #expect(try other.counts().entries == 0)
    }

    @Test(
        "holds where each call is another process's",
        arguments: CacheConformance<Alternating>.checks
    )
    func twoObjects(check: CacheConformance<Alternating>.Check) throws {
        let folder = try TemporaryFolder(isInMemory: true)
        let keys = MemoryKeyStore()
        try check.run(seed: Self.seed) { limits in
            try Alternating(
                (0..<2).map { _ in
                    try DiskCache(path: folder.file("cache"), keys: keys, limits: limits)
                }
            )
        }
    }
}
