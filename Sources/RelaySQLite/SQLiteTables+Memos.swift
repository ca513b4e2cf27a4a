import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func memo(_ id: OperationID, of account: AccountID) throws -> MemoRecord? {
        try database.first(
            "SELECT content, response, status, reason FROM memo WHERE account = ? AND id = ?",
            .blob(account.bits.bytes),
            .blob(id.bytes),
            row: MemoRecord.init(row:)
        )
    }

    /// Two accounts of a mailbox may have the memo: relays accepted it for each before they knew
    /// mailboxes.
    func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) throws -> MemoRecord? {
        if let own = try memo(id, of: account) { return own }
        return try database.first(
            """
            SELECT content, response, status, reason FROM memo INDEXED BY memo_mailbox
            WHERE mailbox = ? AND id = ? ORDER BY account LIMIT 1
            """,
            .blob(mailbox.bits.bytes),
            .blob(id.bytes),
            row: MemoRecord.init(row:)
        )
    }

    func status(ofMail mail: OperationID) throws -> DeliveryStatus? {
        try database.first(
            "SELECT status FROM memo WHERE operation = ?",
            .blob(mail.bytes)
        ) { DeliveryStatus(rawValue: $0.text(0)) }
    }

    func insert(_ memo: NewMemo, mail: OperationID) throws {
        try database.countChange(of: memo.account)
        try database.run(
            """
            INSERT INTO memo(account, id, device, content, message_id, operation, response, status,
                accepted_at, changed_at, size, mailbox, change)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11,
                (SELECT last FROM account_change WHERE account = ?1))
            """,
            .blob(memo.account.bits.bytes),
            .blob(memo.id.bytes),
            .blob(memo.device.bits.bytes),
            .blob(memo.contentCode),
            .text(memo.mail.messageID),
            .blob(mail.bytes),
            .blob(memo.response),
            .text(DeliveryStatus.accepted.rawValue),
            .integer(memo.acceptedAt.millisecondsSinceEpoch),
            .integer(Int64(memo.size)),
            .blob(memo.mailbox.bits.bytes)
        )
    }
}

extension MemoRecord {
    /// A row with content, response, status and reason.
    fileprivate init(row: borrowing Row) {
        self.init(
            contentCode: row.blob(0),
            response: row.blob(1),
            status: DeliveryStatus(rawValue: row.text(2)),
            reason: row.optionalText(3)
        )
    }
}
