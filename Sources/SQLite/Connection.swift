import CSQLite
import LibC

/// A connection to one SQLite database, opened so that a committed transaction survives a power cut.
///
/// `journal_mode=WAL` with `synchronous=FULL`: every commit waits for the write-ahead log to be on
/// the disk (<https://sqlite.org/pragma.html#pragma_synchronous>); on Apple systems also
/// `fullfsync`. Closing does not checkpoint, so that a process that only enqueues ends at once; the
/// log is checkpointed as it grows, when a connection opens on a long one, and by ``checkpoint()``.
///
/// Only ``transaction(isDurable:_:)`` makes an exception, if it is told to.
///
/// Not thread-safe: its owner serialises access.
public final class Connection {
    /// A statement's text. Few texts have the same length, so that the length suffices as a hash.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    /// Stops SQLite's count of its memory, for which each allocation takes one lock of the whole
    /// process. No code here asks for the count. Has no effect if other code of the process has
    /// begun to use SQLite: that code made the choice
    /// (<https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus>).
    private static let stopCountingMemory: Void = {
        // On Apple systems the system's own frameworks share the library, and its settings.
        #if !canImport(Darwin)
            sqlite_disable_memory_statistics()
        #endif
    }()

    let handle: OpaquePointer
    private var statements: [Text: OpaquePointer] = [:]
    /// Whether `PRAGMA synchronous` is `FULL`.
    private var isSyncing = true
    /// The number of the log's frames up to the transaction's commit, as SQLite counted them; `nil`
    /// for a transaction that changed nothing, which syncs nothing.
    private var committedFrames: Int?
    /// The index of the log when the commit under way, or the last one, had the write lock.
    private var indexBeforeCommit: DatabaseFiles.Index?
    /// Whether a sync of the log has failed. The system may take unwritten pages for written, and
    /// no later sync writes them (<https://wiki.postgresql.org/wiki/Fsync_Errors>). The pages may
    /// also hold earlier commits that had not waited for the disk. Recovery would end there, and
    /// drop every later commit.
    private var isLogInDoubt = false
    /// The failure after which this connection wrote the log again last.
    private var mendedFailure: UInt64?
    /// The record of the log's syncs, which the connections of all processes share.
    private let record: SyncRecord
    /// Whether the statement under way is a transaction of its own, which looks for another process's
    /// failed sync when it has the write lock.
    private var isAlone = false

    /// Opens the database at `path`. Makes it if need be, with mode 0600, which SQLite also gives
    /// to the log beside it; its folder must exist.
    ///
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: The longest time that a statement waits for another process's
    ///     transaction, in milliseconds.
    ///   - shortensLog: Whether a long log is moved into the database now. A connection beside a
    ///     process that owns the database leaves the log to its owner.
    /// - Throws: ``SQLiteError``, when the file can neither be opened nor made. A file that is not a
    ///   database fails at the first statement, which is inside this call.
    public init(
        path: String,
        busyTimeoutMilliseconds: Int32 = 10_000,
        shortensLog: Bool = true
    ) throws(SQLiteError) {
        try Self.refuseEmptied(path)
        // A failure here happens again below, where it is reported.
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made >= 0 { close(made) }
        Self.stopCountingMemory
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let extended = opened.map { sqlite3_extended_errcode($0) } ?? code
            sqlite3_close_v2(opened)
            throw SQLiteError(code: extended)
        }
        handle = opened
        record = SyncRecord(of: opened)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
        sqlite_disable_checkpoint_on_close(handle)
        // A new database has its first page before it has a log, also after a power cut: with EXTRA
        // the rollback journal of that page is gone for good before the log is made.
        try execute("PRAGMA synchronous=EXTRA")
        try beginLog(waiting: busyTimeoutMilliseconds)
        try execute("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON")
        #if canImport(Darwin)
            try execute("PRAGMA fullfsync=ON; PRAGMA checkpoint_fullfsync=ON")
        #endif
        do throws(SQLiteError) {
            try keepDroppedCommits(of: path)
            try recordLog()
        } catch {
            // A sync may have failed.
            record.noteFailure()
            throw error
        }
        noteCommits()
        if shortensLog { shortenLog(of: path) }
        sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
    }

    /// Gives the database its log, if it has none.
    ///
    /// SQLite does not wait here for another connection that makes the database or its log at this
    /// moment: it has read the database, and two that have read it and want to write would wait for
    /// each other.
    private func beginLog(waiting milliseconds: Int32) throws(SQLiteError) {
        // All waiting is here: with waits of SQLite's own in each try, they would add up.
        sqlite3_busy_timeout(handle, 0)
        defer { sqlite3_busy_timeout(handle, milliseconds) }
        var waits: Int32 = 0
        while true {
            do throws(SQLiteError) {
                return try execute("PRAGMA journal_mode=WAL")
            } catch {
                guard error.isBusy, waits < milliseconds else { throw error }
                waits += 1
                usleep(1000)
            }
        }
    }

    /// The length of a log, in bytes, above which a connection moves it into the database when it
    /// opens, so that processes too short-lived to reach ``fullLog`` do not make the log grow for
    /// ever.
    private static let longLog = 256 * 1024

    private func shortenLog(of path: String) {
        var status = stat()
        guard stat("\(path)-wal", &status) == 0, status.st_size > Self.longLog else { return }
        // Does not wait for other connections: the next connection empties a log that is in use
        // now. While a connection lives its log keeps its length, because writing in place is
        // quicker.
        sqlite3_busy_timeout(handle, 0)
        try? checkpoint()
    }

    /// The length of the log, in pages, at which a commit moves it into the database. SQLite would
    /// do the same (<https://sqlite.org/c3ref/wal_autocheckpoint.html>), but would not report a
    /// failed sync.
    private static let fullLog = 1000

    private func noteCommits() {
        sqlite3_commit_hook(
            handle,
            { context in
                let connection = Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
                return connection.allowsCommit() ? 0 : 1
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        sqlite3_wal_hook(
            handle,
            { context, handle, database, frames in
                let connection = Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
                connection.committedFrames = Int(frames)
                guard frames >= Connection.fullLog else { return SQLITE_OK }
                let code = sqlite3_wal_checkpoint_v2(
                    handle,
                    database,
                    SQLITE_CHECKPOINT_PASSIVE,
                    nil,
                    nil
                )
                let isDone = code == SQLITE_OK || SQLiteError(code: code).isBusy
                if !isDone { connection.doubtLog() }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Looks, with the write lock, at the log to which a commit is about to be appended.
    ///
    /// - Returns: `false` for a statement alone behind another process's failed sync.
    private func allowsCommit() -> Bool {
        indexBeforeCommit = (try? DatabaseFiles(handle)?.index()) ?? nil
        guard isAlone, isBehindFailure else { return true }
        isLogInDoubt = true
        return false
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// Runs any number of statements that take no parameters, and ignores their rows.
    public func execute(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw lastError() }
    }

    /// Runs one statement.
    ///
    /// - Returns: The number of rows that the statement inserted, changed or deleted.
    @discardableResult
    public func run(_ sql: String, _ values: Value...) throws(SQLiteError) -> Int {
        try run(sql, values)
    }

    /// Runs one statement.
    ///
    /// - Returns: The number of rows that the statement inserted, changed or deleted.
    @discardableResult
    public func run(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Int {
        let statement = try prepared(sql, values)
        defer { sqlite3_reset(statement) }
        var code = sqlite3_step(statement)
        while code == SQLITE_ROW { code = sqlite3_step(statement) }
        guard code == SQLITE_DONE else { throw lastError() }
        return Int(sqlite3_changes(handle))
    }

    /// Runs one query and collects the results of `row` for each row, in the query's order.
    ///
    /// - Throws: ``SQLiteError``, or an error that `row` throws.
    public func query<Result>(
        _ sql: String,
        _ values: Value...,
        row: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        try query(sql, values, row: row)
    }

    /// Runs one query and collects the results of `row` for each row, in the query's order.
    ///
    /// - Throws: ``SQLiteError``, or an error that `row` throws.
    public func query<Result>(
        _ sql: String,
        _ values: [Value],
        row: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        let statement = try prepared(sql, values)
        defer { sqlite3_reset(statement) }
        var results: [Result] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: results.append(try row(Row(statement: statement)))
            case SQLITE_DONE: return results
            default: throw lastError()
            }
        }
    }

    /// Runs one query and returns the result of `row` for its first row; `nil` when there is no
    /// row.
    public func first<Result>(
        _ sql: String,
        _ values: Value...,
        row: (borrowing Row) throws -> Result
    ) throws -> Result? {
        let statement = try prepared(sql, values)
        defer { sqlite3_reset(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return try row(Row(statement: statement))
        case SQLITE_DONE: return nil
        default: throw lastError()
        }
    }

    /// Runs `body` in one transaction that takes the write lock at its start.
    ///
    /// Commits when `body` returns; rolls back when `body`, or the commit, throws.
    ///
    /// - Parameter isDurable: Whether the commit waits for the disk. A power cut undoes a commit
    ///   that did not wait, with all such commits after it, as long as no durable commit of any
    ///   connection follows: the log keeps the order of commits, and one sync of the log makes all
    ///   earlier commits durable. Killing a process undoes nothing.
    @discardableResult
    public func transaction<Result>(
        isDurable: Bool = true,
        _ body: () throws -> Result
    ) throws -> Result {
        try begin(isDurable: isDurable)
        let result: Result
        do {
            result = try body()
        } catch {
            if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
            throw error
        }
        do {
            try run("COMMIT")
        } catch {
            if sqlite3_get_autocommit(handle) == 0 { try run("ROLLBACK") }
            overwriteRefusedCommit()
            throw error
        }
        if isDurable { noteSync() }
        return result
    }

    /// Runs one statement in a durable transaction of its own: like ``run(_:_:)`` inside
    /// ``transaction(isDurable:_:)``, but with two statements fewer.
    ///
    /// - Returns: The number of rows that the statement inserted, changed or deleted.
    /// - Precondition: No transaction is open.
    @discardableResult
    public func commit(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Int {
        precondition(sqlite3_get_autocommit(handle) != 0)
        while true {
            try removeDoubt()
            try setSyncing(true)
            committedFrames = nil
            do {
                isAlone = true
                defer { isAlone = false }
                let changes = try run(sql, values)
                noteSync()
                return changes
            } catch {
                // ``allowsCommit()`` refused it.
                if isLogInDoubt, error.isConstraint { continue }
                // A refused row, or a database in use, leaves no commit in the log.
                if !error.isConstraint, !error.isBusy { overwriteRefusedCommit() }
                throw error
            }
        }
    }

    /// Begins a transaction behind a log that is not in doubt.
    private func begin(isDurable: Bool) throws(SQLiteError) {
        while true {
            try removeDoubt()
            try setSyncing(isDurable)
            committedFrames = nil
            try run("BEGIN IMMEDIATE")
            // Under the write lock, as another process's sync may have failed while this one waited.
            guard isBehindFailure else { return }
            isLogInDoubt = true
            try run("ROLLBACK")
        }
    }

    /// Whether a sync of some process has failed, and nobody has written the log again since.
    private var isBehindFailure: Bool {
        guard let failure = record.doubt else { return false }
        return failure != mendedFailure
    }

    /// The durability of a commit.
    package enum CommitReach {
        /// The transaction changed nothing, so there was nothing to commit.
        case nowhere
        /// The commit is in the log, and did not wait for the disk.
        case log
        /// The commit, and every commit before it, is on the disk.
        case disk
    }

    /// The durability of the commit of the ``transaction(isDurable:_:)`` or ``commit(_:_:)`` that
    /// has returned last.
    package var commitReach: CommitReach {
        guard committedFrames != nil else { return .nowhere }
        return isSyncing ? .disk : .log
    }

    private func setSyncing(_ isDurable: Bool) throws(SQLiteError) {
        guard isSyncing != isDurable else { return }
        // Not a prepared statement: this statement takes effect when it is prepared.
        try execute("PRAGMA synchronous=\(isDurable ? "FULL" : "NORMAL")")
        isSyncing = isDurable
    }

    /// Records the durable commit that has just returned. The write lock is free again, so that the
    /// log may have gone on.
    private func noteSync() {
        guard let committedFrames, let before = indexBeforeCommit,
            let salts = try? logSalts()
        else { return }
        let synced = SyncedLog(frames: committedFrames, salts: salts)
        // With other salts, another connection may have begun a generation behind this commit.
        guard synced.isOfGeneration(of: before) || synced.begins(after: before) else { return }
        if let known = record.synced, known.salts == salts, known.frames >= committedFrames {
            return
        }
        record.note(synced)
    }

    /// Syncs a log of which no sync is recorded, as after a power cut that took the record, and
    /// records it.
    private func recordLog() throws(SQLiteError) {
        guard record.isEmpty, let files = DatabaseFiles(handle), try files.logLength() > 0 else {
            return
        }
        do throws(SQLiteError) {
            try run("BEGIN IMMEDIATE")
        } catch {
            guard error.isReadOnly || error.isBusy else { throw error }
            return
        }
        let recording = Result { () throws(SQLiteError) in
            guard let index = try files.index(), index.frames > 0 else { return }
            try files.syncLog()
            record.note(SyncedLog(frames: index.frames, salts: index.salts))
        }
        try run("ROLLBACK")
        try recording.get()
    }

    /// Writes a transaction that changes nothing over a commit that failed only in its sync: such a
    /// commit stands complete in the log, and the first connection after all others have closed
    /// would recover it. The new transaction's own sync may fail, too. Only a power cut, and a disk
    /// that refuses the write as well, leave the refused commit in doubt.
    private func overwriteRefusedCommit() {
        doubtLog()
        try? removeDoubt()
    }

    private func doubtLog() {
        isLogInDoubt = true
        record.noteFailure()
    }

    /// If a sync has failed, writes the frames that it may have left out once more, and then
    /// commits durably.
    ///
    /// - Throws: ``SQLiteError``, when the disk still fails. Then no commit would be durable.
    private func removeDoubt() throws(SQLiteError) {
        guard isLogInDoubt else { return }
        try setSyncing(true)
        committedFrames = nil
        try run("BEGIN IMMEDIATE")
        let failure = record.doubt
        do throws(SQLiteError) {
            try? cutLogAtItsEnd()
            // The refused commit is overwritten even if this fails.
            let rewriting = Result { () throws(SQLiteError) in try rewriteLog(after: record.synced)
            }
            try commitNothing()
            try rewriting.get()
        } catch {
            if sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
            record.noteFailure()
            throw error
        }
        noteSync()
        if let failure {
            record.noteMended(failure)
            mendedFailure = failure
        }
        isLogInDoubt = false
    }

    /// Ends the open transaction with a frame and a sync, but without a change.
    private func commitNothing() throws(SQLiteError) {
        let version: Int64?
        do {
            version = try first("PRAGMA user_version") { $0.integer(0) }
        } catch {
            throw error as? SQLiteError ?? lastError()
        }
        try execute("PRAGMA user_version = \(version ?? 0)")
        try run("COMMIT")
    }

    /// Moves the write-ahead log into the database and empties it, as far as no reader prevents it.
    public func checkpoint() throws(SQLiteError) {
        if isBehindFailure { isLogInDoubt = true }
        try removeDoubt()
        do {
            try run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            if !error.isBusy { doubtLog() }
            throw error
        }
    }

    private func prepared(_ sql: String, _ values: [Value]) throws(SQLiteError) -> OpaquePointer {
        let statement = try prepared(sql)
        for (index, value) in values.enumerated() {
            guard bind(value, at: Int32(index + 1), of: statement) == SQLITE_OK else {
                throw lastError()
            }
        }
        return statement
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[Text(sql: sql)] { return statement }
        var made: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &made, nil) == SQLITE_OK, let made else {
            throw lastError()
        }
        statements[Text(sql: sql)] = made
        return made
    }

    private func bind(_ value: Value, at index: Int32, of statement: OpaquePointer) -> Int32 {
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null:
            return sqlite3_bind_null(statement, index)
        case .integer(let integer):
            return sqlite3_bind_int64(statement, index, integer)
        case .real(let real):
            return sqlite3_bind_double(statement, index, real)
        case .text(let text):
            return text.withCString {
                sqlite3_bind_text64(
                    statement,
                    index,
                    $0,
                    UInt64(text.utf8.count),
                    copied,
                    UInt8(SQLITE_UTF8)
                )
            }
        case .blob(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob64(
                    statement,
                    index,
                    $0.baseAddress,
                    UInt64($0.count),
                    copied
                )
            }
        }
    }

    private func lastError() -> SQLiteError {
        SQLiteError(code: sqlite3_extended_errcode(handle))
    }
}

/// A value bound to a parameter of a statement.
public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(nilLiteral: ()) { self = .null }
}
