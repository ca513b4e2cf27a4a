import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    /// The condition of a mail that is dead, in a statement about the queue. A mail that an operator's
    /// command of an earlier build has queued again keeps its note, and is no dead letter.
    static let isDead = """
        (state IN (\(OperationState.parked.rawValue), \(OperationState.quarantined.rawValue))
            AND NOT EXISTS (SELECT 1 FROM held_mail WHERE held_mail.entry = outbox_operation.entry))
        """

    func newDeadLetters(limit: Int) throws -> [EntryID] {
        try database.query(
            """
            SELECT dead_letter.entry FROM dead_letter
            CROSS JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE \(Self.isDead) AND seen IS NULL LIMIT ?
            """,
            .integer(Int64(limit))
        ) { EntryID(rawValue: $0.integer(0)) }
    }

    func notedDeadLetters(limit: Int) throws -> [NotedLetter] {
        try database.query(
            """
            SELECT dead_letter.entry, seen, bytes FROM dead_letter
            CROSS JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE \(Self.isDead) AND seen IS NOT NULL ORDER BY seen LIMIT ?
            """,
            .integer(Int64(limit))
        ) { row in
            NotedLetter(
                entry: EntryID(rawValue: row.integer(0)),
                seen: Milliseconds(row.integer(1)),
                bytes: Int(row.integer(2))
            )
        }
    }

    func noteDead(_ mail: EntryID, at running: Milliseconds) throws {
        try database.run(
            "UPDATE dead_letter SET seen = ? WHERE entry = ? AND seen IS NULL",
            .integer(running.count),
            .integer(mail.rawValue)
        )
    }

    /// Forgets that a mail is dead, or held.
    func dropNotes(of mail: EntryID) throws {
        try database.run("DELETE FROM dead_letter WHERE entry = ?", .integer(mail.rawValue))
        try database.dropHold(of: mail)
    }

    func totalOfDeadLetters() throws -> DeadLetterRoom.Total {
        let total = try database.first(
            "SELECT sum(bytes), count(DISTINCT mailbox), count(*) - count(mailbox) FROM dead_letter"
        ) { row in
            DeadLetterRoom.Total(
                bytes: Int(row.integer(0)),
                holders: Int(row.integer(1)) + (row.integer(2) > 0 ? 1 : 0)
            )
        }
        return total ?? DeadLetterRoom.Total(bytes: 0, holders: 0)
    }

    func heaviestHolders(limit: Int) throws -> [DeadLetterRoom.Holding] {
        try database.query(
            """
            SELECT holding.mailbox, holding.bytes,
                (SELECT min(created_at) FROM account WHERE mailbox = holding.mailbox) AS created_at
            FROM (SELECT mailbox, sum(bytes) AS bytes FROM dead_letter GROUP BY mailbox) AS holding
            ORDER BY holding.bytes DESC, created_at DESC NULLS FIRST LIMIT ?
            """,
            .integer(Int64(limit))
        ) { row in
            DeadLetterRoom.Holding(
                mailbox: try row.optionalBlob(0).map {
                    MailboxID(bits: try OperationID(column: $0))
                },
                bytes: Int(row.integer(1))
            )
        }
    }

    func heldBytes(of mailbox: MailboxID?) throws -> Int {
        try database.first(
            "SELECT sum(bytes) FROM dead_letter WHERE mailbox IS ?",
            Self.holder(mailbox)
        ) { Int($0.integer(0)) } ?? 0
    }

    func heldLetters(of mailbox: MailboxID?, limit: Int) throws -> [DeadLetterRoom.Letter] {
        try database.query(
            """
            SELECT dead_letter.entry, bytes FROM dead_letter
            CROSS JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE mailbox IS ? AND \(Self.isDead) ORDER BY dead_letter.entry LIMIT ?
            """,
            Self.holder(mailbox),
            .integer(Int64(limit))
        ) { row in
            DeadLetterRoom.Letter(
                entry: EntryID(rawValue: row.integer(0)),
                bytes: Int(row.integer(1))
            )
        }
    }

    private static func holder(_ mailbox: MailboxID?) -> Value {
        mailbox.map { .blob($0.bits.bytes) } ?? .null
    }

    func letters(after last: EntryID?, limit: Int) throws -> [StoredMail<DeadLetter>] {
        try list("\(Self.isDead)", after: last, limit: limit) { mail in
            DeadLetter(
                id: mail.id,
                isParked: mail.state == Int64(OperationState.parked.rawValue),
                quarantine: mail.quarantine,
                envelope: mail.envelope,
                bytes: mail.bytes,
                memo: mail.memo,
                domain: mail.domain
            )
        }
    }

    func waitingMails(after last: EntryID?, limit: Int) throws -> [StoredMail<WaitingMail>] {
        // No index: a scan in the order of the entries reads no mail twice.
        try list("(+state = 0 OR held_at IS NOT NULL)", after: last, limit: limit) { mail in
            WaitingMail(
                id: mail.id,
                envelope: mail.envelope,
                bytes: mail.bytes,
                memo: mail.memo,
                domain: mail.domain,
                heldSince: mail.heldSince
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
        let heldSince: WallTime?
    }

    /// The mails behind an entry to which a condition about the queue, or about `held_at`, applies.
    private func list<Mail: ListedMail>(
        _ condition: String,
        after last: EntryID?,
        limit: Int,
        _ describe: (FoundMail) -> Mail
    ) throws -> [StoredMail<Mail>] {
        try database.query(
            """
            SELECT outbox_operation.entry, outbox_operation.id, state, quarantine, envelope,
                length(record), account.id, account.address, account.created_at, memo.id, held_at
            FROM outbox_operation
            LEFT JOIN held_mail ON held_mail.entry = outbox_operation.entry
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            LEFT JOIN account ON account.id = memo.account
            WHERE \(condition) AND outbox_operation.entry > ?
            ORDER BY outbox_operation.entry LIMIT ?
            """,
            .integer(last?.rawValue ?? .min),
            .integer(Int64(limit))
        ) { row in
            let mail = FoundMail(
                id: try OperationID(column: row.blob(1)),
                state: row.integer(2),
                quarantine: row.optionalText(3),
                envelope: row.blob(4),
                bytes: Int(row.integer(5)),
                memo: try row.optionalBlob(9).map { try OperationID(column: $0) },
                domain: try row.optionalBlob(7).flatMap { address in
                    try domain(
                        sealed: address,
                        of: OperationID(column: row.blob(6)),
                        createdAt: WallTime(millisecondsSinceEpoch: row.integer(8))
                    )
                },
                heldSince: row.isNull(10)
                    ? nil : WallTime(millisecondsSinceEpoch: row.integer(10))
            )
            return StoredMail(entry: EntryID(rawValue: row.integer(0)), mail: describe(mail))
        }
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
        try database.query(
            """
            SELECT entry, id FROM outbox_operation
            WHERE state = \(OperationState.quarantined.rawValue) AND quarantine = ? AND ? < entry
            ORDER BY entry LIMIT ?
            """,
            .text(QuarantineReason.unknownKey.rawValue),
            .integer(last?.rawValue ?? .min),
            .integer(Int64(limit))
        ) { row in
            QuarantinedMail(
                entry: EntryID(rawValue: row.integer(0)),
                id: try OperationID(column: row.blob(1))
            )
        }
    }

    func acceptAgain(mail: OperationID, at now: WallTime) throws {
        try database.countChange(ofMail: mail.bytes)
        try database.run(
            """
            UPDATE memo SET status = ?, reason = NULL, changed_at = ?,
                change = \(RelaySchema.lastChange)
            WHERE operation = ?
            """,
            .text(DeliveryStatus.accepted.rawValue),
            .integer(now.millisecondsSinceEpoch),
            .blob(mail.bytes)
        )
    }
}
