/// The numbered steps that bring the tables of one component of a database to their present form.
///
/// Each component has its number in the table `schema_component`: how many of its steps the database has
/// seen.
///
/// - Steps are only ever added, at the end. A step runs once for each database, in one transaction with its
///   number.
/// - Any number of programs may run the steps at once: one of them runs each step, and the others wait for
///   it, for ``Settings/answerTime`` at most.
/// - A number above those of this build is of a later build: nothing is changed.
/// - Needs no lock but that of a row: engines that speak PostgreSQL's protocol have no others.
package struct Migrations: Sendable {
    /// What a step does, in one transaction. A program of an earlier build may be at work beside it, and
    /// has to be able to go on.
    package struct Step: Sendable {
        /// What the step is for, as an operator reads it.
        package let about: String
        fileprivate let statements: [Statement]

        /// The texts of the statements, in their order.
        package var texts: [String] { statements.map(\.text) }

        package init(about: StaticString, _ statements: Statement...) {
            self.about = about.description
            self.statements = statements
        }
    }

    /// How far a database is.
    package enum Progress: Hashable, Sendable {
        /// The database has seen all steps but so many; at least one is missing.
        case missing(Int)
        /// The database has seen the steps of this build.
        case complete
        /// A later build has run further steps.
        case ofLaterBuild
    }

    private let component: Statement.Value
    /// All steps, in their order.
    package let steps: [Step]

    /// - Parameters:
    ///   - component: The name of the component. No two components of a database have the same.
    ///   - steps: The steps, the first one of which makes the tables.
    package init(of component: String, steps: [Step]) {
        self.component = .text(component)
        self.steps = steps
    }

    /// How far the database is. Writes nothing.
    package func progress(in pool: Pool) async throws -> Progress {
        try await pool.run { try progress(in: $0) }
    }

    /// Runs the steps that the database has not seen.
    ///
    /// - Parameter isolation: Either one gives the same.
    /// - Returns: The number of steps that this call ran.
    /// - Throws: ``PostgreSQLError``, after which the database has seen some of the steps, and none in part.
    ///   A call that runs again goes on.
    package func run(in pool: Pool, _ isolation: Isolation = .readCommitted) async throws -> Int {
        guard case .missing = try await progress(in: pool) else { return 0 }
        try await makeTable(in: pool)
        var count = 0
        for (index, step) in steps.enumerated() {
            let hasRun = try await pool.transaction(isolation) { transaction in
                try run(step, index, in: transaction)
            }
            if hasRun { count += 1 }
        }
        return count
    }

    private func progress(in connection: Connection) throws(PostgreSQLError) -> Progress {
        guard try hasTable(in: connection) else { return progress(after: 0) }
        let rows = try connection.run(
            Statement("SELECT version FROM schema_component WHERE name = $1", [component])
        )
        return progress(after: Int(rows.first?.integer(0) ?? 0))
    }

    private func progress(after seen: Int) -> Progress {
        if seen > steps.count { return .ofLaterBuild }
        return seen == steps.count ? .complete : .missing(steps.count - seen)
    }

    private func hasTable(in connection: Connection) throws(PostgreSQLError) -> Bool {
        let rows = try connection.run(
            Statement(
                """
                SELECT 1 FROM information_schema.tables
                WHERE table_schema = current_schema() AND table_name = 'schema_component'
                """
            )
        )
        return rows.count > 0
    }

    /// Two programs that make one table at once are no error: `IF NOT EXISTS` looks before it makes, and
    /// the later one fails.
    private func makeTable(in pool: Pool) async throws {
        try await pool.run { connection in
            do throws(PostgreSQLError) {
                _ = try connection.run(
                    Statement(
                        """
                        CREATE TABLE IF NOT EXISTS schema_component(
                            name text PRIMARY KEY,
                            version bigint NOT NULL
                        )
                        """
                    )
                )
            } catch {
                guard try hasTable(in: connection) else { throw error }
            }
        }
        try await pool.transaction(.readCommitted) { transaction in
            transaction.add(
                Statement(
                    """
                    INSERT INTO schema_component(name, version) VALUES ($1, 0)
                    ON CONFLICT (name) DO NOTHING
                    """,
                    [component]
                )
            )
        }
    }

    /// Runs a step if the database has seen those before it alone. Holds the component's row.
    private func run(
        _ step: Step,
        _ index: Int,
        in transaction: Transaction
    ) throws(PostgreSQLError) -> Bool {
        let row = try transaction.run(
            Statement(
                "SELECT version FROM schema_component WHERE name = $1 FOR UPDATE",
                [component]
            )
        )
        guard row.first?.integer(0) == Int64(index) else { return false }
        for statement in step.statements { transaction.add(statement) }
        transaction.add(
            Statement(
                "UPDATE schema_component SET version = $2 WHERE name = $1",
                [component, .integer(Int64(index + 1))]
            )
        )
        return true
    }
}
