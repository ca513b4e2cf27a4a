import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

/// The mails that are dead, and those that wait.
///
/// A mail is dead that is parked or quarantined, and not held.
extension PostgreSQLTables {
    func newDeadLetters(limit: Int) throws -> [EntryID] {
        try list(
            """
            SELECT dead_letter.entry FROM dead_letter
            JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE state <> 0 AND seen IS NULL AND NOT EXISTS (
                SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry)
            LIMIT $1
            """,
            .count(limit)
        ) { $0.entry(0) }
    }

    func notedDeadLetters(limit: Int) throws -> [NotedLetter] {
        try list(
            """
            SELECT dead_letter.entry, seen, bytes FROM dead_letter
            JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE state <> 0 AND seen IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry)
            ORDER BY seen LIMIT $1
            """,
            .count(limit)
        ) { row in
            NotedLetter(
                entry: row.entry(0),
                seen: Milliseconds(row.integer(1)),
                bytes: row.count(2)
            )
        }
    }

    func totalOfDeadLetters() throws -> DeadLetterRoom.Total {
        try first(
            """
            SELECT CAST(coalesce(sum(bytes), 0) AS bigint), count(DISTINCT mailbox),
                count(*) - count(mailbox)
            FROM dead_letter
            """
        ) { row in
            DeadLetterRoom.Total(
                bytes: row.count(0),
                holders: row.count(1) + (row.count(2) > 0 ? 1 : 0)
            )
        } ?? DeadLetterRoom.Total(bytes: 0, holders: 0)
    }

    func heaviestHolders(limit: Int) throws -> [DeadLetterRoom.Holding] {
        try list(
            """
            SELECT holding.mailbox, holding.bytes,
                (SELECT min(created_at) FROM account WHERE mailbox = holding.mailbox) AS created_at
            FROM (
                SELECT mailbox, CAST(sum(bytes) AS bigint) AS bytes FROM dead_letter GROUP BY mailbox
            ) AS holding
            ORDER BY holding.bytes DESC, created_at DESC NULLS FIRST LIMIT $1
            """,
            .count(limit)
        ) { row in
            DeadLetterRoom.Holding(
                mailbox: try row.optionalID(0).map { MailboxID(bits: $0) },
                bytes: row.count(1)
            )
        }
    }

    func heldBytes(of mailbox: MailboxID?) throws -> Int {
        let bytes =
            if let mailbox {
                try first(
                    """
                    SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM dead_letter
                    WHERE mailbox = $1
                    """,
                    .id(mailbox)
                ) { $0.count(0) }
            } else {
                try first(
                    """
                    SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM dead_letter
                    WHERE mailbox IS NULL
                    """
                ) { $0.count(0) }
            }
        return bytes ?? 0
    }

    func heldLetters(of mailbox: MailboxID?, limit: Int) throws -> [DeadLetterRoom.Letter] {
        guard let mailbox else {
            return try list(
                """
                SELECT dead_letter.entry, bytes FROM dead_letter
                JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
                WHERE mailbox IS NULL AND state <> 0 AND NOT EXISTS (
                    SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry)
                ORDER BY dead_letter.entry LIMIT $1
                """,
                .count(limit),
                read: Self.letter
            )
        }
        return try list(
            """
            SELECT dead_letter.entry, bytes FROM dead_letter
            JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE mailbox = $1 AND state <> 0 AND NOT EXISTS (
                SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry)
            ORDER BY dead_letter.entry LIMIT $2
            """,
            .id(mailbox),
            .count(limit),
            read: Self.letter
        )
    }

    private static func letter(_ row: Row) -> DeadLetterRoom.Letter {
        DeadLetterRoom.Letter(entry: row.entry(0), bytes: row.count(1))
    }

    func letters(after last: EntryID?, limit: Int) throws -> [StoredMail<DeadLetter>] {
        try list(
            """
            SELECT outbox_operation.entry, outbox_operation.id, state, quarantine, envelope,
                length(record), account.id, account.address, account.created_at, memo.id, held_at
            FROM outbox_operation
            LEFT JOIN held_mail ON held_mail.entry = outbox_operation.entry
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            LEFT JOIN account ON account.id = memo.account
            WHERE state <> 0 AND held_at IS NULL AND outbox_operation.entry > $1
            ORDER BY outbox_operation.entry LIMIT $2
            """,
            .integer(last?.rawValue ?? .min),
            .count(limit)
        ) { row in
            let mail = try found(row)
            return StoredMail(
                entry: row.entry(0),
                mail: DeadLetter(
                    id: mail.id,
                    isParked: mail.state == Int64(OperationState.parked.rawValue),
                    quarantine: mail.quarantine,
                    envelope: mail.envelope,
                    bytes: mail.bytes,
                    memo: mail.memo,
                    domain: mail.domain
                )
            )
        }
    }

    func waitingMails(after last: EntryID?, limit: Int) throws -> [StoredMail<WaitingMail>] {
        try list(
            """
            SELECT outbox_operation.entry, outbox_operation.id, state, quarantine, envelope,
                length(record), account.id, account.address, account.created_at, memo.id, held_at
            FROM outbox_operation
            LEFT JOIN held_mail ON held_mail.entry = outbox_operation.entry
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            LEFT JOIN account ON account.id = memo.account
            WHERE (state = 0 OR held_at IS NOT NULL) AND outbox_operation.entry > $1
            ORDER BY outbox_operation.entry LIMIT $2
            """,
            .integer(last?.rawValue ?? .min),
            .count(limit)
        ) { row in
            let mail = try found(row)
            return StoredMail(
                entry: row.entry(0),
                mail: WaitingMail(
                    id: mail.id,
                    envelope: mail.envelope,
                    bytes: mail.bytes,
                    memo: mail.memo,
                    domain: mail.domain,
                    heldSince: row.optionalTime(10)
                )
            )
        }
    }

    /// A mail of the queue, as the lists of an operator read it.
    private struct FoundMail {
        let id: OperationID
        let state: Int64
        let quarantine: String?
        let envelope: [UInt8]
        let bytes: Int
        let memo: OperationID?
        let domain: String?
    }

    private func found(_ row: Row) throws -> FoundMail {
        FoundMail(
            id: try row.id(1),
            state: row.integer(2),
            quarantine: row.optionalText(3),
            envelope: row.bytes(4),
            bytes: row.count(5),
            memo: try row.optionalID(9),
            domain: try row.optionalBytes(7).flatMap { address in
                try domain(sealed: address, of: row.id(6), createdAt: row.time(8))
            }
        )
    }

    /// - Returns: `nil` for an address that cannot be read.
    private func domain(
        sealed: [UInt8],
        of account: OperationID,
        createdAt: WallTime
    ) throws -> String? {
        do {
            return try sealer.address(sealed, of: account, createdAt: createdAt).domain
        } catch is UnreadableRecord {
            return nil
        } catch is CorruptRow {
            return nil
        }
    }

    func mailsWithoutKey(after last: EntryID?, limit: Int) throws -> [QuarantinedMail] {
        try list(
            """
            SELECT entry, id FROM outbox_operation
            WHERE state = 2 AND quarantine = $1 AND entry > $2 ORDER BY entry LIMIT $3
            """,
            .text(QuarantineReason.unknownKey.rawValue),
            .integer(last?.rawValue ?? .min),
            .count(limit)
        ) { QuarantinedMail(entry: $0.entry(0), id: try $0.id(1)) }
    }
}
