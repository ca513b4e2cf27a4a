internal import SQLite

/// The relay's tables, beside the outbox's. Times are milliseconds since 1970.
///
/// - `account.address_key`, `verification.address`, `code_request.subject`: keyed hashes.
/// - `account.address`, `device.name`: sealed, under the row's own `id` and `created_at`.
/// - `device.token`: the token's SHA-256.
/// - `memo`: what remains of a memo for good. `content` is a keyed hash of its text and subject,
///   `operation` the mail's identifier in the queue.
enum RelaySchema {
    static func prepare(_ database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS relay_secret(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                sealed BLOB NOT NULL
            );
            CREATE TABLE IF NOT EXISTS account(
                id BLOB PRIMARY KEY,
                address_key BLOB NOT NULL UNIQUE,
                address BLOB NOT NULL,
                created_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS device(
                id BLOB PRIMARY KEY,
                account BLOB NOT NULL REFERENCES account(id),
                token BLOB NOT NULL UNIQUE,
                name BLOB NOT NULL,
                created_at INTEGER NOT NULL,
                revoked_at INTEGER
            ) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS device_account ON device(account, created_at);
            CREATE TABLE IF NOT EXISTS verification(
                address BLOB PRIMARY KEY,
                code BLOB,
                expires_at INTEGER NOT NULL,
                tries INTEGER NOT NULL,
                sent INTEGER NOT NULL,
                sent_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS code_request(
                subject BLOB NOT NULL,
                at INTEGER NOT NULL
            );
            CREATE INDEX IF NOT EXISTS code_request_subject ON code_request(subject, at);
            CREATE INDEX IF NOT EXISTS code_request_at ON code_request(at);
            CREATE TABLE IF NOT EXISTS memo(
                account BLOB NOT NULL REFERENCES account(id),
                id BLOB NOT NULL,
                device BLOB NOT NULL REFERENCES device(id),
                content BLOB NOT NULL,
                message_id TEXT NOT NULL,
                operation BLOB NOT NULL UNIQUE,
                response BLOB NOT NULL,
                status TEXT NOT NULL,
                reason TEXT,
                accepted_at INTEGER NOT NULL,
                changed_at INTEGER NOT NULL,
                PRIMARY KEY (account, id)
            ) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS memo_device ON memo(device, accepted_at);
            """
        )
    }
}
