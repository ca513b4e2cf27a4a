import Foundation
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import TemporaryFolders
import TestSeeds
import Testing

@Suite(.timeLimit(.minutes(60))) struct DurabilityTests {
    private let folder: TemporaryFolder
    private let keys = MemoryKeyStore(keys: [.random()])

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> Outbox<SQLiteStorage> {
        Outbox(storage: try SQLiteStorage(path: folder.file("outbox.sqlite")), keys: keys)
    }

    @Test("commits wait for the disk: write-ahead log, synchronous FULL")
    func pragmas() throws {
        let storage = try open().storage
        let settings = try storage.read { connection in
            (
                try connection.first("PRAGMA journal_mode") { $0.text(0) },
                try connection.first("PRAGMA synchronous") { $0.integer(0) }
            )
        }
        #expect(settings.0 == "wal" && settings.1 == 2)
    }

    @Test("an enqueue waits for the disk although the removal before it did not")
    func syncing() async throws {
        let outbox = try open()
        func synchronous() throws -> Int64? {
            try outbox.storage.read { try $0.first("PRAGMA synchronous") { $0.integer(0) } }
        }
        try await outbox.enqueue(kind: "note", payload: [1])
        try await outbox.drain(["note": { _ in .done }], until: .idle)
        #expect(try synchronous() == 1)
        try await outbox.enqueue(kind: "note", payload: [2])
        #expect(try synchronous() == 2)
    }

    @Test("only its owner may read the database and its log")
    func modes() throws {
        let outbox = try open()
        try outbox.enqueue(kind: "note", payload: [1])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let files = ["", "-shm", "-sync", "-wal"].map { "outbox.sqlite" + $0 }
        #expect(names.sorted() == files)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("what was enqueued is there for whoever opens the storage next")
    func reopened() throws {
        let id = try open().enqueue(kind: "note", payload: [1, 2, 3])
        #expect(try open().open(id).payload == [1, 2, 3])
    }

    @Test("many threads over several connections lose nothing and drain everything once")
    func threads() async throws {
        try await StorageConformance.checkSharing(seed: TestSeeds["conformance-sharing"][0]) {
            try open().storage
        }
    }

    @Test("processes that each enqueue once and end do not make the log grow without bound")
    func shortLivedProcesses() throws {
        let payload = [UInt8](repeating: 7, count: 20_000)
        for _ in 0..<300 { try open().enqueue(kind: "note", payload: payload) }
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.file("outbox.sqlite-wal")
        )
        let length = try #require(attributes[.size] as? Int)
        #expect(length < 1 << 20)
        #expect(try open().counts().queued == 300)
    }

    @Test("a transaction that fails takes the operation in it along")
    func callersTransaction() throws {
        struct Failure: Error {}
        let outbox = try open()
        let storage = outbox.storage
        try storage.write { try $0.execute("CREATE TABLE note(id BLOB PRIMARY KEY)") }
        let operation = try outbox.seal(kind: "note", payload: [1])
        #expect(throws: Failure.self) {
            try storage.write { connection in
                try storage.insert(operation, in: connection)
                try connection.run(
                    "INSERT INTO note VALUES (?)",
                    .blob(operation.envelope.id.bytes)
                )
                throw Failure()
            }
        }
        #expect(try outbox.counts() == OutboxCounts())
        try storage.write { try storage.insert(operation, in: $0) }
        #expect(try outbox.counts().queued == 1)
    }

    @Test("a file that is not a database is refused and left as it is")
    func garbage() throws {
        let path = folder.file("outbox.sqlite")
        var random = SeededRandom(seed: 1)
        let garbage = Data((0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) })
        try garbage.write(to: URL(filePath: path))
        #expect(throws: StorageError.corrupt) { try SQLiteStorage(path: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == garbage)
    }

    @Test("a folder that is not there is a typed error")
    func missingFolder() {
        #expect(throws: StorageError.cannotOpen) {
            try SQLiteStorage(path: folder.file("nowhere/outbox.sqlite"))
        }
    }

    @Test("a database without room is a full disk, and takes operations again once there is room")
    func full() throws {
        let outbox = try open()
        try outbox.enqueue(kind: "note", payload: [0])
        let pages = try outbox.storage.read { try $0.first("PRAGMA page_count") { $0.integer(0) } }
        try outbox.storage.read { try $0.execute("PRAGMA max_page_count = \(pages ?? 1)") }
        let large = [UInt8](repeating: 7, count: 100_000)
        #expect(throws: StorageError.diskFull) {
            try outbox.enqueue(kind: "note", payload: large)
        }
        try outbox.storage.read { try $0.execute("PRAGMA max_page_count = 100000") }
        try outbox.enqueue(kind: "note", payload: large)
        #expect(try outbox.counts().queued == 2)
    }
}
