public import Outbox
internal import OutboxCore
public import SQLite
internal import Synchronization

/// Operations in one table of a SQLite database, `synchronous=FULL` (see ``SQLite/Connection``).
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
    }

    private let guarded: Mutex<Guarded>
    private let path: String

    /// Opens the database at `path`, making it and the outbox's tables if need be.
    ///
    /// - Throws: ``StorageError``.
    public init(path: String) throws {
        self.path = path
        guarded = try Mutex(Guarded(connection: Self.translating { try Self.open(path) }))
    }

    /// Runs `body` in one durable transaction: when this returns, all of it is on the disk; when it
    /// throws, none of it happened.
    ///
    /// - Throws: ``StorageError`` in place of a ``SQLiteError``; whatever else `body` throws.
    @discardableResult
    public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try withConnection { connection in try connection.transaction { try body(connection) } }
    }

    /// Runs `body`, which only reads.
    public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try withConnection(body)
    }

    /// Adds an operation inside a transaction of ``write(_:)``.
    public func insert(_ operation: SealedOperation, in connection: Connection) throws {
        let envelope = operation.envelope
        try Self.translating {
            try connection.run(
                """
                INSERT INTO outbox_operation(id, state, due, wait, envelope, record)
                VALUES (?, 0, ?, ?, ?, ?)
                """,
                .blob(envelope.id.bytes), .integer(envelope.nextEligibleAt.millisecondsSinceEpoch),
                .integer(Int64(envelope.waitCause.rawValue)), .blob(envelope.encoded()),
                .blob(operation.record))
        }
    }

    /// Moves the write-ahead log into the database, as far as no other process prevents it.
    public func checkpoint() throws {
        try withConnection { try $0.checkpoint() }
    }

    public func claimDrain() throws -> (any DrainClaim)? {
        try FileLock(path: "\(path)-drain")
    }

    private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        guarded.withLock { guarded in
            result = Swift.Result { try Self.translating { try body(guarded.connection) } }
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
