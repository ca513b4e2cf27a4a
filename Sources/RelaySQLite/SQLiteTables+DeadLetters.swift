import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func deadLetters(before time: WallTime, limit: Int) throws -> [EntryID] {
        // The identifier of a mail begins with the time at which the mail was queued.
        try database.query(
            "SELECT entry FROM outbox_operation WHERE state = ? AND id < ? LIMIT ?",
            .integer(Int64(OperationState.parked.rawValue)),
            .blob(OperationID(time: time, random: (0, 0)).bytes),
            .integer(Int64(limit))
        ) { EntryID(rawValue: $0.integer(0)) }
    }

    func letters(after last: EntryID?, limit: Int) throws -> [StoredLetter] {
        try database.query(
            """
            SELECT entry, outbox_operation.id, state, quarantine, envelope, length(record),
                account.id, account.address, account.created_at, memo.id
            FROM outbox_operation
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            LEFT JOIN account ON account.id = memo.account
            WHERE state IN (\(OperationState.parked.rawValue), \(OperationState.quarantined.rawValue))
                AND entry > ?
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
        try database.run(
            """
            UPDATE memo SET status = ?, reason = NULL, changed_at = ?,
                change = \(RelaySchema.nextChange)
            WHERE operation = ?
            """,
            .text(DeliveryStatus.accepted.rawValue),
            .integer(now.millisecondsSinceEpoch),
            .blob(mail.bytes)
        )
    }
}
