import LibC
import Outbox
import PostgreSQL
import RelayServer
import Synchronization

/// The transactions that write into the relay's database, one at a time for all relays, of any number of
/// callers each.
///
/// - **One at a time.** A transaction holds the row of `relay_turn` from before its first read to its end. So
///   each transaction sees all that the ones before it have written, and every limit is exact, however many
///   relays there are, and whatever the isolation level is.
/// - **Of many callers.** While one transaction is under way, later callers of this process gather, and
///   share the next one (``TransactionSharing``). All of them ask their questions in one journey to the server,
///   and are answered one after the other: a caller that only accepts a memo amends the answers of those
///   behind it (``AcceptedSince``), after any other writes these ask again. All writes go with `COMMIT`, so
///   that a transaction of memos takes two journeys and one wait for the disk, whoever many share it.
/// - **A caller that fails** before its writes are sent has written nothing. When the database refuses a
///   caller's write, each caller gets a transaction alone.
/// - **The answer to `COMMIT` is lost:** each transaction that writes sets the number of its process's latest
///   one in `relay_writer`. Who holds `relay_turn` afterwards sees whether the transaction is stored: it has
///   ended. Callers learn an error only when nothing of theirs is stored, or when nobody can tell within
///   ``patience``.
/// - **A relay that stops in the middle** of a transaction keeps others waiting for ``idleTime``: then the
///   server rolls the transaction back.
struct RelayTurns: Sendable {
    /// The time after which the server ends a transaction whose relay is silent.
    private static let idleTime = Duration.seconds(5)
    /// The longest time for which the answer to a lost `COMMIT` is looked for.
    private static let patience = Duration.seconds(15)

    private let transactions: TransactionSharing<Turn>

    /// - Parameters:
    ///   - pool: The connections.
    ///   - isolation: How transactions see each other. Either one keeps every promise.
    init(pool: Pool, isolation: Isolation) {
        let writer = Writer(pool: pool, isolation: isolation)
        transactions = TransactionSharing(label: "relay-turns") { parts, isAwaited in
            do {
                return try writer.commit(parts, isAwaited)
            } catch let error as PostgreSQLError where !error.isOfOneStatement {
                // Each caller alone would only wait for the same.
                return parts.map { _ in .failure(error) }
            }
        }
    }

    /// Forgets the transactions of processes that have written nothing for a day. A process looks for one
    /// within ``patience``.
    ///
    /// - Throws: `PostgreSQLError`.
    func forgetEndedWriters() throws {
        try writeBlocking { try $0.write([.dropEndedWriters]) }
    }

    /// Runs `body` in a durable transaction, perhaps with those of other callers.
    ///
    /// - Parameter body: Has no effect but on the database: it may run several times.
    /// - Throws: The error of `body`; `PostgreSQLError`. Nothing of `body` is stored then, but after
    ///   `commitUnknown`, when nobody knows.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Turn) throws -> Value
    ) async throws -> Value {
        try await transactions.write(body)
    }

    /// Like ``write(_:)``, for a thread that may wait.
    func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (Turn) throws -> Value
    ) throws -> Value {
        try transactions.writeBlocking(body)
    }

    /// The number of callers whose work no transaction has taken yet.
    var waiting: Int { transactions.waiting }

    /// The process's place in the table of writers.
    private final class Writer: Sendable {
        /// What is known of a transaction before `COMMIT` is sent.
        private struct Course: Sendable {
            var results: [Result<Void, any Error>] = []
            var hasWritten = false
        }

        private let pool: Pool
        private let isolation: Isolation
        private let id: [UInt8] = .random(count: 16)
        /// The number of the latest transaction of this process.
        private let latest = Mutex<Int64>(0)

        init(pool: Pool, isolation: Isolation) {
            self.pool = pool
            self.isolation = isolation
        }

        /// Runs parts in one transaction; once more where the connection breaks and nothing is stored.
        func commit(
            _ parts: [SharedPart<Turn>],
            _ isAwaited: @escaping @Sendable () -> Bool
        ) throws -> [Result<Void, any Error>] {
            do {
                return try commitOnce(parts, isAwaited)
            } catch PostgreSQLError.lost {
                return try commitOnce(parts, isAwaited)
            }
        }

        private func commitOnce(
            _ parts: [SharedPart<Turn>],
            _ isAwaited: @escaping @Sendable () -> Bool
        ) throws -> [Result<Void, any Error>] {
            let number = latest.withLock { latest in
                latest += 1
                return latest
            }
            let course = Mutex(Course())
            do {
                try pool.attemptBlocking(tries: 20) { [isolation, id] connection in
                    try connection.transaction(isolation) { transaction in
                        let turn = Turn(of: parts, in: transaction, idleTime: RelayTurns.idleTime)
                        let results = try SharedPart.results(of: parts, isAwaited) { part in
                            do {
                                try turn.runNext(part)
                                return .success(())
                            } catch let error as PostgreSQLError {
                                // The transaction can only be rolled back.
                                throw error
                            } catch {
                                return .failure(error)
                            }
                        }
                        if turn.hasWritten {
                            turn.finish()
                            transaction.add(.note(number, of: id))
                        }
                        course.withLock {
                            $0 = Course(results: results, hasWritten: turn.hasWritten)
                        }
                    }
                }
            } catch PostgreSQLError.commitUnknown {
                let course = course.withLock { $0 }
                guard try !course.hasWritten || isStored(number) else {
                    throw PostgreSQLError.lost
                }
                return course.results
            }
            return course.withLock { $0.results }
        }

        /// Whether a transaction is stored that has ended, or will end while this waits for its turn.
        private func isStored(_ number: Int64) throws -> Bool {
            let end = ContinuousClock.now + RelayTurns.patience
            while true {
                do {
                    return try pool.attemptBlocking { [id] connection in
                        try connection.transaction(.readCommitted) { transaction in
                            let turn = Turn(of: [], in: transaction, idleTime: RelayTurns.idleTime)
                            let rows = try turn.run([.latest(of: id)])
                            return rows[0].first?.integer(0) == number
                        }
                    }
                } catch let error as PostgreSQLError where error.isUnavailable {
                    guard ContinuousClock.now < end else { throw PostgreSQLError.commitUnknown }
                    usleep(250_000)
                }
            }
        }
    }
}

extension Statement {
    fileprivate static func note(_ number: Int64, of writer: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO relay_writer(id, last, at)
            VALUES ($1, $2, CAST(extract(epoch FROM now()) * 1000 AS bigint))
            ON CONFLICT (id) DO UPDATE SET last = excluded.last, at = excluded.at
            """,
            [.bytes(writer), .integer(number)]
        )
    }

    fileprivate static var dropEndedWriters: Statement {
        Statement(
            """
            DELETE FROM relay_writer
            WHERE at < CAST(extract(epoch FROM now()) * 1000 AS bigint) - 86400000
            """
        )
    }

    fileprivate static func latest(of writer: [UInt8]) -> Statement {
        Statement("SELECT last FROM relay_writer WHERE id = $1", [.bytes(writer)])
    }
}

extension PostgreSQLError {
    /// Whether one statement is the cause, so that transactions without it may succeed.
    var isOfOneStatement: Bool {
        switch self {
        case .duplicate, .refused, .rolledBack: true
        default: false
        }
    }
}
