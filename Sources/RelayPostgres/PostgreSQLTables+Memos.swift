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

    /// The windows of a mailbox are counted by one statement where the second one encloses the first one, as a
    /// day does a minute: their memos are gone through once.
    func uses(_ counters: [MemoQuota.Counter]) throws -> [MemoUse] {
        guard counters.count > 1, case .accepted(let mailbox, let short) = counters[0],
            case .accepted(mailbox, let long) = counters[1], long.encloses(short)
        else { return try counters.map { try use($0) } }
        let found = try first(
            """
            SELECT count(*) FILTER (WHERE accepted_at > $2 AND accepted_at < $3),
                CAST(coalesce(sum(size) FILTER (WHERE accepted_at > $2 AND accepted_at < $3), 0) AS bigint),
                min(accepted_at) FILTER (WHERE accepted_at > $2 AND accepted_at < $3),
                count(*), CAST(coalesce(sum(size), 0) AS bigint), min(accepted_at) FROM memo
            WHERE mailbox = $1 AND accepted_at > $4 AND accepted_at < $5
            """,
            .id(mailbox),
            .time(short.start),
            .time(short.end),
            .time(long.start),
            .time(long.end),
            isAmended: true
        ) { [MemoUse(row: $0), MemoUse(row: $0, from: 3)] }
        let uses = found ?? [MemoUse(memos: 0), MemoUse(memos: 0)]
        return zip(uses, counters).map { questions.accepted.amended($0, of: $1) }
            + (try counters.dropFirst(2).map { try use($0) })
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
            read: { MemoUse(row: $0) }
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
            read: { MemoUse(row: $0) }
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
            read: { MemoUse(row: $0) }
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
    /// A row with a number of memos, their bytes, and the time of the earliest, null for none, from a column on.
    fileprivate init(row: Row, from column: Int = 0) {
        self.init(
            memos: row.count(column),
            bytes: row.count(column + 1),
            oldest: row.optionalTime(column + 2)
        )
    }
}
