import Foundation
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import Testing

@testable import OfflineFirst

@Suite struct DiskCacheTests {
    private let folder: TemporaryFolder
    private let storage: SQLiteStorage
    private let keys = MemoryKeyStore()
    private let outbox: Outbox<SQLiteStorage>
    private let cache: DiskCache

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        storage = try SQLiteStorage(path: folder.file("store"))
        outbox = Outbox(storage: storage, keys: keys)
        cache = try DiskCache(in: storage, sealer: outbox.sealer)
    }

    private func key(_ number: Int, place: String = "lists") -> CacheKey {
        CacheKey(place: place, bytes: [UInt8(number)])
    }

    private let now = WallTime(millisecondsSinceEpoch: 1_800_000_000_000)

    private func answer(_ number: Int, _ bytes: [UInt8]?) throws {
        let answer = CacheAnswer(key: key(number), bytes: bytes)
        try cache.store([answer], ticket: try cache.nextTicket(), at: now)
    }

    // MARK: Tampering

    @Test(
        "an entry that was tampered with is a miss that is counted, and the next answer mends it",
        arguments: [
            "record = x'00'", "record = substr(record, 1, length(record) - 1)",
            """
            record = substr(record, 1, 40) || iif(substr(record, 41, 1) = x'00', x'01', x'00')
                || substr(record, 42)
            """,
            "record = (SELECT record FROM cache_values_entry WHERE key = x'02')",
            "written = written + 1", "source = 2", "source = 9", "record = x''",
            // An entry is looked for under the number of its key.
            "place = 'other', entry = OTHER", "key = x'07', entry = SEVENTH",
        ]
    )
    func tampered(change: String) throws {
        let secret = Array("the text of the second list, long enough to be changed".utf8)
        try answer(1, secret)
        try answer(2, secret)
        let change =
            change
            .replacing("OTHER", with: "\(CacheBucket(key(1, place: "other")).first)")
            .replacing("SEVENTH", with: "\(CacheBucket(key(7)).first)")
        try storage.write {
            try $0.execute("UPDATE cache_values_entry SET \(change) WHERE key = x'01'")
        }
        for place in ["lists", "other"] {
            for number in [1, 7] {
                #expect(try cache.entry(for: key(number, place: place)) == nil)
            }
        }
        let counts = try cache.counts()
        #expect(counts.unreadable == 1)
        #expect(counts.misses == 4 && counts.hits == 0)
        #expect(try cache.entry(for: key(2))?.bytes == secret)
        try answer(1, [5])
        #expect(try cache.entry(for: key(1))?.bytes == [5])
    }

    private func put(_ record: [UInt8]) throws {
        try storage.write { try $0.run("UPDATE cache_values_entry SET record = ?", .blob(record)) }
    }

    @Test("each flipped bit of a record makes it a miss")
    func flippedBits() throws {
        try answer(1, Array("milk".utf8))
        let record = try storage.read { connection in
            try connection.first("SELECT record FROM cache_values_entry") { $0.blob(0) } ?? []
        }
        for bit in 0..<record.count * 8 {
            var flipped = record
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            try put(flipped)
            #expect(try cache.entry(for: key(1)) == nil, "bit \(bit)")
        }
        #expect(try cache.counts().unreadable == record.count * 8)
        try put(record)
        #expect(try cache.entry(for: key(1))?.bytes == Array("milk".utf8))
    }

    @Test("an entry of one cache is none of another one in the same database")
    func namesAreBound() throws {
        let other = try DiskCache(in: storage, sealer: outbox.sealer, named: "other")
        try answer(1, [1])
        try storage.write {
            try $0.execute(
                """
                INSERT INTO cache_other_entry SELECT * FROM cache_values_entry;
                INSERT INTO cache_other_order SELECT * FROM cache_values_order;
                """
            )
        }
        #expect(try other.entry(for: key(1)) == nil)
        #expect(try other.counts().unreadable == 1)
        #expect(try cache.entry(for: key(1)) != nil)
    }

    @Test("a sealed value opens as no operation, and no operation as a value")
    func contextsDiffer() throws {
        let id = OperationID(time: now, random: (1, 2))
        let operation = try outbox.sealer.seal([1], id: id, kind: "note", createdAt: now)
        let keyID = try #require(Sealer.keyID(of: operation))
        let associated = SealedRecord.associatedData(
            keyID: keyID,
            id: id,
            kind: "note",
            createdAt: now
        )
        // The context of a value that would be the operation's.
        let context = Array(associated.dropFirst(9))
        #expect(throws: UnreadableRecord.self) {
            try outbox.sealer.open(operation, context: context)
        }
        let sealed = try outbox.sealer.seal([1], context: context)
        #expect(throws: UnreadableRecord.self) {
            try outbox.sealer.open(sealed, id: id, kind: "note", createdAt: now)
        }
        #expect(try outbox.sealer.open(sealed, context: context) == [1])
    }

    @Test("no value is to be read in the files")
    func sealed() throws {
        let secret = Array("a canary in a coal mine".utf8)
        try answer(1, secret)
        try cache.apply([CacheChange(key: key(2), bytes: secret)], at: now)
        try storage.checkpoint()
        #expect(try !folder.anyFile(contains: secret))
        #expect(try folder.anyFile(contains: Array("lists".utf8)))
    }

    // MARK: Keys

    @Test("keys that cannot be read now are an error, and no miss")
    func withheldKeys() throws {
        try answer(1, [1])
        let later = Outbox(storage: storage, keys: keys)
        let locked = try DiskCache(in: storage, sealer: later.sealer)
        keys.fail(with: .withheld(.locked))
        #expect(throws: CacheError.keys(.withheld(.locked))) { try locked.entry(for: key(1)) }
        #expect(try locked.counts().misses == 0)
        keys.fail(with: nil)
        #expect(try locked.entry(for: key(1))?.bytes == [1])
    }

    @Test("a lost key makes misses, never another key")
    func lostKeys() throws {
        try answer(1, [1])
        let others = MemoryKeyStore()
        let lost = try DiskCache(
            in: storage,
            sealer: Outbox(storage: storage, keys: others).sealer
        )
        #expect(throws: CacheError.keys(.missing)) { try lost.entry(for: key(1)) }
        _ = try others.keys(creating: true)
        #expect(try lost.entry(for: key(1)) == nil)
        #expect(try lost.counts().unreadable == 1)
    }

    @Test("a cache in a file of its own makes the first key of its store, and never a second")
    func ownKeys() throws {
        let keys = MemoryKeyStore()
        let path = folder.file("own")
        let own = try DiskCache(path: path, keys: keys)
        try own.apply([CacheChange(key: key(1), bytes: [1])], at: now)
        #expect(try keys.keys(creating: false).count == 1)
        own.close()
        #expect(throws: CacheError.keys(.missing)) {
            try DiskCache(path: path, keys: MemoryKeyStore()).apply(
                [CacheChange(key: key(2), bytes: [1])],
                at: now
            )
        }
        #expect(try DiskCache(path: path, keys: keys).entry(for: key(1))?.bytes == [1])
    }

    @Test("a key that entries need is not retired, and later a rotation goes on")
    func retiredKeys() throws {
        try answer(1, [1])
        let first = try #require(try keys.keys(creating: false).last?.id)
        try outbox.rotateKey()
        try answer(2, [2])
        #expect(try cache.keysInUse().count == 2)
        let again = Outbox(storage: storage, keys: keys)
        #expect(try again.retireKeys(neededElsewhere: { try cache.keysInUse() }).isEmpty)
        try answer(1, [3])
        let last = Outbox(storage: storage, keys: keys)
        #expect(try last.retireKeys(neededElsewhere: { try cache.keysInUse() }) == [first])
        #expect(try cache.entry(for: key(2))?.bytes == [2])
    }

    // MARK: Sharing

    @Test("a change and its operation are stored together or not at all")
    func joined() throws {
        struct Interrupted: Error {}
        for isInterrupted in [true, false] {
            let change = try cache.seal(CacheChange(key: key(1), bytes: [7]), at: now)
            let operation = try outbox.seal(kind: "list", payload: [7])
            let write = {
                try storage.write { database in
                    try cache.apply([change], in: database)
                    try storage.insert(operation, in: database)
                    if isInterrupted { throw Interrupted() }
                }
            }
            if isInterrupted {
                #expect(throws: Interrupted.self, performing: write)
            } else {
                try write()
            }
            #expect(try cache.counts().pending == (isInterrupted ? 0 : 1))
            #expect(try outbox.counts().queued == (isInterrupted ? 0 : 1))
        }
        let settled = try storage.write { database in
            [try cache.settle(key(1), in: database), try cache.settle(key(1), in: database)]
        }
        #expect(settled == [true, false])
        #expect(try cache.counts().pending == 0)
        #expect(try storage.write { try cache.discard(key(1), in: $0) })
        #expect(try cache.entry(for: key(1)) == nil)
    }

    @Test("what one object stores another one reads, and their tickets are one order")
    func shared() throws {
        let other = try DiskCache(in: storage, sealer: outbox.sealer)
        let early = try other.nextTicket()
        try answer(1, [2])
        let outcome = try other.store(
            [CacheAnswer(key: key(1), bytes: [1])],
            ticket: early,
            at: now
        )
        #expect(outcome == [.superseded])
        #expect(try other.entry(for: key(1))?.bytes == [2])
        other.close()
        #expect(throws: CacheError.storage(.closed)) { try other.entry(for: key(1)) }
        #expect(throws: StorageError.closed) {
            try storage.write { try other.settle(key(1), in: $0) }
        }
        #expect(try cache.entry(for: key(1))?.bytes == [2])
    }

    @Test("an existing cache is opened as it is, by another build with other limits")
    func reopened() throws {
        for number in 1...5 { try answer(number, [UInt8(number)]) }
        _ = try cache.entry(for: key(1))
        try cache.saveUses()
        let ticket = try cache.nextTicket()
        storage.close()
        let again = try SQLiteStorage(path: folder.file("store"))
        let smaller = try DiskCache(
            in: again,
            sealer: Outbox(storage: again, keys: keys).sealer,
            limits: CacheLimits(entries: 2)
        )
        #expect(try smaller.counts().entries == 5)
        let next = try smaller.nextTicket()
        #expect(ticket < next)
        try smaller.store([CacheAnswer(key: key(6), bytes: [6])], ticket: next, at: now)
        let left = try (1...6).filter { try smaller.entry(for: key($0)) != nil }
        #expect(left == [1, 6])
    }

    @Test(
        "the totals are those of the entries after any course of calls",
        arguments: 1...4 as ClosedRange<UInt64>
    )
    func totals(seed: UInt64) throws {
        let bounded = try DiskCache(
            in: storage,
            sealer: outbox.sealer,
            named: "bounded",
            limits: CacheLimits(entries: 7, bytes: 1500, value: 200)
        )
        var random = SeededRandom(seed: seed)
        for step in 0..<300 {
            let key = key(Int.random(in: 1...12, using: &random))
            let bytes = [UInt8](repeating: 1, count: Int.random(in: 0...190, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try bounded.apply([CacheChange(key: key, bytes: bytes)], at: now)
            case 1, 2: try bounded.settle(key)
            case 3: try bounded.discard(key)
            case 4 where step % 10 == 0: try bounded.removeAll(in: "lists")
            default:
                let answer = CacheAnswer(key: key, bytes: bytes)
                try bounded.store([answer], ticket: try bounded.nextTicket(), at: now)
            }
            let stored = try storage.read { connection in
                try connection.first(
                    """
                    SELECT count(*), coalesce(sum(bytes), 0),
                        coalesce(sum(length(record) + length(key) + length(place) + 64), 0)
                    FROM cache_bounded_entry JOIN cache_bounded_order USING (entry)
                    """
                ) { [Int($0.integer(0)), Int($0.integer(1)), Int($0.integer(2))] }
            }
            let counts = try bounded.counts()
            #expect(
                stored == [counts.entries, counts.bytes, counts.bytes],
                "seed \(seed), step \(step)"
            )
        }
    }

    @Test("a read stores no use, until there are many; then all at once")
    func usesAreCollected() throws {
        for number in 1...3 { try answer(number, [1]) }
        let use = {
            try storage.read {
                try $0.first("SELECT use FROM cache_values_total") { $0.integer(0) }
            }
        }
        let before = try use()
        for _ in 0..<20_000 { _ = try cache.entry(for: key(1)) }
        #expect(try use() == before)
        let keys = (0..<16_384).map { number in
            CacheKey(place: "many", bytes: [UInt8(number & 255), UInt8(number >> 8)])
        }
        try cache.store(
            keys.map { CacheAnswer(key: $0, bytes: nil) },
            ticket: try cache.nextTicket(),
            at: now
        )
        try cache.saveUses()
        let stored = try #require(try use())
        for key in keys {
            #expect(try use() == stored)
            _ = try cache.entry(for: key)
        }
        #expect(try use() == stored + 16_384)
    }
}

extension TemporaryFolder {
    fileprivate func anyFile(contains bytes: [UInt8]) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: path).contains { name in
            let content = try Data(contentsOf: URL(fileURLWithPath: file(name)))
            return content.range(of: Data(bytes)) != nil
        }
    }
}
