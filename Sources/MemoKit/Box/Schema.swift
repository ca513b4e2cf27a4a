import LibC
import OutboxSQLite
import SQLite

/// The tables of this product, beside the outbox's own in the same database.
enum Schema {
    /// The number of steps of ``migrations``.
    private static let version: Int64 = 8

    /// Makes or updates the tables where necessary. Reads only one number when there is nothing to
    /// do.
    ///
    /// - Throws: ``MemoError/databaseTooNew(_:)``, or the storage's errors.
    static func prepare(_ storage: SQLiteStorage, folder: DataFolder) throws {
        let found = try storage.read(Self.version(in:))
        if found == version { return }
        if found > version { throw MemoError.databaseTooNew(folder.database) }
        try storage.write { connection in
            // Another process may have been first.
            let found = try Self.version(in: connection)
            guard found < version else { return }
            try migrations.run(in: connection)
            // Older builds look at this number, and refuse the database.
            try connection.execute("PRAGMA user_version = \(version)")
        }
    }

    private static let migrations = Migrations(
        of: "memo",
        steps: [tables, settings, changes, news, refusals, quarantines, sharing, notices].map {
            sql in
            { try $0.execute(sql) }
        },
        inferred: { Int(try version(in: $0)) }
    )

    /// Writes the database's first page as it is.
    static func rewriteVersion(in connection: Connection) throws {
        try connection.execute("PRAGMA user_version = \(Self.version(in: connection))")
    }

    private static func version(in connection: Connection) throws -> Int64 {
        try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0
    }

    private static let tables = """
        CREATE TABLE memo_history (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            status TEXT NOT NULL,
            reason TEXT,
            sealed BLOB NOT NULL
        );
        CREATE TABLE memo_draft (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            sealed BLOB NOT NULL
        );
        CREATE TABLE memo_account (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            sealed BLOB NOT NULL
        );
        CREATE TABLE memo_timing (
            number INTEGER PRIMARY KEY,
            kind INTEGER NOT NULL,
            at INTEGER NOT NULL,
            microseconds INTEGER NOT NULL
        );
        """

    private static let settings = """
        CREATE TABLE memo_settings (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            sealed BLOB NOT NULL
        );
        """

    /// How far the relay's changes were read, and the index of the memos that wait for news.
    private static let changes = """
        CREATE TABLE memo_changes (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            cursor TEXT
        );
        CREATE INDEX memo_history_sent ON memo_history(created_at) WHERE status = 'sent';
        """

    /// The index of the memos of which the relay may have news: a delivered memo may bounce.
    private static let news = """
        DROP INDEX memo_history_sent;
        CREATE INDEX memo_history_news ON memo_history(status, created_at)
        WHERE status = 'sent' OR status = 'delivered';
        """

    /// A sign-in that waits for its code; the moment at which the relay refused the account's token, and the memos that did not arrive
    /// and that no person has seen since.
    private static let refusals = """
        CREATE TABLE memo_verification (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            sealed BLOB NOT NULL
        );
        ALTER TABLE memo_account ADD COLUMN refused_at INTEGER;
        ALTER TABLE memo_history ADD COLUMN is_unseen INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX memo_history_unseen ON memo_history(number) WHERE is_unseen = 1;
        """

    /// The statuses of memos whose operations earlier builds quarantined without the history.
    private static let quarantines = """
        UPDATE memo_history SET status = 'quarantined', is_unseen = 1, reason =
            (SELECT quarantine FROM outbox_operation WHERE id = memo_history.id AND state = 2)
        WHERE status IN ('queued', 'refused')
            AND id IN (SELECT id FROM outbox_operation WHERE state = 2);
        """

    /// What the device last knew of the things that all devices of the person share.
    private static let sharing = """
        CREATE TABLE memo_shared_view (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            id BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            sealed BLOB NOT NULL
        );
        """

    /// Whether a notification has told of a memo since the memo last failed.
    private static let notices = """
        ALTER TABLE memo_history ADD COLUMN is_told INTEGER NOT NULL DEFAULT 0;
        """
}
