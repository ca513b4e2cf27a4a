import Outbox
import OutboxSQLite
import RelayServer
import SQLite
import Synchronization

/// Lets concurrent callers share one durable transaction of a database (``GroupCommitter``), each in a
/// savepoint of its own: a caller whose work throws undoes its own work only. Reads have connections of
/// their own (``ReadConnections``).
///
/// Callers on a `BackgroundThread` wait for others. One of them is in each transaction.
struct SharedTransactions: Sendable {
    private let committer: GroupCommitter<any AnyWrite>

    init(storage: SQLiteStorage) {
        committer = GroupCommitter(label: "relay-store") { writes, isAwaited in
            guard writes.count > 1 else {
                try storage.write { try writes[0].run($0) }
                return [.success(())]
            }
            return try storage.write { database in
                try Self.run(writes, isAwaited, in: database)
            }
        }
    }

    /// Runs `body` in a durable transaction, perhaps with those of other callers.
    ///
    /// - Parameter body: Has no effect but on the database: it runs again after a shared
    ///   transaction has failed.
    /// - Throws: The error of `body`; the error of the transaction. Nothing of `body` is stored then.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let write = Write(body: body)
        try await committer.commit(write, isBehind: write.isBehind)
        return write.value
    }

    /// Like ``write(_:)``, for a thread that may wait: the calling thread is blocked until the transaction is
    /// durable.
    func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) throws -> Value {
        let write = Write(body: body)
        try committer.commitBlocking(write)
        return write.value
    }

    /// The number of callers whose work no transaction has taken yet.
    var waiting: Int { committer.waiting }

    private static func run(
        _ writes: [any AnyWrite],
        _ isAwaited: () -> Bool,
        in database: Connection
    ) throws -> [Result<Void, any Error>] {
        var results: [Result<Void, any Error>] = []
        for (index, write) in writes.enumerated() {
            // One of the background is in each transaction.
            if index > 0, writes[index - 1].isBehind, isAwaited() { break }
            try database.run("SAVEPOINT caller")
            do {
                try write.run(database)
                results.append(.success(()))
            } catch let error where !(error is SQLiteError) {
                results.append(.failure(error))
                try database.run("ROLLBACK TO caller")
            }
            try database.run("RELEASE caller")
        }
        return results
    }
}

/// A caller's part of a transaction.
private protocol AnyWrite: Sendable {
    var isBehind: Bool { get }
    func run(_ database: Connection) throws
}

/// A part with its result, until the transaction is durable.
private final class Write<Value: Sendable>: AnyWrite {
    let isBehind = BackgroundThread.isCurrent
    private let body: @Sendable (Connection) throws -> Value
    private let result = Mutex<Value?>(nil)

    init(body: @escaping @Sendable (Connection) throws -> Value) {
        self.body = body
    }

    func run(_ database: Connection) throws {
        let value = try body(database)
        result.withLock { $0 = value }
    }

    /// The result of the latest run.
    var value: Value {
        guard let value = result.withLock({ $0 }) else {
            preconditionFailure("a committed write has run")
        }
        return value
    }
}
