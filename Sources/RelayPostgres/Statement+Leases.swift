import OutboxCore
import PostgreSQL
import RelayRules

extension MailPart {
    /// The shards of this part.
    var shards: Range<Int> {
        switch self {
        case .memos: 0..<MailShard.count
        case .codes: MailShard.count..<MailShard.count + 1
        }
    }

    /// The number in the table of whole parts.
    fileprivate var number: Statement.Value {
        switch self {
        case .codes: .integer(0)
        case .memos: .integer(1)
        }
    }
}

extension Statement.Value {
    /// Numbers, as text that is cast to `bigint[]`.
    static func numbers(_ numbers: some Sequence<Int>) -> Self {
        .text("{" + numbers.sorted().map(String.init).joined(separator: ",") + "}")
    }
}

/// The leases of shards. All times are the database's; a row is locked behind those with lower numbers.
extension Statement {
    /// The name under which all relays with shards hold whole parts.
    private static var sharing: Value { .bytes(Array("shards".utf8)) }

    /// Holds the row of a whole part together with the other relays, unless a relay without shards has it.
    /// Answers with the row's epoch, which grows when such a relay had it.
    static func holdWholePart(_ part: MailPart, for length: Milliseconds) -> Statement {
        Statement(
            """
            INSERT INTO relay_drain(part, holder, epoch, expires)
            VALUES ($1, $2, 1, CAST(extract(epoch FROM now()) * 1000 AS bigint) + $3)
            ON CONFLICT (part) DO UPDATE SET holder = excluded.holder, expires = excluded.expires,
                epoch = relay_drain.epoch
                    + CASE WHEN relay_drain.holder = excluded.holder THEN 0 ELSE 1 END
            WHERE relay_drain.holder = excluded.holder
                OR relay_drain.expires <= CAST(extract(epoch FROM now()) * 1000 AS bigint)
            RETURNING epoch
            """,
            [part.number, sharing, .integer(length.count)]
        )
    }

    /// Says that a relay hands mails of a part over.
    static func presence(
        _ holder: LeaseHolder,
        _ part: MailPart,
        for length: Milliseconds
    ) -> Statement {
        Statement(
            """
            INSERT INTO relay_drainer(id, part, name, expires)
            VALUES ($1, $2, $4, CAST(extract(epoch FROM now()) * 1000 AS bigint) + $3)
            ON CONFLICT (id) DO UPDATE SET expires = excluded.expires
            """,
            [
                .bytes(holder.bytes), part.number, .integer(length.count),
                .text(LeaseHolder.processName),
            ]
        )
    }

    /// Forgets that a relay hands mails over, and others that have been silent for long.
    static func leaving(_ holder: LeaseHolder) -> Statement {
        Statement(
            """
            DELETE FROM relay_drainer WHERE id = $1
                OR expires < CAST(extract(epoch FROM now()) * 1000 AS bigint) - 86400000
            """,
            [.bytes(holder.bytes)]
        )
    }

    /// The relays that hand mails of a part over now.
    static func holders(of part: MailPart) -> Statement {
        Statement(
            """
            SELECT id FROM relay_drainer
            WHERE part = $1 AND expires > CAST(extract(epoch FROM now()) * 1000 AS bigint)
            """,
            [part.number]
        )
    }

    /// The shards of a part in their order, each with its epoch, and its holder if it has one.
    static func shards(of part: MailPart) -> Statement {
        Statement(
            """
            SELECT shard, epoch, CASE
                WHEN expires > CAST(extract(epoch FROM now()) * 1000 AS bigint) THEN holder END
            FROM relay_shard WHERE shard >= $1 AND shard < $2 ORDER BY shard
            """,
            [.count(part.shards.lowerBound), .count(part.shards.upperBound)]
        )
    }

    /// Takes those of some shards that nobody has, and answers with their new epochs.
    static func claim(
        _ shards: Set<Int>,
        _ holder: LeaseHolder,
        for length: Milliseconds
    ) -> Statement {
        Statement(
            """
            UPDATE relay_shard SET holder = $2, epoch = relay_shard.epoch + 1,
                expires = CAST(extract(epoch FROM now()) * 1000 AS bigint) + $3
            FROM (
                SELECT shard FROM relay_shard
                WHERE shard = ANY(CAST($1 AS bigint[]))
                    AND expires <= CAST(extract(epoch FROM now()) * 1000 AS bigint)
                ORDER BY shard FOR UPDATE
            ) AS free
            WHERE relay_shard.shard = free.shard
            RETURNING relay_shard.shard, relay_shard.epoch
            """,
            [.numbers(shards), .bytes(holder.bytes), .integer(length.count)]
        )
    }

    /// Lengthens a relay's leases, also those that are over and that no other relay has taken.
    static func renewal(_ holder: LeaseHolder, for length: Milliseconds) -> Statement {
        Statement(
            """
            UPDATE relay_shard SET expires = CAST(extract(epoch FROM now()) * 1000 AS bigint) + $2
            FROM (
                SELECT shard FROM relay_shard WHERE holder = $1 AND expires > 0
                ORDER BY shard FOR UPDATE
            ) AS own
            WHERE relay_shard.shard = own.shard
            """,
            [.bytes(holder.bytes), .integer(length.count)]
        )
    }

    /// Gives back those of a relay's claims that it still has.
    static func giveBack(_ claims: Set<ShardClaim>, _ holder: LeaseHolder) -> Statement {
        let claims = claims.sorted { $0.shard < $1.shard }
        return Statement(
            """
            UPDATE relay_shard SET expires = 0 FROM (
                SELECT relay_shard.shard FROM relay_shard
                JOIN unnest($1, $2) AS given(shard, epoch)
                    ON given.shard = relay_shard.shard AND given.epoch = relay_shard.epoch
                WHERE holder = $3
                ORDER BY relay_shard.shard FOR UPDATE OF relay_shard
            ) AS own
            WHERE relay_shard.shard = own.shard
            """,
            [
                .list(claims.map { .count($0.shard) }), .list(claims.map { .integer($0.epoch) }),
                .bytes(holder.bytes),
            ]
        )
    }

    static func giveAllBack(_ holder: LeaseHolder) -> Statement {
        Statement(
            """
            UPDATE relay_shard SET expires = 0 FROM (
                SELECT shard FROM relay_shard WHERE holder = $1 ORDER BY shard FOR UPDATE
            ) AS own
            WHERE relay_shard.shard = own.shard
            """,
            [.bytes(holder.bytes)]
        )
    }

    /// The epochs of those of some shards that a relay has, whose rows are held; none when a relay without
    /// shards has had the whole part meanwhile.
    static func fence(
        _ shards: Set<Int>,
        _ holder: LeaseHolder,
        _ part: MailPart,
        wholePart epoch: Int64
    ) -> Statement {
        Statement(
            """
            SELECT shard, epoch FROM relay_shard
            WHERE holder = $2 AND expires > 0 AND shard = ANY(CAST($1 AS bigint[])) AND EXISTS (
                SELECT 1 FROM relay_drain WHERE part = $3 AND holder = $4 AND epoch = $5)
            ORDER BY shard FOR UPDATE
            """,
            [.numbers(shards), .bytes(holder.bytes), part.number, sharing, .integer(epoch)]
        )
    }
}
