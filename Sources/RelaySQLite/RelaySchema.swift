import Outbox
import OutboxCore
import RelayServer
import SQLite

/// The relay's tables, beside the outbox's. Times are milliseconds since 1970.
///
/// - `account.address_key`, `own_mailbox.address_key`,
///   `invitation.address_key`, `mailed_code.handle`, `mailed_code.pair`, `mailed_code.code`,
///   `long_code.address`, `long_code.code`, `code_request.subject`, `device.pair`: keyed hashes. A pair
///   is a mailbox and the network that asked for its code.
/// - `account.address`, `device.name`: sealed, under the row's own `id` and `created_at`.
/// - `relay_secret`: one row, the sealed parts of the relay's secret; see ``SealedSecret``.
/// - `key_rotation`: one row while a ``KeyRotation`` is under way.
/// - `relay_copy`: one row, the identifier of a ``/RelayServer/StoreCopy`` of this database that has begun.
///   No relay serves from the database then.
/// - `account.mailbox`, `memo.mailbox`: the ``MailboxID`` of the account's address; null where a build that
///   knew no mailboxes wrote the row, and the address cannot be opened.
/// - `account.language`: the language of the account's latest sign-in; null where a build that did not
///   note it signed its devices in.
/// - `device.token`: the token's SHA-256. `device.used_at`: null for a device that has not been used,
///   else see ``DeviceUse``. `device.revoked_seen`: the running time at which a relay first saw the device
///   signed out; null before.
/// - `relay_trial`: one row, which a relay writes to see whether it can write.
/// - `relay_movement`: one row, the end of the latest attempt to hand a mail over, by half a minute.
/// - `relay_pace`: the next turn of each ``SharedPace``.
/// - `relay_running`: one row, the milliseconds for which the relay has run; see ``RunningAge``.
/// - `dead_letter`: the dead letters, by their entries in the queue, each noted in the transaction in which
///   it dies. `seen` is the running time at which a relay first saw the letter dead; null before. `mailbox`
///   is null for a mail of no memo, and the memo's account where the memo has no mailbox. `bytes` is the
///   size of the sealed mail.
/// - `held_mail`: the mails that the operator holds, by their entries in the queue, where they are parked. A
///   build that does not know the table takes them for dead letters, and sends none.
/// - `mailed_code.share`, `long_code.share`: the raw value of the code's ``CodeShare``.
/// - `long_code.address`: equal to the `address_key` of the address's account, if there is one.
/// - `failed_try`: the chances of failed tries of the codes of each share, see ``GuessBudget``.
/// - `memo`: the lasting record of a memo. `content` is a keyed hash of its text and subject,
///   `operation` the mail's identifier in the queue. `change` numbers the changes of an account's
///   memos: the latest change has the greatest number. `size` is the size of its mail, in bytes; 0
///   for a memo that an earlier build accepted.
/// - `account_change`: the number of an account's latest change, whatever has changed. `forgotten` is the
///   greatest number of a row that was swept away.
/// - `device.change`: the number of the device's latest change; 0 for a device that was revoked before
///   devices were numbered.
/// - `account_settings`: the settings that an account's devices share. `fields` is sealed under the
///   account's `id` and `changed_at`; `change` is their version.
/// - `own_mailbox`: the ``/RelayServer/OwnMailbox`` of an address, which need not have an account.
///   `address_key` is equal to that of its account; `content` is sealed under `id` and `changed_at`.
/// - `invitation`: the addresses that are invited; see ``/RelayRules/Invitation``. `address` is sealed under
///   `id` and `invited_at`.
/// - `erasure`: the accounts that are erased and have rows left. Such an account has no address, and its
///   `id` in place of the address's key.
/// - `change_ledger`: a ``ChangeLedger`` of each node that has changed the settings, as JSON. `heard_at`
///   is the time of the node's latest change.
/// - `memo_use`: the accepted memos of a network, of young accounts, or of all people, in steps of time;
///   `subject` is a keyed hash. See ``RateSteps``. Under other subjects, the mailed codes of a ``CodeDay``.
enum RelaySchema {
    /// - Parameter now: The time of changes that the preparation makes.
    static func prepare(_ database: Connection, at now: WallTime) throws {
        try migrations(at: now).run(in: database)
    }

    /// The steps, each with what it is for, as an operator reads it.
    ///
    /// A database of a build that wrote no number has seen some of the steps: each of these looks whether
    /// its change is there.
    private static func steps(at now: WallTime) -> [(about: String, run: Migrations.Step)] {
        [
            ("makes the relay's tables", makeTables),
            ("numbers the changes of each account's memos", numberChanges),
            ("notes the sizes of mails", measureMails),
            ("notes the network in which a device was signed in", knowNetworks),
            ("notes the language of a code's mail", knowLanguages),
            ("notes when a device was used", knowUses),
            (
                "refuses the memos of mails that cannot be read",
                { try refuseQuarantined(at: now, in: $0) }
            ),
            ("notes what several relays of a folder share", knowOtherRelays),
            ("notes dead letters", noteDeadLetters),
            ("finds the devices that are signed in at once", indexLiving),
            ("gives codes of known people and of strangers shares of their own", shareCodes),
            ("shares settings between the devices of an account", shareSettings),
            ("mails long codes", mailLongCodes),
            ("notes whose mails the dead letters are", knowHolders),
            ("counts failed tries by shares", shareGuesses),
            ("numbers the changes of devices", numberDevices),
            ("lets devices be forgotten whose memos stay", forgetDevices),
            ("finds the oldest account at once", knowOldest),
            ("erases accounts", eraseAccounts),
            ("counts limits by mailboxes", knowMailboxes),
            ("lets a part of the secret be replaced", replaceSecret),
            ("notes the language of an account", tellLanguages),
            ("keeps people's own mailboxes", keepMailboxes),
            ("keeps invitations", keepInvitations),
            ("notes mails that are held", holdMails),
            ("remembers a copy into another database", knowCopies),
        ]
    }

    private static func migrations(at now: WallTime) -> Migrations {
        Migrations(of: "relay", steps: steps(at: now).map(\.run))
    }

    /// The steps that a database has not seen; `nil` for a database of a later build. Writes nothing.
    static func missing(in database: Connection) throws -> [PendingMigration]? {
        let now = WallTime.distantPast
        let (steps, seen) = (steps(at: now), try migrations(at: now).seen(in: database))
        guard seen <= steps.count else { return nil }
        return steps.enumerated().dropFirst(seen).map { index, step in
            PendingMigration(
                component: "relay",
                number: index + 1,
                count: steps.count,
                about: step.about
            )
        }
    }

    /// Whether a table has a column. Databases of builds that wrote no numbers may have it before its step.
    static func has(
        _ column: String,
        in table: String,
        _ database: Connection
    ) throws -> Bool {
        try database.first(
            "SELECT 1 FROM pragma_table_info(?) WHERE name = ?",
            .text(table),
            .text(column)
        ) { _ in true } ?? false
    }

    /// The number of the latest change of the account, in a statement about the memo `memo`.
    static let lastChange = "(SELECT last FROM account_change WHERE account = memo.account)"

    @Sendable private static func makeTables(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS relay_secret(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                sealed BLOB NOT NULL
            );
            CREATE TABLE IF NOT EXISTS relay_trial(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                at INTEGER NOT NULL
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
            -- Codes of relays that tried codes without handles.
            DROP TABLE IF EXISTS verification;
            CREATE TABLE IF NOT EXISTS mailed_code(
                handle BLOB PRIMARY KEY,
                pair BLOB NOT NULL,
                code BLOB NOT NULL,
                digits INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                tries INTEGER NOT NULL,
                sent_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS mailed_code_expires ON mailed_code(expires_at);
            CREATE TABLE IF NOT EXISTS failed_try(
                share INTEGER NOT NULL,
                step INTEGER NOT NULL,
                chance INTEGER NOT NULL,
                PRIMARY KEY (share, step)
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
                change INTEGER NOT NULL DEFAULT 0,
                size INTEGER NOT NULL DEFAULT 0,
                PRIMARY KEY (account, id)
            ) WITHOUT ROWID;
            DROP INDEX IF EXISTS memo_device;
            DROP INDEX IF EXISTS memo_accepted;
            CREATE TABLE IF NOT EXISTS memo_use(
                subject BLOB NOT NULL,
                place INTEGER NOT NULL,
                begins INTEGER NOT NULL,
                memos INTEGER NOT NULL,
                PRIMARY KEY (subject, place)
            ) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS memo_use_begins ON memo_use(begins);
            """
        )
    }

    /// Adds the column to a database of a relay that did not number changes, and numbers the memos
    /// in the order of their latest changes.
    @Sendable private static func numberChanges(in database: Connection) throws {
        let isThere = try has("change", in: "memo", database)
        if !isThere {
            try database.execute(
                """
                ALTER TABLE memo ADD COLUMN change INTEGER NOT NULL DEFAULT 0;
                UPDATE memo SET change = numbered.change FROM (
                    SELECT account, id, row_number() OVER (
                        PARTITION BY account ORDER BY changed_at, id) AS change FROM memo
                ) AS numbered WHERE numbered.account = memo.account AND numbered.id = memo.id;
                """
            )
        }
        try database.execute(
            "CREATE INDEX IF NOT EXISTS memo_change ON memo(account, change)"
        )
    }

    /// Adds the column to a database of a relay that did not limit sizes. Both indexes answer the
    /// questions of the limits alone, without a look at the table.
    @Sendable private static func measureMails(in database: Connection) throws {
        let isThere = try has("size", in: "memo", database)
        if !isThere {
            try database.execute("ALTER TABLE memo ADD COLUMN size INTEGER NOT NULL DEFAULT 0")
        }
        try database.execute(
            """
            CREATE INDEX IF NOT EXISTS memo_size ON memo(account, accepted_at, size);
            CREATE INDEX IF NOT EXISTS memo_waiting ON memo(account, size)
                WHERE status = 'accepted';
            """
        )
    }

    /// Adds the column to a database of a relay that did not keep from where a device was signed in.
    @Sendable private static func knowNetworks(in database: Connection) throws {
        let isThere = try has("pair", in: "device", database)
        if !isThere { try database.execute("ALTER TABLE device ADD COLUMN pair BLOB") }
        try database.execute("CREATE INDEX IF NOT EXISTS device_pair ON device(pair)")
    }

    /// Adds the column to a database of a relay that did not keep the language of a sign-in.
    @Sendable private static func knowLanguages(in database: Connection) throws {
        let isThere = try has("language", in: "mailed_code", database)
        if !isThere {
            try database.execute("ALTER TABLE mailed_code ADD COLUMN language TEXT")
        }
    }

    @Sendable private static func knowUses(in database: Connection) throws {
        let isThere = try has("used_at", in: "device", database)
        if !isThere { try database.execute("ALTER TABLE device ADD COLUMN used_at INTEGER") }
    }

    @Sendable private static func knowOtherRelays(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS relay_movement(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                at INTEGER NOT NULL
            );
            CREATE TABLE IF NOT EXISTS relay_pace(
                name TEXT PRIMARY KEY,
                next INTEGER NOT NULL
            ) WITHOUT ROWID;
            """
        )
    }

    @Sendable private static func noteDeadLetters(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS relay_running(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                milliseconds INTEGER NOT NULL
            );
            CREATE TABLE IF NOT EXISTS dead_letter(
                entry INTEGER PRIMARY KEY,
                seen INTEGER NOT NULL
            );
            CREATE INDEX IF NOT EXISTS dead_letter_seen ON dead_letter(seen);
            """
        )
    }

    /// Lets what is asked of an account's or a network's devices cost nothing for the revoked ones.
    @Sendable private static func indexLiving(in database: Connection) throws {
        try database.execute(
            """
            CREATE INDEX IF NOT EXISTS device_living ON device(account, created_at)
                WHERE revoked_at IS NULL;
            DROP INDEX IF EXISTS device_pair;
            CREATE INDEX IF NOT EXISTS device_pair ON device(pair) WHERE revoked_at IS NULL;
            """
        )
    }

    /// Codes of an earlier build count for strangers.
    @Sendable private static func shareCodes(in database: Connection) throws {
        let isThere = try has("share", in: "mailed_code", database)
        if !isThere {
            try database.execute(
                "ALTER TABLE mailed_code ADD COLUMN share INTEGER NOT NULL DEFAULT 0"
            )
        }
    }

    @Sendable private static func eraseAccounts(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS erasure(
                account BLOB PRIMARY KEY REFERENCES account(id),
                erased_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            """
        )
    }

    /// Numbers the devices that are signed in after all other changes. Nobody has been told of the
    /// revoked ones: they need no number.
    @Sendable private static func numberDevices(in database: Connection) throws {
        for table in ["account_change", "device"] {
            let column = table == "device" ? "change" : "forgotten"
            let isThere = try has(column, in: table, database)
            if !isThere {
                try database.execute(
                    "ALTER TABLE \(table) ADD COLUMN \(column) INTEGER NOT NULL DEFAULT 0"
                )
            }
        }
        try database.execute(
            """
            INSERT OR IGNORE INTO account_change(account, last) SELECT id, 0 FROM account;
            UPDATE device SET change = numbered.change FROM (
                SELECT id, account_change.last + row_number() OVER (
                    PARTITION BY device.account ORDER BY created_at, id) AS change
                FROM device JOIN account_change ON account_change.account = device.account
                WHERE revoked_at IS NULL AND device.change = 0
            ) AS numbered WHERE numbered.id = device.id;
            UPDATE account_change SET last = max(last, coalesce(
                (SELECT max(change) FROM device WHERE device.account = account_change.account), 0));
            CREATE INDEX IF NOT EXISTS device_change ON device(account, change);
            """
        )
    }

    /// Numbers all changes of an account together, after those of its memos.
    @Sendable private static func shareSettings(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS account_change(
                account BLOB PRIMARY KEY REFERENCES account(id),
                last INTEGER NOT NULL
            ) WITHOUT ROWID;
            INSERT OR IGNORE INTO account_change(account, last)
                SELECT account, max(change) FROM memo GROUP BY account;
            CREATE TABLE IF NOT EXISTS account_settings(
                account BLOB PRIMARY KEY REFERENCES account(id),
                change INTEGER NOT NULL,
                changed_at INTEGER NOT NULL,
                fields BLOB NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS change_ledger(
                account BLOB NOT NULL REFERENCES account(id),
                node BLOB NOT NULL,
                heard_at INTEGER NOT NULL,
                ledger BLOB NOT NULL,
                PRIMARY KEY (account, node)
            ) WITHOUT ROWID;
            """
        )
    }

    @Sendable private static func mailLongCodes(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS long_code(
                address BLOB NOT NULL,
                code BLOB NOT NULL,
                sent_at INTEGER NOT NULL,
                expires_at INTEGER NOT NULL,
                share INTEGER NOT NULL,
                language TEXT NOT NULL,
                PRIMARY KEY (address, code)
            ) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS long_code_expires ON long_code(expires_at);
            """
        )
    }

    /// Earlier builds looked for dead letters in the queue from time to time, and noted their entries.
    @Sendable private static func knowHolders(in database: Connection) throws {
        let isThere = try has("bytes", in: "dead_letter", database)
        guard !isThere else { return }
        try database.execute(
            """
            DROP INDEX dead_letter_seen;
            ALTER TABLE dead_letter RENAME TO former_dead_letter;
            CREATE TABLE dead_letter(
                entry INTEGER PRIMARY KEY,
                seen INTEGER,
                account BLOB,
                bytes INTEGER NOT NULL DEFAULT 0
            );
            INSERT INTO dead_letter(entry, seen, account, bytes)
            SELECT mail.entry, former.seen, memo.account, length(mail.record)
            FROM outbox_operation AS mail
            LEFT JOIN former_dead_letter AS former ON former.entry = mail.entry
            LEFT JOIN memo ON memo.operation = mail.id
            WHERE mail.state IN (\(OperationState.parked.rawValue),
                \(OperationState.quarantined.rawValue));
            DROP TABLE former_dead_letter;
            CREATE INDEX dead_letter_seen ON dead_letter(seen);
            CREATE INDEX dead_letter_account ON dead_letter(account, entry, bytes);
            """
        )
    }

    /// A try that failed before counts for both shares: which one it was is not known.
    @Sendable private static func shareGuesses(in database: Connection) throws {
        let isThere = try has("share", in: "failed_try", database)
        guard !isThere else { return }
        try database.execute(
            """
            CREATE TABLE failed_try_shared(
                share INTEGER NOT NULL,
                step INTEGER NOT NULL,
                chance INTEGER NOT NULL,
                PRIMARY KEY (share, step)
            ) WITHOUT ROWID;
            INSERT INTO failed_try_shared(share, step, chance)
                SELECT both.share, step, chance
                FROM failed_try, (SELECT 0 AS share UNION ALL SELECT 1) AS both;
            DROP TABLE failed_try;
            ALTER TABLE failed_try_shared RENAME TO failed_try;
            """
        )
    }

    /// Lets devices be forgotten whose memos stay: no index names the devices of memos, so each removal of
    /// a device would read all memos for the reference.
    ///
    /// The constraint is removed as <https://sqlite.org/lang_altertable.html#otheralter> says: the content
    /// of the table stays as it is.
    @Sendable private static func forgetDevices(in database: Connection) throws {
        let isThere = try has("revoked_seen", in: "device", database)
        if !isThere {
            try database.execute("ALTER TABLE device ADD COLUMN revoked_seen INTEGER")
        }
        try database.execute(
            """
            CREATE INDEX IF NOT EXISTS device_revoked ON device(revoked_seen)
                WHERE revoked_at IS NOT NULL
            """
        )
        let version = try database.first("PRAGMA schema_version") { $0.integer(0) } ?? 0
        try database.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(
                sql, 'device BLOB NOT NULL REFERENCES device(id)', 'device BLOB NOT NULL')
            WHERE type = 'table' AND name = 'memo';
            PRAGMA schema_version = \(version + 1);
            PRAGMA writable_schema = RESET;
            """
        )
    }

    /// Lets limits count for all accounts of a mailbox. The mailboxes of accounts that are there already are
    /// not known in this step, which has no key to open an address: see ``AddressFolding``.
    @Sendable private static func knowMailboxes(in database: Connection) throws {
        for table in ["account", "memo"] {
            let isThere = try has("mailbox", in: table, database)
            if !isThere { try database.execute("ALTER TABLE \(table) ADD COLUMN mailbox BLOB") }
        }
        let isRenamed = try has("mailbox", in: "dead_letter", database)
        if !isRenamed {
            try database.execute("ALTER TABLE dead_letter RENAME COLUMN account TO mailbox")
        }
        try database.execute(
            """
            CREATE INDEX IF NOT EXISTS account_mailbox ON account(mailbox, created_at);
            CREATE INDEX IF NOT EXISTS memo_mailbox ON memo(mailbox, id);
            DROP INDEX IF EXISTS memo_size;
            DROP INDEX IF EXISTS memo_waiting;
            CREATE INDEX memo_size ON memo(mailbox, accepted_at, size);
            CREATE INDEX memo_waiting ON memo(mailbox, size) WHERE status = 'accepted';
            """
        )
    }

    /// The secret that a former build made has one part for all, until it is replaced.
    @Sendable private static func replaceSecret(in database: Connection) throws {
        let isThere = try has("replaceable", in: "relay_secret", database)
        if !isThere {
            try database.execute("ALTER TABLE relay_secret ADD COLUMN replaceable BLOB")
        }
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS key_rotation(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                begun_at INTEGER NOT NULL
            )
            """
        )
    }

    @Sendable private static func tellLanguages(in database: Connection) throws {
        let isThere = try has("language", in: "account", database)
        if !isThere { try database.execute("ALTER TABLE account ADD COLUMN language TEXT") }
    }

    @Sendable private static func keepMailboxes(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS own_mailbox(
                id BLOB PRIMARY KEY,
                address_key BLOB NOT NULL UNIQUE,
                content BLOB NOT NULL,
                changed_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            """
        )
    }

    @Sendable private static func keepInvitations(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS invitation(
                id BLOB PRIMARY KEY,
                address_key BLOB NOT NULL UNIQUE,
                address BLOB NOT NULL,
                invited_at INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX IF NOT EXISTS invitation_invited ON invitation(invited_at);
            """
        )
    }

    @Sendable private static func holdMails(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS held_mail(
                entry INTEGER PRIMARY KEY,
                held_at INTEGER NOT NULL
            )
            """
        )
    }

    @Sendable private static func knowCopies(in database: Connection) throws {
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS relay_copy(
                id INTEGER PRIMARY KEY CHECK (id = 0),
                copy BLOB NOT NULL
            )
            """
        )
    }

    /// Lets the age of the oldest account cost one look, however many accounts there are.
    @Sendable private static func knowOldest(in database: Connection) throws {
        try database.execute(
            "CREATE INDEX IF NOT EXISTS account_created ON account(created_at)"
        )
    }

    /// Earlier builds let a trigger on the queue's table refuse the memos of quarantined mails. A
    /// database without it, and one of a build before those, may have a memo that is not refused.
    private static func refuseQuarantined(at now: WallTime, in database: Connection) throws {
        try database.execute("DROP TRIGGER IF EXISTS memo_quarantined")
        let next = """
            (SELECT coalesce(max(other.change), 0) + 1 FROM memo AS other
            WHERE other.account = memo.account)
            """
        try database.run(
            "\(refusal(change: next)) AND operation IN (SELECT id FROM outbox_operation WHERE state = ?2)",
            .integer(now.millisecondsSinceEpoch),
            .integer(Int64(OperationState.quarantined.rawValue))
        )
    }

    /// Refuses the memo of a quarantined mail, with the quarantine's reason: no handler gets the mail
    /// again. A memo that is not accepted any more keeps its fate.
    static func refuseQuarantined(
        _ entry: EntryID,
        at now: WallTime,
        in database: Connection
    ) throws {
        let quarantined = Int64(OperationState.quarantined.rawValue)
        let mail = try database.first(
            "SELECT id FROM outbox_operation WHERE state = ? AND entry = ?",
            .integer(quarantined),
            .integer(entry.rawValue)
        ) { $0.blob(0) }
        guard let mail else { return }
        try database.countChange(ofMail: mail)
        try database.run(
            "\(refusal(change: lastChange)) AND operation = ?3",
            .integer(now.millisecondsSinceEpoch),
            .integer(quarantined),
            .blob(mail)
        )
    }

    /// Ends in a condition, so that another condition can be added.
    private static func refusal(change: String) -> String {
        """
        UPDATE memo SET status = 'refused', changed_at = ?1, change = \(change),
            reason = (SELECT quarantine FROM outbox_operation
                WHERE id = memo.operation AND state = ?2)
        WHERE status = 'accepted'
        """
    }
}
