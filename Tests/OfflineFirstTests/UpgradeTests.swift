import Foundation
import OfflineFirst
import OfflineFirstTesting
import Outbox
import OutboxCore
import OutboxSQLite
import OutboxTesting
import SQLite
import SyncCore
import TemporaryFolders
import Testing
import Waiting

/// A database of the first build, with a full queue, a refused change, and values that gave way:
/// `Recorded/first.sql` with the keys in `Recorded/first.key`. `MEMO_RECORD_STORE=1` writes both anew.
@Suite(.timeLimit(.minutes(60))) struct UpgradeTests {
    private static let recorded = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Recorded")
    private static let isRecording =
        ProcessInfo.processInfo.environment["MEMO_RECORD_STORE"] != nil

    private let server = MemorySyncServer.strict()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func device(_ name: String) throws -> SyncDevice {
        try SyncDevice(
            folder.file(name),
            keys: FileKeyStore(path: folder.file("key")),
            server: server,
            rules: TestRules(policy: .serverWins)
        )
    }

    @Test(
        "a library that is upgraded sends the full queue of the first build, and tells what waits"
    )
    func upgrade() async throws {
        if Self.isRecording { try await record() }
        let key = try Data(contentsOf: Self.recorded.appending(path: "first.key"))
        let isMade = FileManager.default.createFile(
            atPath: folder.file("key"),
            contents: key,
            attributes: [.posixPermissions: 0o600]
        )
        #expect(isMade)
        let sql = try String(
            contentsOf: Self.recorded.appending(path: "first.sql"),
            encoding: .utf8
        )
        try Connection(path: folder.file("store")).execute(sql)
        let device = try device("store")
        #expect(device.texts() == ["bread", "forbidden", "oat milk"])
        #expect(try device.records.counts() == SyncCounts(pending: 4, refused: 1))
        #expect(try device.outbox.counts() == OutboxCounts(queued: 3))
        #expect(device.records.snapshot.refused.map(\.reason) == ["forbidden"])
        #expect(device.records.snapshot.overruled.map(\.values) == [[Field("name", "soy milk")]])
        #expect(device.records.snapshot.lastPulled != nil)
        let list = try #require(device.records.snapshot.records(of: "list").first)
        let bread = device.records.snapshot.records(of: "item").first { $0.text("name") == "bread" }
        #expect(bread?.bytes("list") == list.key.id)
        #expect(bread?.word == .pending)
        // The server is another one: it has none of what this device has, and takes what is new.
        try device.records.edit(
            device.records.snapshot.refused[0].change.id,
            [Field(name: Array("note".utf8), value: [1])]
        )
        try await device.running {
            try await waitUntil { server.texts("name").contains("bread") }
            try await waitUntil { try device.outbox.counts() == OutboxCounts() }
        }
    }

    private func record() async throws {
        let one = try device("one")
        let two = try device("two")
        let milk = try one.records.create("item", [Field("name", "milk")])
        try await one.running { try await one.settle() }
        try await two.running { try await waitUntil { two.texts() == ["milk"] } }
        let name = one.records.name(of: milk)
        try two.records.update(name, [Field("name", "oat milk")])
        try await two.running { try await two.settle() }
        try one.records.update(name, [Field("name", "soy milk")])
        try one.records.create(
            "item",
            [Field("name", "forbidden"), Field(name: Array("note".utf8), value: [0xFF])]
        )
        try await one.running {
            try await waitUntil {
                one.texts() == ["forbidden", "oat milk"]
                    && one.records.snapshot.refused.count == 1
                    && one.records.snapshot.overruled.count == 1
            }
            try await waitUntil { try one.outbox.counts() == OutboxCounts() }
        }
        try one.records.change { edits in
            let list = try edits.create("list", [Field("title", "Saturday")])
            _ = try edits.create("item", [Field("name", "bread"), Field("list", to: list)])
            try edits.update(name, [Field("count", "2")])
        }
        try FileManager.default.createDirectory(
            at: Self.recorded,
            withIntermediateDirectories: true
        )
        try Data(contentsOf: URL(filePath: folder.file("key")))
            .write(to: Self.recorded.appending(path: "first.key"))
        try Self.dump(one.storage)
            .write(
                to: Self.recorded.appending(path: "first.sql"),
                atomically: true,
                encoding: .utf8
            )
    }

    /// The statements that make the tables and their rows.
    private static func dump(_ storage: SQLiteStorage) throws -> String {
        try storage.read { database in
            let tables = try database.query(
                """
                SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL
                ORDER BY type = 'trigger', type = 'index', name
                """
            ) { (name: $0.text(0), sql: $0.text(1)) }
            var statements: [String] = []
            for (name, sql) in tables where !name.hasPrefix("sqlite_") {
                statements.append(sql)
                guard sql.hasPrefix("CREATE TABLE") else { continue }
                let columns = try database.query("SELECT name FROM pragma_table_info('\(name)')") {
                    $0.text(0)
                }
                let values = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ', ' || ")
                let rows = try database.query("SELECT \(values) FROM \"\(name)\"") { $0.text(0) }
                for row in rows { statements.append("INSERT INTO \"\(name)\" VALUES (\(row))") }
            }
            let version = try database.first("PRAGMA user_version") { $0.integer(0) } ?? 0
            statements.append("PRAGMA user_version = \(version)")
            return statements.joined(separator: ";\n") + ";\n"
        }
    }
}
