public import Outbox
import OutboxCore
public import SQLite
import Synchronization

/// Stores operations in one table of a SQLite database, with `synchronous=FULL` (see `Connection`).
/// Only the removal of a delivered operation may reach the disk later.
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
/// The storage has one connection. A lock serialises its use: a caller waits only for the
/// transactions before its own.
public final class SQLiteStorage: OutboxStorage {
    /// The connection. It is used only under the lock around this structure.
    private struct Guarded: @unchecked Sendable {
        /// `nil` once the storage is closed.
        var connection: Connection?
        /// The number of removals since this object last synced the log.
        var unsyncedRemovals = 0
    }

    private let guarded: Mutex<Guarded>
    /// The path of the database.
    public let path: String
    private let maximumUnsyncedRemovals: Int

    /// Opens the database at `path`. Makes the database and the outbox's tables if they are
    /// missing.
    ///
    /// - Parameters:
    ///   - path: The path of the database. Its folder must exist. SQLite makes two files beside the
    ///     database, `PATH-wal` and `PATH-shm`; the storage makes `PATH-sync`, a drain
    ///     `PATH-drain`. A damaged log leaves `PATH-damaged-1` and so on, see
    ///     ``damage(checkingUpTo:)``.
    ///   - maximumUnsyncedRemovals: The number of removals of delivered operations, the latest
    ///     ones, that a power cut may undo. Such an operation is attempted once more, under the
    ///     same identifier. With 0, each removal waits for the disk. Otherwise only a removal that
    ///     exceeds this number waits, and makes all earlier removals durable, as every other write
    ///     does. Every other write is durable on return.
    /// - Throws: ``/Outbox/StorageError``.
    public convenience init(path: String, maximumUnsyncedRemovals: Int = 31) throws {
        try self.init(
            path: path,
            maximumUnsyncedRemovals: maximumUnsyncedRemovals,
            shortensLog: true
        )
    }

    /// - Parameters:
    ///   - busyTimeoutMilliseconds: The longest time that a call waits for another process's
    ///     transaction, in milliseconds.
    ///   - shortensLog: Whether a long log is moved into the database now.
    package init(
        path: String,
        maximumUnsyncedRemovals: Int = 31,
        busyTimeoutMilliseconds: Int32 = 10_000,
        shortensLog: Bool = true
    ) throws {
        self.path = path
        self.maximumUnsyncedRemovals = maximumUnsyncedRemovals
        let connection = try Self.translating {
            let connection = try Connection(
                path: path,
                busyTimeoutMilliseconds: busyTimeoutMilliseconds,
                shortensLog: shortensLog
            )
            try Schema.prepare(connection)
            return connection
        }
        guarded = Mutex(Guarded(connection: connection))
    }

    /// Runs `body` in one durable transaction. When this method returns, all changes are on the
    /// disk; when it throws, nothing has changed.
    ///
    /// - Throws: ``/Outbox/StorageError`` in place of a `SQLiteError`; every other error that
    ///   `body` throws.
    @discardableResult
    public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try write(undoable: nil, body)
    }

    /// Runs `body` in one transaction that need not wait for the disk.
    ///
    /// - Parameter isDurable: Whether it waits. A power cut undoes a commit that did not wait, with the
    ///   removals around it, unless a durable commit follows. `body` then changes no operation.
    package func write<Result>(
        isDurable: Bool,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        try write(undoable: isDurable ? nil : 0, body)
    }

    /// Runs this one statement as a transaction of ``write(_:)``.
    func commit(_ sql: String, _ values: [Value]) throws {
        try withConnection { connection, unsyncedRemovals in
            try connection.commit(sql, values)
            if connection.commitReach == .disk { unsyncedRemovals = 0 }
        }
    }

    /// Runs `body` on the connection. `body` must only read.
    public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try withConnection { connection, _ in try body(connection) }
    }

    /// Runs `body` like ``write(_:)``. If `body` only removes entries, the commit waits for the
    /// disk only when these removals and the unsynced ones before them are more than a power cut
    /// may undo.
    ///
    /// - Parameter removals: The largest number of entries that `body` removes; `nil` when `body`
    ///   makes any other change.
    func write<Result>(
        undoable removals: Int?,
        _ body: (Connection) throws -> Result
    ) throws -> Result {
        try withConnection { connection, unsyncedRemovals in
            let unsynced = unsyncedRemovals + (removals ?? 0)
            let isDurable = removals == nil || unsynced > maximumUnsyncedRemovals
            let result = try connection.transaction(isDurable: isDurable) { try body(connection) }
            switch connection.commitReach {
            case .nowhere: break
            case .log: unsyncedRemovals = unsynced
            case .disk: unsyncedRemovals = 0
            }
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

    /// Closes the connection; see ``/Outbox/OutboxStorage/close()``. Does not empty the log: see
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
    package init(_ error: SQLiteError) {
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
