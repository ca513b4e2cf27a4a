/// The numbered steps that bring the tables of one component of a database to their present form.
///
/// A database may have several components, such as an outbox and the tables of the app around it. Each has
/// its number in the table `schema_component`: how many of its steps the database has seen.
///
/// - Steps are only ever added, at the end. A step runs once for each database, in one transaction with
///   its number.
/// - A database of a build that wrote no numbers has a number that is inferred from its tables. Its number
///   is written with the next step that it sees.
/// - A number above those of this build is of a later build: nothing is changed. A component that older
///   builds must not touch refuses such a database itself, before it prepares its tables.
public struct Migrations: Sendable {
    /// Changes the tables. A step may run for minutes on a large database.
    public typealias Step = @Sendable (Connection) throws -> Void

    private let component: String
    private let steps: [Step]
    private let creation: Step?
    private let inferred: @Sendable (Connection) throws -> Int

    /// - Parameters:
    ///   - component: The name of the component. No two components of a database have the same.
    ///   - steps: The steps, the first one of which makes the tables.
    ///   - creation: Makes the tables in their present form at once, in place of all steps, where there
    ///     are none; `nil` for the steps themselves.
    ///   - inferred: The number of a database that has no number for the component: 0 where the database
    ///     has none of its tables.
    public init(
        of component: String,
        steps: [Step],
        creation: Step? = nil,
        inferred: @escaping @Sendable (Connection) throws -> Int = { _ in 0 }
    ) {
        self.component = component
        self.steps = steps
        self.creation = creation
        self.inferred = inferred
    }

    /// Whether the database has seen all steps. Writes nothing.
    public func areDone(in connection: Connection) throws -> Bool {
        try seen(in: connection) >= steps.count
    }

    /// The number of all steps.
    package var count: Int { steps.count }

    /// Runs the steps that the database has not seen, inside of a transaction of the caller's.
    ///
    /// - Throws: The error of a step. The caller's transaction must not commit then.
    public func run(in connection: Connection) throws {
        let found = try seen(in: connection)
        guard found < steps.count else { return }
        if found <= 0, let creation {
            try creation(connection)
        } else {
            for step in steps.dropFirst(max(found, 0)) { try step(connection) }
        }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_component(
                name TEXT PRIMARY KEY,
                version INTEGER NOT NULL
            ) WITHOUT ROWID
            """
        )
        try connection.run(
            "INSERT OR REPLACE INTO schema_component(name, version) VALUES(?, ?)",
            .text(component),
            .integer(Int64(steps.count))
        )
    }

    /// The number of steps that the database has seen; above ``count`` for one of a later build. Writes
    /// nothing.
    package func seen(in connection: Connection) throws -> Int {
        let isNumbered = try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE name = 'schema_component'"
        ) { _ in true }
        guard isNumbered == true else { return try inferred(connection) }
        let number = try connection.first(
            "SELECT version FROM schema_component WHERE name = ?",
            .text(component)
        ) { Int($0.integer(0)) }
        return try number ?? inferred(connection)
    }
}
