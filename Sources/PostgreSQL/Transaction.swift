/// How transactions see each other (<https://www.postgresql.org/docs/15/transaction-iso.html>).
package enum Isolation: CaseIterable, Sendable {
    /// Each statement sees what was committed before it began.
    case readCommitted
    /// The transactions are as good as run one after the other; one that cannot be fails with
    /// ``PostgreSQLError/conflict(_:)``.
    case serializable

    fileprivate var begin: Statement {
        switch self {
        case .readCommitted: Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
        case .serializable: Statement("BEGIN ISOLATION LEVEL SERIALIZABLE")
        }
    }
}

/// A transaction under way. Valid inside the closure that received it alone.
///
/// `BEGIN` goes with the first statements, and the last ones go with `COMMIT`: a transaction of reads and
/// then writes takes two journeys to the server.
package final class Transaction {
    private let connection: Connection
    private let isolation: Isolation
    private var hasBegun = false
    /// The statements that go with `COMMIT`.
    private var last: [Statement] = []

    fileprivate init(on connection: Connection, _ isolation: Isolation) {
        self.connection = connection
        self.isolation = isolation
    }

    /// Runs statements in their order, together where ``Settings/pipelines`` is on.
    ///
    /// - Returns: An answer for each.
    /// - Throws: The error of the first one that fails. The transaction can only be rolled back then.
    package func run(_ statements: [Statement]) throws(PostgreSQLError) -> [Rows] {
        guard !statements.isEmpty || !last.isEmpty else { return [] }
        let isFirst = !hasBegun
        hasBegun = true
        let before = (isFirst ? [isolation.begin] : []) + last
        last = []
        return Array(try connection.run(before + statements).dropFirst(before.count))
    }

    /// Runs one statement.
    package func run(_ statement: Statement) throws(PostgreSQLError) -> Rows {
        try run([statement])[0]
    }

    /// Adds a statement whose answer nobody needs: it is sent with the next ones, or with `COMMIT`.
    package func add(_ statement: Statement) { last.append(statement) }

    /// - Throws: ``PostgreSQLError/commitUnknown`` if the connection ended when `COMMIT` may have arrived.
    fileprivate func commit() throws(PostgreSQLError) {
        guard hasBegun || !last.isEmpty else { return }
        // Before COMMIT is sent, a lost connection is a transaction that is rolled back.
        if !connection.pipelines { _ = try run([]) }
        let answer: Rows
        do throws(PostgreSQLError) {
            answer = try run(Statement("COMMIT"))
        } catch {
            throw connection.isOpen ? error : .commitUnknown
        }
        // The server answers so when an error was caught and the transaction went on.
        guard answer.command == "COMMIT" else { throw .rolledBack }
    }

    fileprivate func rollBack() {
        if hasBegun { connection.endTransaction() }
    }
}

extension Connection {
    /// Runs a transaction, and commits it when `body` returns.
    ///
    /// - Parameter body: Has no effect but on the database, if the transaction may be repeated.
    /// - Throws: The error of `body`, after which nothing is stored; ``PostgreSQLError``. After
    ///   ``PostgreSQLError/commitUnknown`` nobody knows whether the transaction is stored; after every
    ///   other error it is not.
    package func transaction<Value>(
        _ isolation: Isolation,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let transaction = Transaction(on: self, isolation)
        do {
            let value = try body(transaction)
            try transaction.commit()
            return value
        } catch {
            transaction.rollBack()
            throw error
        }
    }
}

extension Connection {
    /// Runs statements that read, all as of one moment, in one journey to the server and back where
    /// ``Settings/pipelines`` is on.
    ///
    /// - Throws: The error of the first statement that fails; ``PostgreSQLError/conflict(_:)`` from some
    ///   engines, after which the statements may be run again.
    package func snapshot(_ statements: [Statement]) throws(PostgreSQLError) -> [Rows] {
        guard statements.count > 1 else { return try run(statements) }
        let begin = Statement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do throws(PostgreSQLError) {
            let rows = try run([begin] + statements + [Statement("COMMIT")])
            return Array(rows.dropFirst().dropLast())
        } catch {
            endTransaction()
            throw error
        }
    }

    /// Rolls back a transaction that has failed, if there is one.
    fileprivate func endTransaction() {
        guard !isUsable, isOpen else { return }
        do throws(PostgreSQLError) {
            _ = try run(Statement("ROLLBACK"))
        } catch {
            giveUp()
        }
    }
}
