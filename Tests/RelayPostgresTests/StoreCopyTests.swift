import Foundation
import Outbox
import OutboxCore
import OutboxTesting
import PostgreSQLServer
import SQLite
import Synchronization
import TemporaryFolders
import TestSeeds
import Testing

@testable import PostgreSQL
@testable import RelayPostgres
@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// A copy of a data folder into a PostgreSQL database.
@Suite(
    "A copy of a relay's data",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct StoreCopyTests {
    private let parent: TemporaryFolder
    private let folder: String
    private let database: RelayDatabase
    private let pool: Pool

    init() throws {
        parent = try TemporaryFolder()
        folder = parent.file("data")
        database = try RelayDatabase()
        pool = database.pool()
    }

    // MARK: Both sides

    private func open() throws(RelayStartError) -> SQLiteRelayStore {
        try SQLiteRelayStore(folder: folder, settings(key: folder + "/key"))
    }

    private func settings(key: String) -> StoreSettings {
        StoreSettings(
            keyPath: key,
            mailPolicy: .mail,
            clock: .system,
            log: { _ in },
            fateLost: { _ in }
        )
    }

    private func source() throws -> SQLite.Connection {
        try SQLite.Connection(path: folder + "/relay.sqlite")
    }

    private func target() async throws -> PostgreSQLCopyTarget {
        _ = try await RelaySchema.migrations.run(in: pool)
        return PostgreSQLCopyTarget(pool: pool)
    }

    /// A relay's store on the target, with the keys of the folder.
    private func relay() async throws -> PostgreSQLRelayStore {
        try await database.store(keys: FileKeyStore(path: folder + "/key"), over: pool)
    }

    private func copy() async throws -> [CopiedTableReport]? {
        try await StoreCopy(from: SQLiteCopySource(folder: folder), to: try await target()).run()
    }

    // MARK: Rows

    /// Makes the source, with rows of any values in every table: more of them than a page has where
    /// `pages` is greater than 0.
    private func fill(pages: Int) throws {
        var generator = SeededRandom(seed: TestSeeds["store-copy"][0])
        _ = try open()
        let source = try source()
        try source.transaction {
            var accounts: [[UInt8]] = []
            for table in CopiedTable.all {
                let isSingle = ["relay_trial", "relay_movement", "relay_running", "outbox_use"]
                    .contains("\(table.name)")
                let count = isSingle ? 1 : pages * table.rowsAtOnce + 7
                for number in 0..<count {
                    var values = table.columns.map { column in
                        Self.value(of: column, in: table, number, accounts, &generator)
                    }
                    if table.name.description == "account", case .blob(let id) = values[0] {
                        accounts.append(id)
                    }
                    let copies = table.repeats && number.isMultiple(of: 3) ? 2 : 1
                    if table.name.description == "memo" || table.name.description == "account" {
                        // As a build that knew no mailboxes wrote it.
                        let mailbox = table.columns.firstIndex { $0.name.description == "mailbox" }
                        if let mailbox, number.isMultiple(of: 5) { values[mailbox] = .null }
                    }
                    let names = table.columns.map { "\($0.name)" }.joined(separator: ", ")
                    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
                    for _ in 0..<copies {
                        try source.run(
                            "INSERT INTO \(table.name)(\(names)) VALUES(\(places))",
                            values
                        )
                    }
                }
            }
        }
    }

    private static func value(
        of column: CopiedTable.Column,
        in table: CopiedTable,
        _ number: Int,
        _ accounts: [[UInt8]],
        _ generator: inout SeededRandom
    ) -> Value {
        switch "\(column.name)" {
        case "id" where column.form == .integer: return .integer(0)
        case "step": return .integer(Int64(number) - 2)
        case "entry": return .integer(Int64(number) * 3 + 1)
        case "state": return .integer(Int64.random(in: 0...2, using: &generator))
        case "account":
            let others = ["account_change", "account_settings", "erasure"]
            let chosen =
                others.contains("\(table.name)")
                ? number : Int.random(in: 0..<accounts.count, using: &generator)
            return .blob(accounts[chosen])
        default: break
        }
        if column.isOptional, Bool.random(using: &generator) { return .null }
        let any = UInt64.random(in: 0...UInt64.max, using: &generator)
        switch column.form {
        case .integer:
            return .integer([0, 1, -1, Int64.min, Int64.max, Int64(bitPattern: any)][Int(any % 6)])
        case .text: return .text("\(any) naïve 備忘 'quoted', \\ \"%\" \(number)")
        case .bytes:
            let random = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let isSealed = ["envelope", "record", "response", "ledger"].contains("\(column.name)")
            return .blob(isSealed && number.isMultiple(of: 11) ? [] : random)
        }
    }

    /// All rows of a table in the source, in an order of their own, each as later builds write it.
    private func sourceRows(of table: CopiedTable) throws -> [String] {
        let mailbox = "\(table.name)" == "memo" ? "account" : "id"
        let hasFallback = ["memo", "account"].contains("\(table.name)")
        let columns = table.columns.map {
            hasFallback && "\($0.name)" == "mailbox"
                ? "coalesce(mailbox, \(mailbox))" : "\($0.name)"
        }
        return try source().query("SELECT \(columns.joined(separator: ", ")) FROM \(table.name)") {
            row in
            var texts: [String] = []
            for (index, column) in table.columns.enumerated() {
                if row.isNull(index) {
                    texts.append("NULL")
                } else {
                    switch column.form {
                    case .integer: texts.append("\(row.integer(index))")
                    case .text: texts.append(row.text(index))
                    case .bytes: texts.append("\(row.blob(index))")
                    }
                }
            }
            return texts.joined(separator: "|")
        }.sorted()
    }

    private func targetRows(of table: CopiedTable) throws -> [String] {
        let names = table.columns.map(\.name)
        let listed: [StaticString] = Array(names.map { [$0] }.joined(separator: [", "]))
        let rows = try database.connection().run(
            Statement(joining: ["SELECT "] + listed + [" FROM ", table.name])
        )
        return rows.map { row in
            table.columns.enumerated().map { index, column in
                if row.isNull(index) { return "NULL" }
                return switch column.form {
                case .integer: "\(row.integer(index))"
                case .text: row.text(index)
                case .bytes: "\(row.bytes(index))"
                }
            }.joined(separator: "|")
        }.sorted()
    }

    // MARK: Promises

    @Test("every column of every table is copied, but those of one database's own")
    func everyColumn() async throws {
        _ = try open()
        _ = try await target()
        let copied = Set(
            CopiedTable.all.flatMap { table in table.columns.map { "\(table.name).\($0.name)" } }
        )
        let secret: Set = ["relay_secret.id", "relay_secret.sealed", "relay_secret.replaceable"]
        func isOwn(_ column: String) -> Bool {
            [
                "relay_turn.", "relay_writer.", "relay_drain.", "relay_drainer.", "relay_shard.",
                "relay_copy.", "key_rotation.", "schema_component.", "outbox_operation.shard",
            ].contains { column.hasPrefix($0) }
        }
        let inTarget = try database.connection().run(
            Statement(
                """
                SELECT CAST(table_name AS text), CAST(column_name AS text)
                FROM information_schema.columns WHERE table_schema = current_schema()
                """
            )
        ).map { "\($0.text(0)).\($0.text(1))" }
        #expect(Set(inTarget.filter { !isOwn($0) }) == copied.union(secret))
        let inSource = try source().query(
            """
            SELECT tables.name, columns.name
            FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table'
            """
        ) { "\($0.text(0)).\($0.text(1))" }
        // No mail of a relay is in a lane.
        #expect(
            Set(inSource.filter { !isOwn($0) })
                == copied.union(secret).union(["outbox_operation.lane"])
        )
    }

    @Test("goes on after an end at any point, and brings every row once")
    func interrupted() async throws {
        try fill(pages: 2)
        let faults = Faults()
        var runs = 0
        while true {
            runs += 1
            do {
                let interrupted = InterruptedTarget(base: try await target(), faults: faults)
                let reports = try await StoreCopy(
                    from: SQLiteCopySource(folder: folder),
                    to: interrupted
                ).run()
                let counts = reports?.map { "\($0.name) \($0.digest.rows)" }
                let expected = try CopiedTable.all.map { table in
                    "\(table.name) \(try sourceRows(of: table).count)"
                }
                #expect(counts == expected)
                break
            } catch StoreCopyError.target {
                // No relay serves from either side.
                #expect(throws: RelayStartError.copied) { _ = try open() }
                await #expect(throws: RelayStartError.copyUnderWay) { _ = try await relay() }
            }
        }
        #expect(runs > 2 * CopiedTable.all.count)
        for table in CopiedTable.all {
            #expect(try sourceRows(of: table) == targetRows(of: table), "\(table.name)")
        }
        #expect(try await copy() == nil)
        #expect(throws: RelayStartError.copied) { _ = try open() }
    }

    @Test("a relay on the copy has the accounts, the secret and the numbers of the folder")
    func moved() async throws {
        let address = try #require(MailAddress("person@inbox.example"))
        try fill(pages: 0)
        let before = try open().secret
        _ = try await copy()
        let relay = try await relay()
        #expect(relay.secret.key(of: address) == before.key(of: address))
        #expect(
            relay.secret.authenticationCode(.cursor, [1])
                == before.authenticationCode(.cursor, [1])
        )
        let latest = try database.connection().run(
            Statement("SELECT max(entry) FROM outbox_operation")
        )[0].integer(0)
        let next = try database.connection().run(
            Statement("SELECT nextval(pg_get_serial_sequence('outbox_operation', 'entry'))")
        )[0].integer(0)
        #expect(next > latest)
    }

    @Test("the secret of one part opens the same links in the copy")
    func oldSecret() async throws {
        let before = try open().secret
        let links = before.authenticationCode(.cursor, [1])
        try source().execute("UPDATE relay_secret SET replaceable = NULL")
        let single = try open().secret.authenticationCode(.cursor, [1])
        #expect(single != links)
        _ = try await copy()
        #expect(try await relay().secret.authenticationCode(.cursor, [1]) == single)
    }

    @Test("a change of the folder in the middle of the copy is found, and no relay serves the copy")
    func changed() async throws {
        try fill(pages: 0)
        let faults = Faults()
        // The first page is stored, and the run ends.
        for _ in 0..<4 {
            _ = try? await StoreCopy(
                from: SQLiteCopySource(folder: folder),
                to: InterruptedTarget(base: try await target(), faults: faults)
            ).run()
        }
        try source().execute("UPDATE relay_trial SET at = at / 2 + 1")
        await #expect(throws: StoreCopyError.different(tables: ["relay_trial"])) {
            _ = try await copy()
        }
        await #expect(throws: RelayStartError.copyUnderWay) { _ = try await relay() }
    }

    @Test("a database with data, or with a part of another copy, is refused and not changed")
    func otherData() async throws {
        _ = try open()
        let other = try await database.store()
        await #expect(throws: StoreCopyError.targetHasData) { _ = try await copy() }
        await other.close()
        let connection = try database.connection()
        for left in [
            Statement("DELETE FROM relay_secret"), Statement("DELETE FROM outbox_use"),
        ] { _ = try connection.run(left) }
        _ = try connection.run(
            Statement(
                "INSERT INTO code_request(subject, at) VALUES ($1, 1)",
                [.bytes([1])]
            )
        )
        await #expect(throws: StoreCopyError.targetHasData) { _ = try await copy() }
        #expect(try connection.run(Statement("SELECT 1 FROM relay_copy")).count == 0)
        _ = try connection.run(Statement("DELETE FROM code_request"))
        let first = try await target().begin([1])
        #expect(first == .beginning)
        await #expect(throws: StoreCopyError.otherCopy) { _ = try await copy() }
    }

    @Test("of two processes that copy at once, one is refused")
    func met() async throws {
        _ = try open()
        let held = try SQLiteCopySource(folder: folder)
        #expect(throws: StoreCopyError.sourceInUse) { _ = try SQLiteCopySource(folder: folder) }
        let copy = try held.begin()
        let target = try await target()
        let point = try await target.begin(copy)
        let table = CopiedTable.all[0]
        let next = CopyPoint(table: 1)
        try await target.append([], of: table, of: copy, point, next)
        await #expect(throws: StoreCopyError.met) {
            try await target.append([], of: table, of: copy, point, next)
        }
        await #expect(throws: StoreCopyError.met) {
            try await target.finish(copy, try held.secret())
        }
    }

    @Test("a folder that a relay serves from, and one whose key is being replaced, are refused")
    func refusedFolders() throws {
        let relay = try open()
        #expect(throws: StoreCopyError.sourceInUse) { _ = try SQLiteCopySource(folder: folder) }
        withExtendedLifetime(relay) {}
        #expect(throws: StoreCopyError.source(.noDatabase)) {
            _ = try SQLiteCopySource(folder: parent.file("none"))
        }
    }

    @Test("a folder whose key is being replaced is refused")
    func rotating() async throws {
        _ = try open()
        try source().execute("INSERT INTO key_rotation(id, begun_at) VALUES(0, 1)")
        await #expect(throws: StoreCopyError.sourceRotates) { _ = try await copy() }
        _ = try open()
    }

    @Test("a copy that is given up lets a relay serve from the folder again")
    func cancelled() async throws {
        _ = try open()
        _ = try await copy()
        #expect(throws: RelayStartError.copied) { _ = try open() }
        #expect(try SQLiteCopySource(folder: folder).cancel())
        #expect(try !SQLiteCopySource(folder: folder).cancel())
        _ = try open()
    }

    @Test("the key goes beside, and another key stays as it is")
    func keys() throws {
        _ = try open()
        let source = try SQLiteCopySource(folder: folder)
        let path = parent.file("key")
        for _ in 0..<2 { try source.copyKey(to: path) }
        let keys = try FileKeyStore(path: folder + "/key").keys(creating: false)
        #expect(try FileKeyStore(path: path).keys(creating: false).map(\.id) == keys.map(\.id))
        let other = parent.file("other")
        _ = try FileKeyStore(path: other).keys(creating: true)
        #expect(throws: StoreCopyError.otherKey) { try source.copyKey(to: other) }
    }

    @Test("values are read as they were encoded, and other bytes are refused")
    func encoding() {
        let values: [CopiedValue] = [
            .null, .integer(.min), .integer(.max), .integer(-1), .text(""), .text("備忘"),
            .bytes([]), .bytes([0, 255]), .null,
        ]
        #expect([CopiedValue](encoded: values.encoded()) == values)
        #expect([CopiedValue](encoded: []) == [])
        for end in 1..<9 {
            #expect(
                [CopiedValue](encoded: Array([CopiedValue.integer(1)].encoded().prefix(end))) == nil
            )
        }
        #expect([CopiedValue](encoded: [3, 0, 0, 0, 0, 0, 0, 0, 2, 7]) == nil)
        #expect([CopiedValue](encoded: [3, 255, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect([CopiedValue](encoded: [9, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test("a digest counts equal rows, and knows no order")
    func digests() {
        func digest(_ rows: CopiedRow...) -> TableDigest {
            var digest = TableDigest()
            for row in rows { digest.add(row) }
            return digest
        }
        let (one, two) = (CopiedRow([.integer(1)]), CopiedRow([.integer(2)]))
        #expect(digest(one, two) == digest(two, one))
        #expect(digest(one, one) == digest(CopiedRow([.integer(1)], count: 2)))
        #expect(digest(one, one) != digest(one))
        #expect(digest(one) != digest(two))
        #expect(digest(one).text.count == 64)
    }
}

/// The faults of a target: each transaction fails once before it is stored, and once behind.
private final class Faults: Sendable {
    enum Fault: Hashable, Sendable { case before, behind }

    private let seen = Mutex<[String: Int]>([:])

    func next(_ transaction: String) -> Fault? {
        seen.withLock { seen in
            let count = seen[transaction, default: 0]
            seen[transaction] = count + 1
            return count == 0 ? .before : count == 1 ? .behind : nil
        }
    }
}

/// A target at which a copy ends at every transaction.
private struct InterruptedTarget: CopyTarget {
    let base: PostgreSQLCopyTarget
    let faults: Faults

    private func run<Value>(
        _ transaction: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let fault = faults.next(transaction)
        if fault == .before { throw StorageError.busy }
        let value = try await body()
        if fault == .behind { throw StorageError.busy }
        return value
    }

    func begin(_ copy: [UInt8]) async throws -> CopyPoint {
        // A copy that has not begun is none: a relay may start at the target.
        try await base.begin(copy)
    }

    func append(
        _ rows: [CopiedRow],
        of table: CopiedTable,
        of copy: [UInt8],
        _ here: CopyPoint,
        _ next: CopyPoint
    ) async throws {
        try await run("\(here)") {
            try await base.append(rows, of: table, of: copy, here, next)
        }
    }

    func finish(_ copy: [UInt8], _ secret: SealedSecrets) async throws {
        if faults.next("secret") == .before { throw StorageError.busy }
        try await base.finish(copy, secret)
    }

    func rows(
        of table: CopiedTable,
        after last: [CopiedValue]
    ) async throws -> [CopiedRow] {
        try await base.rows(of: table, after: last)
    }
}
