import CSQLite

/// The limit of every relay over this database: one thread that writes a memo's rows by SQLite's C
/// interface, 64 memos in a durable transaction, and does nothing else.
///
/// usage: RowWriter DATABASE SECONDS
///
/// The database is a stopped relay's, with at least one memo whose mail is queued. Each written memo has
/// the rows of one of those memos, under identifiers of its own. The program prints the number of
/// written memos and the microseconds that they took.
@main
enum RowWriter {
    static let memosInTransaction = 64

    static func main() {
        guard CommandLine.arguments.count == 3, let seconds = Double(CommandLine.arguments[2])
        else { fatalError("usage: RowWriter DATABASE SECONDS") }
        let database = Database(path: CommandLine.arguments[1])
        let rows = MemoRows(of: database)
        let begun = ContinuousClock.now
        let end = begun + .seconds(seconds)
        var written: Int64 = 0
        while ContinuousClock.now < end {
            database.execute("BEGIN IMMEDIATE")
            for _ in 0..<memosInTransaction {
                rows.write(number: written)
                written += 1
            }
            database.execute("COMMIT")
        }
        print(written, Int((ContinuousClock.now - begun) / .microseconds(1)))
    }
}

/// The rows of the memos that a database has at first, and the statements that write their like.
struct MemoRows {
    /// A memo: the values of its row and of its mail's, and its account.
    private struct Model {
        let memo: [OpaquePointer?]
        let mail: [OpaquePointer?]
        let account: OpaquePointer?
    }

    private let models: [Model]
    /// The values of the rows that count the memos of a network and of all people.
    private let counters: [[OpaquePointer?]]
    private let memo: Statement
    private let mail: Statement
    private let change: Statement
    private let count: Statement

    init(of database: Database) {
        let columns = """
            account, id, operation, device, content, message_id, response, status, accepted_at,
            changed_at, size, mailbox
            """
        let mailColumns = "id, state, due, wait, envelope, record"
        models = database.rows("SELECT \(columns) FROM memo WHERE status = 'accepted'").map {
            memo in
            let mail = database.rows(
                "SELECT \(mailColumns) FROM outbox_operation WHERE id = ?",
                [memo[2]]
            )
            precondition(mail.count == 1, "a memo whose mail is not queued")
            return Model(memo: memo, mail: mail[0], account: memo[0])
        }
        precondition(!models.isEmpty, "the database has no accepted memo")
        counters = database.rows(
            """
            SELECT subject, place, begins FROM memo_use
            WHERE begins = (SELECT max(begins) FROM memo_use)
            """
        )
        memo = database.statement(
            """
            INSERT INTO memo(\(columns), change) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
                (SELECT last FROM account_change WHERE account = ?1))
            """
        )
        mail = database.statement(
            "INSERT INTO outbox_operation(\(mailColumns)) VALUES(?, ?, ?, ?, ?, ?)"
        )
        change = database.statement("UPDATE account_change SET last = last + 1 WHERE account = ?")
        count = database.statement(
            """
            INSERT INTO memo_use(subject, place, begins, memos) VALUES(?, ?, ?, 1)
            ON CONFLICT(subject, place) DO UPDATE SET memos = memos + 1
            """
        )
    }

    /// Writes the rows of one memo. The mails' identifiers ascend, as a relay's do; the memos' do not, as
    /// those of devices.
    func write(number: Int64) {
        let model = models[Int(number) % models.count]
        let mailID = Self.identifier(UInt64(number).bigEndian)
        let memoID = Self.identifier(UInt64.random(in: 0...UInt64.max))
        mail.run(model.mail, replacing: [1: mailID])
        change.run([model.account])
        memo.run(model.memo, replacing: [2: memoID, 3: mailID])
        for counter in counters { count.run(counter) }
    }

    private static func identifier(_ beginning: UInt64) -> [UInt8] {
        // Behind the identifiers of the models, whose first bytes are a time.
        withUnsafeBytes(of: beginning) { [0xF0] + $0 }
            + withUnsafeBytes(of: UInt64.random(in: 0...UInt64.max)) { $0.prefix(7) }
    }
}

/// A connection with the relay's pragmas.
final class Database {
    private var handle: OpaquePointer?

    init(path: String) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        precondition(sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, "cannot open \(path)")
        execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON")
    }

    func execute(_ sql: String) {
        precondition(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, message)
    }

    func statement(_ sql: String) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        precondition(code == SQLITE_OK, message)
        return Statement(handle: statement)
    }

    /// Copies of the values of all rows.
    func rows(_ sql: String, _ values: [OpaquePointer?] = []) -> [[OpaquePointer?]] {
        statement(sql).rows(values)
    }

    private var message: String { String(cString: sqlite3_errmsg(handle)) }
}

/// A prepared statement.
struct Statement {
    let handle: OpaquePointer?

    /// Runs the statement with values, of which some, by their numbers from 1 on, are bytes instead.
    func run(_ values: [OpaquePointer?], replacing bytes: [Int32: [UInt8]] = [:]) {
        bind(values)
        for (number, bytes) in bytes { bind(bytes, at: number) }
        precondition(sqlite3_step(handle) == SQLITE_DONE, "a row is not written")
        sqlite3_reset(handle)
    }

    func rows(_ values: [OpaquePointer?]) -> [[OpaquePointer?]] {
        bind(values)
        var rows: [[OpaquePointer?]] = []
        while sqlite3_step(handle) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(handle)).map {
                    sqlite3_value_dup(sqlite3_column_value(handle, $0))
                }
            )
        }
        sqlite3_reset(handle)
        return rows
    }

    private func bind(_ values: [OpaquePointer?]) {
        for (index, value) in values.enumerated() {
            sqlite3_bind_value(handle, Int32(index + 1), value)
        }
    }

    private func bind(_ bytes: [UInt8], at number: Int32) {
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_blob(handle, number, bytes, Int32(bytes.count), copies)
    }
}
