public import Outbox
internal import OutboxCore
public import SQLite
internal import Synchronization

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
        let connection: Connection
        /// Removals since the log was last synced by this object.
        var unsyncedRemovals = 0
    }

    private let guarded: Mutex<Guarded>
    private let path: String
    private let maximumUnsyncedRemovals: Int

    /// Opens the database at `path`, making it and the outbox's tables if need be.
    ///
    /// - Parameters:
    ///   - path: The database; its folder must exist. Two files are made beside it, `PATH-wal` and
    ///     `PATH-shm`, and `PATH-drain` by who drains.
    ///   - maximumUnsyncedRemovals: How many removals of delivered operations a power cut may undo,
    ///     the latest ones. They are attempted once more, under their identifiers. With 0 each
    ///     removal waits for the disk; else only the one beyond this number does, and makes all
    ///     before it durable, as does whatever else is written. Everything else is durable on
    ///     return.
    /// - Throws: ``/Outbox/StorageError``.
    public init(path: String, maximumUnsyncedRemovals: Int = 31) throws {
        self.path = path
        self.maximumUnsyncedRemovals = maximumUnsyncedRemovals
        guarded = try Mutex(Guarded(connection: Self.translating { try Self.open(path) }))
    }

    /// Runs `body` in one durable transaction: when this returns, all of it is on the disk; when it
    /// throws, none of it happened.
    ///
    /// - Throws: ``/Outbox/StorageError`` in place of a `SQLiteError`; whatever else `body` throws.
    @discardableResult
    public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try withConnection { guarded in
            let result = try guarded.connection.transaction { try body(guarded.connection) }
            guarded.unsyncedRemovals = 0
            return result
        }
    }

    /// Runs `body`, which only reads.
    public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try withConnection { try body($0.connection) }
    }

    /// Like ``write(_:)``, but what `body` removes may come back after a power cut, with at most
    /// ``maximumUnsyncedRemovals`` of the transactions before and after it.
    func writeRemoval(_ body: (Connection) throws -> Void) throws {
        try withConnection { guarded in
            let isDurable = guarded.unsyncedRemovals >= maximumUnsyncedRemovals
            try guarded.connection.transaction(isDurable: isDurable) {
                try body(guarded.connection)
            }
            guarded.unsyncedRemovals = isDurable ? 0 : guarded.unsyncedRemovals + 1
        }
    }

    /// Adds an operation inside a transaction of ``write(_:)``.
    public func insert(_ operation: SealedOperation, in connection: Connection) throws {
        let envelope = operation.envelope
        try Self.translating {
            try connection.run(
                Self.insertion,
                .blob(envelope.id.bytes), .integer(envelope.nextEligibleAt.millisecondsSinceEpoch),
                .integer(Int64(envelope.waitCause.rawValue)), .blob(envelope.encoded()),
                .blob(operation.record), envelope.orderingKey.map { .blob($0.bytes) } ?? .null)
        }
    }

    /// An identifier that is taken becomes NULL, which the table refuses. Of two that are eligible
    /// at once, `outbox_due` refuses the second one.
    private static let insertion = """
        INSERT INTO outbox_operation(id, due, wait, envelope, record, lane, state)
        VALUES (CASE
            WHEN EXISTS (
                SELECT 1 FROM outbox_operation WHERE id = ?1 AND (state <> 0 OR due <> 0))
            THEN NULL
            WHEN (?2 <> 0 OR ?6 IS NOT NULL) AND EXISTS (
                SELECT 1 FROM outbox_operation WHERE id = ?1 AND state = 0 AND due = 0)
            THEN NULL
            ELSE ?1 END, ?2, ?3, ?4, ?5, ?6, CASE
            WHEN ?6 IS NOT NULL AND EXISTS (SELECT 1 FROM outbox_operation WHERE lane = ?6)
            THEN \(RowState.behind.rawValue) ELSE \(RowState.queued.rawValue) END)
        """

    /// Moves the write-ahead log into the database, as far as no other process prevents it.
    public func checkpoint() throws {
        try withConnection { try $0.connection.checkpoint() }
    }

    public func claimDrain() throws -> (any DrainClaim)? {
        try FileLock(path: "\(path)-drain")
    }

    private func withConnection<Result>(_ body: (inout Guarded) throws -> Result) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        guarded.withLock { guarded in
            result = Swift.Result { try Self.translating { try body(&guarded) } }
        }
        return try result!.get()
    }

    private static func open(_ path: String) throws -> Connection {
        let connection = try Connection(path: path)
        try Schema.prepare(connection)
        return connection
    }

    @discardableResult
    private static func translating<Result>(_ body: () throws -> Result) throws -> Result {
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
