import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    /// The condition of a mail that is dead, in a statement about the queue.
    private static let isDead = """
        state IN (\(OperationState.parked.rawValue), \(OperationState.quarantined.rawValue))
        """

    func newDeadLetters(limit: Int) throws -> [EntryID] {
        try database.query(
            """
            SELECT entry FROM outbox_operation
            WHERE \(Self.isDead) AND NOT EXISTS (
                SELECT 1 FROM dead_letter WHERE dead_letter.entry = outbox_operation.entry)
            LIMIT ?
            """,
            .integer(Int64(limit))
        ) { EntryID(rawValue: $0.integer(0)) }
    }

    /// A mail that an operator's command of an earlier build has queued again keeps its note. It is no
    /// dead letter.
    func notedDeadLetters(limit: Int) throws -> [NotedLetter] {
        try database.query(
            """
            SELECT dead_letter.entry, seen FROM dead_letter
            CROSS JOIN outbox_operation ON outbox_operation.entry = dead_letter.entry
            WHERE \(Self.isDead) ORDER BY seen LIMIT ?
            """,
            .integer(Int64(limit))
        ) { row in
            NotedLetter(
                entry: EntryID(rawValue: row.integer(0)),
                seen: Milliseconds(row.integer(1))
            )
        }
    }

    func noteDead(_ mail: EntryID, at running: Milliseconds) throws {
        try database.run(
            "INSERT OR IGNORE INTO dead_letter(entry, seen) VALUES(?, ?)",
            .integer(mail.rawValue),
            .integer(running.count)
        )
    }

    func dropNote(of mail: EntryID) throws {
        try database.run("DELETE FROM dead_letter WHERE entry = ?", .integer(mail.rawValue))
    }

    func letters(after last: EntryID?, limit: Int) throws -> [StoredLetter] {
        try database.query(
            """
            SELECT entry, outbox_operation.id, state, quarantine, envelope, length(record),
                account.id, account.address, account.created_at, memo.id
            FROM outbox_operation
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            LEFT JOIN account ON account.id = memo.account
            WHERE \(Self.isDead) AND entry > ?
            ORDER BY entry LIMIT ?
            """,
            .integer(last?.rawValue ?? .min),
            .integer(Int64(limit))
        ) { row in
            let letter = DeadLetter(
                id: try OperationID(column: row.blob(1)),
                isParked: row.integer(2) == Int64(OperationState.parked.rawValue),
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
                }
            )
            return StoredLetter(entry: EntryID(rawValue: row.integer(0)), letter: letter)
        }
    }

    /// - Returns: `nil` for an address that cannot be read.
    private func domain(
        sealed: [UInt8],
        of account: OperationID,
        createdAt: WallTime
    ) throws -> String? {
        do {
            let text = try sealer.open(sealed, id: account, kind: .address, createdAt: createdAt)
            return MailAddress(String(decoding: text, as: UTF8.self))?.domain
        } catch is UnreadableRecord {
            return nil
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
