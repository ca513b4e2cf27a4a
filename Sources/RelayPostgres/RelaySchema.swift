import PostgreSQL

/// The relay's tables in PostgreSQL. Times are milliseconds since 1970.
///
/// They hold what the tables of the same names hold in SQLite (`RelaySchema` of `RelaySQLite`), sealed and
/// hashed alike, but for these:
///
/// - `outbox_operation`: the queue. `entry` is of a sequence: numbers of mails that are queued at once may
///   become visible in another order. `state` is 0 for a queued mail, 1 for a parked one, 2 for a
///   quarantined one. No mail is in a lane. `shard` is the ``/RelayRules/MailShard`` of a memo's mail; a mail
///   that a build without shards has queued is in shard 0, whatever it is.
/// - `outbox_use`: one row since something was sealed.
/// - `relay_turn`: one row, which the transaction holds that may write; see ``RelayTurns``.
/// - `relay_writer`: the number of the latest transaction of each relay process, by the process's random
///   identifier. `at` is of the database's clock.
/// - `relay_copy`: one row, the identifier and the point of a ``/RelayServer/StoreCopy`` into this database.
///   Stays after the copy. A database with the row and without a secret is not whole.
/// - `relay_shard`: the lease of each shard, for ``ShardLeases``: 64 of memos, and one of codes.
/// - `relay_drainer`: the relays that hand mails of a part over, by machine and process.
/// - `relay_drain`: the lease of each whole part of the queue, by the part's number. A relay of a build without
///   shards drains under it alone, relays with shards hold it together.
///
/// Times of leases are of the database's clock.
///
/// The columns are of `bigint`, `text` and `bytea` alone, and no statement needs a trigger, an advisory lock
/// or a partition: other engines that speak PostgreSQL's protocol have these.
enum RelaySchema {
    static let migrations = Migrations(of: "relay", steps: [makeTables, knowCopies, makeShards])

    private static let knowCopies = Migrations.Step(
        about: "remembers a copy that comes from a folder",
        Statement(
            """
            CREATE TABLE relay_copy(
                id bigint PRIMARY KEY CHECK (id = 0),
                copy bytea NOT NULL,
                part bigint NOT NULL,
                last bytea NOT NULL
            )
            """
        )
    )

    private static let makeTables = Migrations.Step(
        about: "makes the relay's tables",
        Statement("CREATE TABLE relay_turn(id bigint PRIMARY KEY CHECK (id = 0))"),
        Statement("INSERT INTO relay_turn(id) VALUES (0)"),
        Statement(
            """
            CREATE TABLE relay_writer(
                id bytea PRIMARY KEY,
                last bigint NOT NULL,
                at bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            CREATE TABLE relay_drain(
                part bigint PRIMARY KEY,
                holder bytea NOT NULL,
                epoch bigint NOT NULL,
                expires bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            CREATE TABLE relay_secret(
                id bigint PRIMARY KEY CHECK (id = 0),
                sealed bytea NOT NULL,
                replaceable bytea NOT NULL
            )
            """
        ),
        Statement(
            """
            CREATE TABLE relay_trial(
                id bigint PRIMARY KEY CHECK (id = 0),
                at bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            CREATE TABLE relay_movement(
                id bigint PRIMARY KEY CHECK (id = 0),
                at bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            CREATE TABLE relay_running(
                id bigint PRIMARY KEY CHECK (id = 0),
                milliseconds bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            CREATE TABLE relay_pace(
                name text PRIMARY KEY,
                next bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            CREATE TABLE account(
                id bytea PRIMARY KEY,
                address_key bytea NOT NULL UNIQUE,
                address bytea NOT NULL,
                created_at bigint NOT NULL,
                mailbox bytea NOT NULL,
                language text
            )
            """
        ),
        Statement("CREATE INDEX account_mailbox ON account(mailbox, created_at)"),
        Statement("CREATE INDEX account_created ON account(created_at)"),
        Statement(
            """
            CREATE TABLE device(
                id bytea PRIMARY KEY,
                account bytea NOT NULL REFERENCES account(id),
                token bytea NOT NULL UNIQUE,
                name bytea NOT NULL,
                created_at bigint NOT NULL,
                pair bytea NOT NULL,
                change bigint NOT NULL,
                used_at bigint,
                revoked_at bigint,
                revoked_seen bigint
            )
            """
        ),
        Statement("CREATE INDEX device_account ON device(account, created_at)"),
        Statement("CREATE INDEX device_change ON device(account, change)"),
        Statement(
            "CREATE INDEX device_living ON device(account, created_at, id) WHERE revoked_at IS NULL"
        ),
        Statement("CREATE INDEX device_pair ON device(pair) WHERE revoked_at IS NULL"),
        Statement(
            "CREATE INDEX device_revoked ON device(revoked_seen) WHERE revoked_at IS NOT NULL"
        ),
        Statement(
            """
            CREATE TABLE mailed_code(
                handle bytea PRIMARY KEY,
                pair bytea NOT NULL,
                code bytea NOT NULL,
                digits bigint NOT NULL,
                expires_at bigint NOT NULL,
                tries bigint NOT NULL,
                sent_at bigint NOT NULL,
                language text NOT NULL,
                share bigint NOT NULL
            )
            """
        ),
        Statement("CREATE INDEX mailed_code_expires ON mailed_code(expires_at)"),
        Statement(
            """
            CREATE TABLE long_code(
                address bytea NOT NULL,
                code bytea NOT NULL,
                sent_at bigint NOT NULL,
                expires_at bigint NOT NULL,
                share bigint NOT NULL,
                language text NOT NULL,
                PRIMARY KEY (address, code)
            )
            """
        ),
        Statement("CREATE INDEX long_code_expires ON long_code(expires_at)"),
        Statement(
            """
            CREATE TABLE failed_try(
                share bigint NOT NULL,
                step bigint NOT NULL,
                chance bigint NOT NULL,
                PRIMARY KEY (share, step)
            )
            """
        ),
        Statement("CREATE TABLE code_request(subject bytea NOT NULL, at bigint NOT NULL)"),
        Statement("CREATE INDEX code_request_subject ON code_request(subject, at)"),
        Statement("CREATE INDEX code_request_at ON code_request(at)"),
        Statement(
            """
            CREATE TABLE memo(
                account bytea NOT NULL REFERENCES account(id),
                id bytea NOT NULL,
                device bytea NOT NULL,
                content bytea NOT NULL,
                message_id text NOT NULL,
                operation bytea NOT NULL UNIQUE,
                response bytea NOT NULL,
                status text NOT NULL,
                reason text,
                accepted_at bigint NOT NULL,
                changed_at bigint NOT NULL,
                change bigint NOT NULL,
                size bigint NOT NULL,
                mailbox bytea NOT NULL,
                PRIMARY KEY (account, id)
            )
            """
        ),
        Statement("CREATE INDEX memo_change ON memo(account, change)"),
        Statement("CREATE INDEX memo_mailbox ON memo(mailbox, id)"),
        Statement("CREATE INDEX memo_size ON memo(mailbox, accepted_at, size)"),
        Statement(
            "CREATE INDEX memo_waiting ON memo(mailbox, size) WHERE status = 'accepted'"
        ),
        Statement(
            """
            CREATE TABLE memo_use(
                subject bytea NOT NULL,
                place bigint NOT NULL,
                begins bigint NOT NULL,
                memos bigint NOT NULL,
                PRIMARY KEY (subject, place)
            ) WITH (fillfactor = 50)
            """
        ),
        Statement("CREATE INDEX memo_use_begins ON memo_use(begins)"),
        Statement(
            """
            CREATE TABLE account_change(
                account bytea PRIMARY KEY REFERENCES account(id),
                last bigint NOT NULL,
                forgotten bigint NOT NULL DEFAULT 0
            ) WITH (fillfactor = 50)
            """
        ),
        Statement(
            """
            CREATE TABLE account_settings(
                account bytea PRIMARY KEY REFERENCES account(id),
                change bigint NOT NULL,
                changed_at bigint NOT NULL,
                fields bytea NOT NULL
            )
            """
        ),
        Statement(
            """
            CREATE TABLE change_ledger(
                account bytea NOT NULL REFERENCES account(id),
                node bytea NOT NULL,
                heard_at bigint NOT NULL,
                ledger bytea NOT NULL,
                PRIMARY KEY (account, node)
            )
            """
        ),
        Statement(
            """
            CREATE TABLE erasure(
                account bytea PRIMARY KEY REFERENCES account(id),
                erased_at bigint NOT NULL
            )
            """
        ),
        Statement(
            """
            CREATE TABLE own_mailbox(
                id bytea PRIMARY KEY,
                address_key bytea NOT NULL UNIQUE,
                content bytea NOT NULL,
                changed_at bigint NOT NULL
            )
            """
        ),
        Statement(
            """
            CREATE TABLE invitation(
                id bytea PRIMARY KEY,
                address_key bytea NOT NULL UNIQUE,
                address bytea NOT NULL,
                invited_at bigint NOT NULL
            )
            """
        ),
        Statement("CREATE INDEX invitation_invited ON invitation(invited_at)"),
        Statement(
            """
            CREATE TABLE outbox_operation(
                entry bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                id bytea NOT NULL UNIQUE,
                state bigint NOT NULL,
                due bigint NOT NULL,
                wait bigint NOT NULL,
                quarantine text,
                envelope bytea NOT NULL,
                record bytea NOT NULL
            ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)
            """
        ),
        Statement("CREATE INDEX outbox_due ON outbox_operation(due, id) WHERE state = 0"),
        Statement(
            "CREATE INDEX outbox_wait ON outbox_operation(wait, due, id) WHERE state = 0 AND wait <> 0"
        ),
        Statement("CREATE INDEX outbox_other ON outbox_operation(state, entry) WHERE state <> 0"),
        Statement("CREATE TABLE outbox_use(used bigint PRIMARY KEY)"),
        Statement(
            """
            CREATE TABLE dead_letter(
                entry bigint PRIMARY KEY,
                seen bigint,
                mailbox bytea,
                bytes bigint NOT NULL
            )
            """
        ),
        Statement("CREATE INDEX dead_letter_seen ON dead_letter(seen)"),
        Statement("CREATE INDEX dead_letter_mailbox ON dead_letter(mailbox, entry, bytes)"),
        Statement(
            """
            CREATE TABLE held_mail(
                entry bigint PRIMARY KEY,
                held_at bigint NOT NULL
            )
            """
        )
    )

    private static let makeShards = Migrations.Step(
        about: "makes the shards of accounts",
        Statement("ALTER TABLE outbox_operation ADD COLUMN shard bigint NOT NULL DEFAULT 0"),
        Statement("CREATE INDEX outbox_shard ON outbox_operation(shard, due, id) WHERE state = 0"),
        Statement(
            """
            CREATE TABLE relay_shard(
                shard bigint PRIMARY KEY,
                holder bytea NOT NULL,
                epoch bigint NOT NULL,
                expires bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        ),
        Statement(
            """
            INSERT INTO relay_shard(shard, holder, epoch, expires)
            SELECT shard, CAST('' AS bytea), 0, 0 FROM generate_series(0, 64) AS numbers(shard)
            """
        ),
        Statement(
            """
            CREATE TABLE relay_drainer(
                id bytea PRIMARY KEY,
                part bigint NOT NULL,
                name text NOT NULL,
                expires bigint NOT NULL
            ) WITH (fillfactor = 10)
            """
        )
    )
}
