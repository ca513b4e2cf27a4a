import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import Synchronization
import TemporaryFolders
import Testing

@testable import OfflineFirst

/// What a person does, without a server.
@Suite(.timeLimit(.minutes(60))) struct SyncedRecordsTests {
    private let folder: TemporaryFolder
    private let keys = MemoryKeyStore()
    private let server = MemorySyncServer.strict()

    init() throws { folder = try TemporaryFolder() }

    private func open(
        following: @escaping @Sendable (SyncOccurrence, Connection) throws -> Void = { _, _ in }
    ) throws -> SyncDevice {
        try SyncDevice(folder.file("store"), keys: keys, server: server, following: following)
    }

    @Test("a change is shown at once, with one operation, and after a restart")
    func shown() throws {
        let device = try open()
        let list = try device.records.create("list", [Field("title", "Saturday")])
        let item = try device.records.create(
            "item",
            [Field("name", "milk"), Field("list", to: list)]
        )
        try device.records.update(item, [Field("name", "oat milk")])
        try device.records.update(item, [Field("name", "oat milk")])
        for device in [device, try open()] {
            #expect(device.texts() == ["oat milk"])
            #expect(device.records.snapshot[list]?.word == .pending)
            #expect(try device.records.counts() == SyncCounts(pending: 3, refused: 0))
            #expect(try device.outbox.counts().queued == 3)
        }
        try device.records.delete(item)
        #expect(device.texts() == [])
        #expect(try device.records.counts().pending == 4)
    }

    @Test("edits of one transaction are all there or none, with the app's tables")
    func oneTransaction() throws {
        let device = try open()
        try device.storage.write { try $0.execute("CREATE TABLE recent(list BLOB)") }
        struct Stop: Error {}
        #expect(throws: SyncError.app(type: "Stop")) {
            try device.records.change { edits in
                let list = try edits.create("list", [Field("title", "Saturday")])
                try edits.database.run("INSERT INTO recent VALUES (?)", .blob(list.id))
                throw Stop()
            }
        }
        func recent() throws -> Int {
            try device.storage.read {
                try $0.first("SELECT count(*) FROM recent") { Int($0.integer(0)) } ?? 0
            }
        }
        #expect(try recent() == 0)
        #expect(device.records.snapshot.count == 0)
        #expect(try device.outbox.counts().queued == 0)
        try device.records.change { edits in
            let list = try edits.create("list", [Field("title", "Saturday")])
            #expect(edits.record(list)?.text("title") == "Saturday")
            _ = try edits.create("item", [Field("name", "milk"), Field("list", to: list)])
            try edits.database.run("INSERT INTO recent VALUES (?)", .blob(list.id))
        }
        #expect(try recent() == 1)
        #expect(device.records.snapshot.count == 2)
        #expect(try device.outbox.counts().queued == 2)
    }

    @Test("an edit that cannot be taken changes nothing")
    func refusedEdit() throws {
        let device = try open()
        let nobody = RecordKey(kind: "item", id: "nobody")
        #expect(throws: SyncError.edit(.noSuchRecord)) {
            try device.records.update(nobody, [Field("name", "x")])
        }
        #expect(throws: SyncError.edit(.noSuchEntry)) {
            try device.records.discard(ChangeID(number: 1, node: NodeID(high: 1, low: 1)))
        }
        #expect(try device.records.counts() == SyncCounts())
        #expect(try device.outbox.counts().queued == 0)
        try device.records.create("item", [Field("name", "milk")])
        #expect(device.texts() == ["milk"])
    }

    @Test("no more changes wait than the limit, in all processes, and one that is gone makes room")
    func limit() throws {
        let limits = SyncLimits(pending: 3)
        func open() throws -> SyncedRecords<TestRules> {
            let outbox = Outbox(storage: try SQLiteStorage(path: folder.file("store")), keys: keys)
            return try SyncedRecords(in: outbox, rules: TestRules(), limits: limits)
        }
        let (first, second) = (try open(), try open())
        let milk = try first.create("item", [Field("name", "milk")])
        try second.create("item", [Field("name", "bread")])
        try first.create("item", [Field("name", "eggs")])
        for records in [first, second] {
            #expect(throws: SyncError.edit(.full)) { try records.delete(milk) }
        }
        guard case .push(let request) = try first.begin(milk) else {
            Issue.record("no push")
            return
        }
        let id = request.stamp.id
        try first.tell(
            .answered(
                id,
                attempt: request.attempt,
                .accepted(id: [1], version: 1, stamp: request.stamp),
                serverTime: request.stamp.time
            ),
            about: id,
            of: milk
        )
        try second.delete(milk)
        #expect(throws: SyncError.edit(.full)) { try first.create("item", []) }
    }

    @Test("any process may write: each takes over what the others stored, whatever the order")
    func processes() throws {
        let first = try open()
        let second = try open()
        let milk = try first.records.create("item", [Field("name", "milk")])
        try second.records.update(milk, [Field("name", "oat milk")])
        try first.records.update(milk, [Field("count", "2")])
        try second.records.takeOver()
        for device in [first, second, try open()] {
            #expect(device.texts() == ["oat milk"])
            #expect(device.texts("count") == ["2"])
            #expect(try device.records.counts().pending == 3)
        }
        // Farther behind than the revisions that are kept, with a record that is gone meanwhile.
        try second.records.delete(milk)
        for number in 0..<300 {
            try second.records.create("item", [Field("name", "\(number)")])
        }
        try first.records.takeOver()
        #expect(first.records.snapshot.count == 300)
        #expect(first.records.snapshot[milk] == nil)
        // More records in one transaction than are listed.
        try second.records.change { edits in
            for number in 300..<400 { _ = try edits.create("item", [Field("name", "\(number)")]) }
        }
        try first.records.takeOver()
        #expect(first.records.snapshot.count == 400)
        #expect(first.texts() == second.texts())
    }

    @Test("of what two processes make of the records, that of the newest records is kept last")
    func keptLatest() throws {
        let first = try open()
        let second = try open()
        try first.records.create("item", [Field("name", "milk")])
        var kept: [[String]] = []
        var others = [
            {
                try second.records.keepLatest(
                    { second.texts() },
                    keep: { texts, _ in kept.append(texts) }
                )
            },
            {
                try second.records.create("item", [Field("name", "bread")])
                try second.records.keepLatest(
                    { second.texts() },
                    keep: { texts, _ in kept.append(texts) }
                )
            },
        ]
        try first.records.keepLatest(
            {
                let texts = first.texts()
                try others.popLast()?()
                return texts
            },
            keep: { texts, _ in kept.append(texts) }
        )
        // The first one has read "milk" alone, then what the second one has stored.
        #expect(kept == Array(repeating: ["bread", "milk"], count: 3))
    }

    @Test("what cannot be kept is told, and the records are as they were")
    func notKept() throws {
        struct Full: Error {}
        let device = try open()
        #expect(throws: Full.self) {
            try device.records.keepLatest({ 1 }, keep: { _, _ in throw Full() })
        }
        #expect(throws: Full.self) {
            try device.records.keepLatest({ throw Full() }, keep: { (_: Void, _) in })
        }
        try device.records.create("item", [Field("name", "milk")])
        #expect(device.texts() == ["milk"])
    }

    @Test("a record that was tampered with is set aside and counted, and the others stay")
    func tampered() throws {
        let device = try open()
        let milk = try device.records.create("item", [Field("name", "milk")])
        try device.records.create("item", [Field("name", "bread")])
        try device.storage.write {
            try $0.run("UPDATE sync_records SET body = zeroblob(60) WHERE id = ?", .blob(milk.id))
        }
        device.storage.close()
        let again = try open()
        #expect(again.texts() == ["bread"])
        #expect(try again.records.countSetAside() == 1)
        try again.records.create("item", [Field("name", "eggs")])
        #expect(try open().texts() == ["bread", "eggs"])
    }

    @Test("two records that change places do not open")
    func swapped() throws {
        let device = try open()
        try device.records.create("item", [Field("name", "milk")])
        try device.records.create("item", [Field("name", "bread")])
        try device.storage.write { database in
            let rows = try database.query("SELECT record, body FROM sync_records") {
                ($0.integer(0), $0.blob(1))
            }
            for (place, other) in [(0, 1), (1, 0)] {
                try database.run(
                    "UPDATE sync_records SET body = ? WHERE record = ?",
                    .blob(rows[place].1),
                    .integer(rows[other].0)
                )
            }
        }
        device.storage.close()
        #expect(try open().texts() == [])
    }

    @Test("while the keys cannot be read nothing is lost, and nothing is set aside")
    func withheldKeys() throws {
        let device = try open()
        try device.records.create("item", [Field("name", "milk")])
        device.storage.close()
        keys.fail(with: .unreadable(code: 1))
        #expect(throws: SyncError.keys(.unreadable(code: 1))) { try open() }
        keys.fail(with: nil)
        let again = try open()
        #expect(again.texts() == ["milk"])
        #expect(try again.records.countSetAside() == 0)
    }

    @Test("a transaction that fails shows nothing, and the next one goes on from what is stored")
    func failedTransaction() throws {
        let device = try open()
        let milk = try device.records.create("item", [Field("name", "milk")])
        try device.storage.write {
            try $0.execute(
                """
                CREATE TRIGGER full BEFORE INSERT ON outbox_operation
                BEGIN SELECT RAISE(ABORT, 'full'); END
                """
            )
        }
        #expect(throws: SyncError.self) {
            try device.records.update(milk, [Field("name", "oat milk")])
        }
        #expect(device.texts() == ["milk"])
        #expect(try device.records.counts().pending == 1)
        try device.storage.write { try $0.execute("DROP TRIGGER full") }
        try device.records.update(milk, [Field("count", "2")])
        #expect(device.texts() == ["milk"])
        #expect(device.texts("count") == ["2"])
        #expect(try device.outbox.counts().queued == 2)
    }

    @Test("that a change is being sent is stored before it is; an error leaves it unknown")
    func begun() throws {
        let device = try open()
        let milk = try device.records.create("item", [Field("name", "milk")])
        guard case .push(let request) = try device.records.begin(milk) else {
            Issue.record("no push")
            return
        }
        #expect(device.records.snapshot[milk]?.word == .sending)
        // Another process that looks at the disk cannot know whether an answer comes.
        let other = try open()
        #expect(other.records.snapshot[milk]?.word == .unknown)
        // It may edit the record meanwhile.
        try other.records.update(milk, [Field("name", "oat milk")])
        try device.records.takeOver()
        #expect(device.records.snapshot[milk]?.word == .sending)
        #expect(device.texts() == ["oat milk"])
        // Another operation of the record does nothing meanwhile.
        guard case .nothing = try device.records.begin(milk) else {
            Issue.record("a second request")
            return
        }
        let id = request.stamp.id
        try device.records.tell(.unanswered(id, attempt: request.attempt), about: id, of: milk)
        #expect(try open().records.snapshot[milk]?.word == .unknown)
        guard case .ask = try device.records.begin(milk) else {
            Issue.record("no question")
            return
        }
        // A process that takes the role asks, too.
        let next = try open()
        try next.records.resume()
        #expect(next.records.snapshot[milk]?.word == .unknown)
    }

    @Test("the server's identifier is in all changes at once, which get their operations then")
    func renamed() throws {
        let device = try open()
        let list = try device.records.create("list", [Field("title", "Saturday")])
        let milk = try device.records.create("item", [Field("list", to: list)])
        guard case .nothing = try device.records.begin(milk),
            case .push(let request) = try device.records.begin(list)
        else {
            Issue.record("not in order")
            return
        }
        #expect(try device.outbox.counts().queued == 2)
        let id = request.stamp.id
        try device.records.tell(
            .answered(
                id,
                attempt: request.attempt,
                .accepted(id: [1], version: 1, stamp: request.stamp),
                serverTime: request.stamp.time
            ),
            about: id,
            of: list
        )
        #expect(try device.outbox.counts().queued == 3)
        for device in [device, try open()] {
            #expect(device.records.name(of: list) == RecordKey(kind: Array("list".utf8), id: [1]))
            #expect(device.records.snapshot[milk]?.bytes("list") == [1])
        }
        guard case .push(let next) = try device.records.begin(milk) else {
            Issue.record("no push")
            return
        }
        #expect(next.write.fields.map(\.value) == [[1]])
    }

    @Test(
        "each record that can be sent has an operation after a start, and no more than one is added"
    )
    func resumed() throws {
        let device = try open()
        try device.records.create("item", [Field("name", "milk")])
        try device.records.create("item", [Field("name", "bread")])
        let entries = try device.outbox.entries(in: .queued)
        try device.storage.delete(try #require(entries.first).entryID)
        for _ in 0..<2 {
            try device.records.resume()
            #expect(try device.outbox.counts().queued == 2)
        }
    }

    @Test("snapshots tell the present one first, and then each change")
    func snapshots() async throws {
        let device = try open()
        var snapshots = device.records.snapshots().makeAsyncIterator()
        #expect(await snapshots.next()?.count == 0)
        try device.records.create("item", [Field("name", "milk")])
        #expect(await snapshots.next()?.count == 1)
    }

    @Test("the keys under which records are sealed are known")
    func keysInUse() throws {
        let device = try open()
        try device.records.create("item", [Field("name", "milk")])
        #expect(try device.records.keysInUse().count == 1)
    }
}
