internal import SQLite

/// The outbox's tables. `due` and `wait` repeat two fields of the envelope for the index, and are
/// written by the statement that writes the envelope.
enum Schema {
    static func prepare(_ connection: Connection) throws {
        guard try !isPresent(connection) else { return }
        try connection.transaction {
            guard try !isPresent(connection) else { return }
            try connection.execute(
                """
                CREATE TABLE outbox_operation(
                    entry INTEGER PRIMARY KEY,
                    id BLOB NOT NULL UNIQUE,
                    state INTEGER NOT NULL,
                    due INTEGER NOT NULL,
                    wait INTEGER NOT NULL,
                    quarantine TEXT,
                    envelope BLOB NOT NULL,
                    record BLOB NOT NULL
                );
                CREATE INDEX outbox_due ON outbox_operation(state, due, id);
                CREATE TABLE outbox_use(used INTEGER PRIMARY KEY);
                """)
        }
    }

    private static func isPresent(_ connection: Connection) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'outbox_use'"
        ) { _ in true } ?? false
    }
}
