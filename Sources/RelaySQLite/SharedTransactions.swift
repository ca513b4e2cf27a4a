import Outbox
import OutboxSQLite
import RelayServer
import SQLite

/// Lets concurrent callers share one durable transaction of a database (``/RelayServer/TransactionSharing``),
/// each in a savepoint of its own: a caller whose work throws undoes its own work only. Reads have
/// connections of their own (``ReadConnections``).
struct SharedTransactions: Sendable {
    private let sharing: TransactionSharing<Connection>

    init(storage: SQLiteStorage) {
        sharing = TransactionSharing(label: "relay-store") { parts, isAwaited in
            guard parts.count > 1 else {
                try storage.write { try parts[0].run($0) }
                return [.success(())]
            }
            return try storage.write { database in
                try SharedPart.results(of: parts, isAwaited) { try Self.run($0, in: database) }
            }
        }
    }

    /// See ``/RelayServer/TransactionSharing/write(_:)``.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await sharing.write(body)
    }

    /// See ``/RelayServer/TransactionSharing/writeBlocking(_:)``.
    func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) throws -> Value {
        try sharing.writeBlocking(body)
    }

    /// The number of callers whose work no transaction has taken yet.
    var waiting: Int { sharing.waiting }

    private static func run(
        _ part: SharedPart<Connection>,
        in database: Connection
    ) throws -> Result<Void, any Error> {
        var result: Result<Void, any Error> = .success(())
        try database.run("SAVEPOINT caller")
        do {
            try part.run(database)
        } catch let error where !(error is SQLiteError) {
            result = .failure(error)
            try database.run("ROLLBACK TO caller")
        }
        try database.run("RELEASE caller")
        return result
    }
}
