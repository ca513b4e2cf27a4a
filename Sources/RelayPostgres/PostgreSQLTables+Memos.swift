import OutboxCore
import PostgreSQL
import RelayAPI
import RelayRules
import RelayServer

extension PostgreSQLTables {
    func memo(_ id: OperationID, of account: AccountID) throws -> MemoRecord? {
        try first(
            "SELECT content, response, status, reason FROM memo WHERE account = $1 AND id = $2",
            .id(account),
            .id(id),
            isAmended: true,
            read: MemoRecord.init(row:)
        )
    }

    func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) throws -> MemoRecord? {
        try questions.accepted.check(id)
        let own = try memo(id, of: account)
        let anothers = try first(
            """
            SELECT content, response, status, reason FROM memo
            WHERE mailbox = $1 AND id = $2 ORDER BY account LIMIT 1
            """,
            .id(mailbox),
            .id(id),
            isAmended: true,
            read: MemoRecord.init(row:)
        )
        return own ?? anothers
    }

    func status(ofMail mail: OperationID) throws -> DeliveryStatus? {
        try first("SELECT status FROM memo WHERE operation = $1", .id(mail)) {
            DeliveryStatus(rawValue: $0.text(0))
        }
    }

    func use(_ counter: MemoQuota.Counter) throws -> MemoUse {
        let use =
            switch counter {
            case .accepted(let mailbox, let window): try accepted(of: mailbox, in: window)
            case .waiting(let mailbox): try waiting(of: mailbox)
            case .stepped(let key, let steps): try stepped(key, in: steps.counted)
            }
        return questions.accepted.amended(use ?? MemoUse(memos: 0), of: counter)
    }

    private func accepted(of mailbox: MailboxID, in window: RateWindow) throws -> MemoUse? {
        try first(
            """
            SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint), min(accepted_at) FROM memo
            WHERE mailbox = $1 AND accepted_at > $2 AND accepted_at < $3
            """,
            .id(mailbox),
            .time(window.start),
            .time(window.end),
            isAmended: true,
            read: MemoUse.init(row:)
        )
    }

    /// The status is part of the statement, because only then PostgreSQL uses the index of these memos.
    private func waiting(of mailbox: MailboxID) throws -> MemoUse? {
        try first(
            """
            SELECT count(*), CAST(coalesce(sum(size), 0) AS bigint), CAST(NULL AS bigint) FROM memo
            WHERE mailbox = $1 AND status = 'accepted'
            """,
            .id(mailbox),
            isAmended: true,
            read: MemoUse.init(row:)
        )
    }

    private func stepped(_ key: [UInt8], in steps: ClosedRange<WallTime>) throws -> MemoUse? {
        try first(
            """
            SELECT CAST(coalesce(sum(memos), 0) AS bigint), CAST(0 AS bigint), min(begins)
            FROM memo_use WHERE subject = $1 AND begins BETWEEN $2 AND $3
            """,
            .bytes(key),
            .time(steps.lowerBound),
            .time(steps.upperBound),
            isAmended: true,
            read: MemoUse.init(row:)
        )
    }

    /// The latest changes of an account's memos behind a number, and the number of the latest one.
    func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) throws -> StatusChangeList {
        let changes = try list(
            """
            SELECT change, id, status, reason FROM memo
            WHERE account = $1 AND change > $2 ORDER BY change LIMIT $3
            """,
            .id(account),
            .integer(number),
            .count(limit)
        ) { row in
            StatusChange(
                number: row.integer(0),
                id: try row.id(1),
                status: DeliveryStatus(rawValue: row.text(2)),
                reason: row.optionalText(3)
            )
        }
        let latest = try first(
            "SELECT change FROM memo WHERE account = $1 ORDER BY change DESC LIMIT 1",
            .id(account)
        ) { $0.integer(0) }
        return StatusChangeList(changes: changes, latest: latest ?? 0)
    }

    /// The latest changes of an account's memos behind a number, with all that its devices share of a memo.
    func memoChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) throws -> [AccountChange] {
        try list(
            """
            SELECT change, id, device, status, reason, accepted_at FROM memo
            WHERE account = $1 AND change > $2 ORDER BY change LIMIT $3
            """,
            .id(account),
            .integer(number),
            .count(limit)
        ) { row in
            let memo = AccountMemo(
                id: try row.id(1),
                device: try row.device(2),
                status: DeliveryStatus(rawValue: row.text(3)),
                reason: row.optionalText(4),
                acceptedAt: row.time(5)
            )
            return AccountChange(number: row.integer(0), row: .memo(memo))
        }
    }
}

extension MemoRecord {
    /// A row with content, response, status and reason.
    fileprivate init(row: Row) {
        self.init(
            contentCode: row.bytes(0),
            response: row.bytes(1),
            status: DeliveryStatus(rawValue: row.text(2)),
            reason: row.optionalText(3)
        )
    }
}

extension MemoUse {
    /// A row with a number of memos, their bytes, and the time of the earliest, null for none.
    fileprivate init(row: Row) {
        self.init(memos: row.count(0), bytes: row.count(1), oldest: row.optionalTime(2))
    }
}
