public import Outbox
import OutboxCore
public import SQLite
import Synchronization

/// Operations in one table of a SQLite database, `synchronous=FULL` (see `Connection`), but
/// for the removal of what was delivered.
///
/// An app may keep tables of its own in the same database, under any name that does not begin with
/// `outbox_`, and enqueue in a transaction of its own:
///
/// ```swift
/// let operation = try outbox.seal(kind: "note", payload: bytes)
/// try storage.write { database in
///     try storage.insert(operation, in: database)
///     try database.run("INSERT INTO note(id) VALUES(?)", .blob(operation.envelope.id.bytes))
/// }
/// outbox.inserted(operation)
/// ```
///
/// One connection, serialised by a lock: a caller waits for at most the transactions before it.
public final class SQLiteStorage: OutboxStorage {
    /// The connection, which only ever is used under the lock around it.
    private struct Guarded: @unchecked Sendable {
        /// `nil` once the storage is closed.
        var connection: Connection?
        /// Removals since the log was last synced by this object.
        var unsyncedRemovals = 0
    }

    private let guarded: Mutex<Guarded>
    let path: String
    private let maximumUnsyncedRemovals: Int

    /// Opens the database at `path`, making it and the outbox's tables if need be.
    ///
    /// - Parameters:
    ///   - path: The database; its folder must exist. Two files are made beside it, `PATH-wal` and
    ///     `PATH-shm`, and `PATH-drain` by who drains; `PATH-damaged-1` and so on where a log was
    ///     damaged, see ``damage(checkingUpTo:)``.
    ///   - maximumUnsyncedRemovals: How many removals of delivered operations a power cut may undo,
    ///     the latest ones. They are attempted once more, under their identifiers. With 0 each
    ///     removal waits for the disk; else only that which exceeds this number does, and makes all
    ///     before it durable, as does whatever else is written. Everything else is durable on
    ///     return.
    /// - Throws: ``/Outbox/StorageError``.
    public convenience init(path: String, maximumUnsyncedRemovals: Int = 31) throws {
        try self.init(
            path: path,
            maximumUnsyncedRemovals: maximumUnsyncedRemovals,
            busyTimeoutMilliseconds: 10_000
        )
    }

    /// - Parameter busyTimeoutMilliseconds: How long a call waits for another process's
    ///   transaction.
    package init(
        path: String,
        maximumUnsyncedRemovals: Int = 31,
        busyTimeoutMilliseconds: Int32
    ) throws {
        self.path = path
        self.maximumUnsyncedRemovals = maximumUnsyncedRemovals
        let connection = try Self.translating {
            let connection = try Connection(
                path: path,
                busyTimeoutMilliseconds: busyTimeoutMilliseconds
            )
            try Schema.prepare(connection)
            return connection
        }
        guarded = Mutex(Guarded(connection: connection))
    }

    /// Runs `body` in one durable transaction: when this returns, all of it is on the disk; when it
    /// throws, none of it happened.
    ///
    /// - Throws: ``/Outbox/StorageError`` in place of a `SQLiteError`; whatever else `body` throws.
    @discardableResult
    public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try write(undoable: nil, body)
    }

    /// Like ``write(_:)`` of this one statement.
    func commit(_ sql: String, _ values: [Value]) throws {
        try withConnection { connection, unsyncedRemovals in
            try connection.commit(sql, values)
            unsyncedRemovals = 0
        }
    }

    /// Runs `body`, which only reads.
    public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try withConnection { connection, _ in try body(connection) }
    }

    /// Like ``write(_:)``, unless `body` does nothing but remove: that waits for the disk only when
    /// it and the removals before it are more than a power cut may undo.
    ///
    /// - Parameter removals: How many `body` may remove; `nil` when it does anything else.
    func write<Result>(
        undoable removals: Int?,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        try withConnection { connection, unsyncedRemovals in
            let unsynced = unsyncedRemovals + (removals ?? 0)
            let isDurable = removals == nil || unsynced > maximumUnsyncedRemovals
            let result = try connection.transaction(isDurable: isDurable) { try body(connection) }
            unsyncedRemovals = isDurable ? 0 : unsynced
            return result
        }
    }

    /// Moves the write-ahead log into the database, as far as no other process prevents it.
    public func checkpoint() throws {
        try withConnection { connection, _ in try connection.checkpoint() }
    }

    public func claimDrain() throws -> (any DrainClaim)? {
        try withConnection { _, _ in try FileLock(path: "\(path)-drain") }
    }

    /// Closes the connection; see ``/Outbox/OutboxStorage/close()``. The log is not emptied: see
    /// ``checkpoint()``.
    public func close() {
        guarded.withLock { $0.connection = nil }
    }

    private func withConnection<Result>(
        _ body: (Connection, _ unsyncedRemovals: inout Int) throws -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        guarded.withLock { guarded in
            result = Swift.Result {
                guard let connection = guarded.connection else { throw StorageError.closed }
                return try Self.translating { try body(connection, &guarded.unsyncedRemovals) }
            }
        }
        return try result!.get()
    }

    @discardableResult
    static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StorageError(error)
        }
    }
}

extension StorageError {
    init(_ error: SQLiteError) {
        if error.isDiskFull {
            self = .diskFull
        } else if error.isReadOnly {
            self = .readOnly
        } else if error.isCannotOpen {
            self = .cannotOpen
        } else if error.isCorrupt {
            self = .corrupt
        } else if error.isConstraint {
            self = .duplicate
        } else if error.isBusy {
            self = .busy
        } else {
            self = .failed(code: error.code)
        }
    }
}
