import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
public import RelayRules
public import RelayServer
import SQLite

extension SQLiteRelayStore {
    public func accept(_ memo: NewMemo, limits: MemoLimits) async throws -> MemoDecision {
        let operation = try outbox.seal(kind: .memoMail, payload: memo.mail.encoded())
        let decision = try await write { database -> MemoDecision in
            if let earlier = try Self.memo(memo.id, of: memo.account, in: database) {
                return .acceptedBefore(earlier)
            }
            let quota = MemoQuota(limits, for: memo.sender, at: memo.acceptedAt)
            switch quota.decision(of: memo.size, try Self.uses(quota, in: database)) {
            case .refused(let usages): return .overLimit(usages)
            case .granted(let usages):
                try storage.insert(operation, in: database)
                try Self.insert(memo, operation: operation.envelope.id, in: database)
                try Self.count(quota, in: database)
                return .accepted(usages)
            }
        }
        if case .accepted = decision { outbox.inserted(operation) }
        return decision
    }

    public func usages(
        of sender: MemoSender,
        limits: MemoLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        let quota = MemoQuota(limits, for: sender, at: now)
        return try read {
            quota.usages(try Self.uses(quota, in: $0))
        }
    }

    public func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try read { try Self.memo(id, of: account, in: $0) }
    }

    public func record(_ bounce: MailBounce) async throws -> MailBounceResult {
        try await write { try $0.record(bounce) }
    }

    /// The identifier of a mail begins with the time at which the mail was queued.
    public func discardDeadLetters(before time: WallTime) async throws -> Int {
        try await write { database in
            try database.run(
                """
                DELETE FROM outbox_operation WHERE entry IN (
                    SELECT entry FROM outbox_operation WHERE state = ? AND id < ? LIMIT 32)
                """,
                .integer(Int64(OperationState.parked.rawValue)),
                .blob(OperationID(time: time, random: (0, 0)).bytes)
            )
        }
    }

    public func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> StatusChangeList {
        try await readMuch { database in
            let changes = try database.query(
                """
                SELECT change, id, status, reason FROM memo
                WHERE account = ? AND change > ? ORDER BY change LIMIT ?
                """,
                .blob(account.bits.bytes),
                .integer(number),
                .integer(Int64(limit))
            ) { row in
                StatusChange(
                    number: row.integer(0),
                    id: try OperationID(column: row.blob(1)),
                    status: DeliveryStatus(rawValue: row.text(2)),
                    reason: row.optionalText(3)
                )
            }
            let latest = try database.first(
                "SELECT max(change) FROM memo WHERE account = ?",
                .blob(account.bits.bytes)
            ) { $0.integer(0) }
            return StatusChangeList(changes: changes, latest: latest ?? 0)
        }
    }

    private static func memo(
        _ id: OperationID,
        of account: AccountID,
        in database: Connection
    ) throws -> MemoRecord? {
        try database.first(
            "SELECT content, response, status, reason FROM memo WHERE account = ? AND id = ?",
            .blob(account.bits.bytes),
            .blob(id.bytes)
        ) { row in
            MemoRecord(
                contentCode: row.blob(0),
                response: row.blob(1),
                status: DeliveryStatus(rawValue: row.text(2)),
                reason: row.optionalText(3)
            )
        }
    }

    private static func insert(
        _ memo: NewMemo,
        operation: OperationID,
        in database: Connection
    ) throws {
        try database.run(
            """
            INSERT INTO memo(account, id, device, content, message_id, operation, response, status,
                accepted_at, changed_at, size, change)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10,
                (SELECT coalesce(max(change), 0) + 1 FROM memo WHERE account = ?1))
            """,
            .blob(memo.account.bits.bytes),
            .blob(memo.id.bytes),
            .blob(memo.device.bits.bytes),
            .blob(memo.contentCode),
            .text(memo.mail.messageID),
            .blob(operation.bytes),
            .blob(memo.response),
            .text(DeliveryStatus.accepted.rawValue),
            .integer(memo.acceptedAt.millisecondsSinceEpoch),
            .integer(Int64(memo.size))
        )
    }

    private static func uses(_ quota: MemoQuota, in database: Connection) throws -> [MemoUse] {
        try quota.counters.map { counter in
            let use =
                switch counter {
                case .accepted(let account, let window):
                    try accepted(by: account, in: window, database)
                case .waiting(let account): try waiting(of: account, database)
                case .stepped(let key, let steps): try stepped(key, in: steps.window, database)
                }
            return use ?? MemoUse(memos: 0)
        }
    }

    private static func accepted(
        by account: AccountID,
        in window: RateWindow,
        _ database: Connection
    ) throws -> MemoUse? {
        try database.first(
            """
            SELECT count(*), coalesce(sum(size), 0), min(accepted_at) FROM memo
            WHERE account = ? AND accepted_at > ? AND accepted_at < ?
            """,
            .blob(account.bits.bytes),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: MemoUse.init(row:)
        )
    }

    /// The status is part of the statement, because only then SQLite uses the index of these memos.
    private static func waiting(of account: AccountID, _ database: Connection) throws -> MemoUse? {
        try database.first(
            """
            SELECT count(*), coalesce(sum(size), 0), NULL FROM memo
            WHERE account = ? AND status = 'accepted'
            """,
            .blob(account.bits.bytes),
            row: MemoUse.init(row:)
        )
    }

    private static func stepped(
        _ key: [UInt8],
        in window: RateWindow,
        _ database: Connection
    ) throws -> MemoUse? {
        try database.first(
            """
            SELECT coalesce(sum(memos), 0), 0, min(begins) FROM memo_use
            WHERE subject = ? AND begins > ? AND begins < ?
            """,
            .blob(key),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: MemoUse.init(row:)
        )
    }

    /// Counts one more memo for each key that is not an account. An account's memos are counted in
    /// their own table.
    private static func count(_ quota: MemoQuota, in database: Connection) throws {
        for case .stepped(let key, let steps) in quota.counters {
            try database.run(
                """
                INSERT INTO memo_use(subject, place, begins, memos) VALUES(?, ?, ?, 1)
                ON CONFLICT(subject, place) DO UPDATE SET begins = excluded.begins,
                    memos = CASE WHEN begins = excluded.begins THEN memos + 1 ELSE 1 END
                """,
                .blob(key),
                .integer(steps.row),
                .integer(steps.current.millisecondsSinceEpoch)
            )
        }
    }
}

extension MemoUse {
    /// A row with a number of memos, their bytes, and the time of the earliest, null for none.
    fileprivate init(row: borrowing Row) {
        self.init(
            memos: Int(row.integer(0)),
            bytes: Int(row.integer(1)),
            oldest: row.isNull(2) ? nil : WallTime(millisecondsSinceEpoch: row.integer(2))
        )
    }
}

extension RateUse {
    /// A row with a number of events and the time of the earliest one, null for none.
    init(row: borrowing Row) {
        self.init(
            count: Int(row.integer(0)),
            oldest: row.isNull(1) ? nil : WallTime(millisecondsSinceEpoch: row.integer(1))
        )
    }
}
