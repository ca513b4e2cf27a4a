import Outbox
public import OutboxCore
import OutboxSQLite
public import RelayAPI
import SQLite

extension SQLiteRelayStore {
    public func accept(_ memo: NewMemo, limits: DeviceLimits) async throws -> MemoDecision {
        let operation = try outbox.seal(kind: .memoMail, payload: memo.mail.encoded())
        let decision = try await write { database -> MemoDecision in
            if let earlier = try Self.memo(memo.id, of: memo.account, in: database) {
                return .acceptedBefore(earlier)
            }
            let quota = DeviceQuota(limits, at: memo.acceptedAt)
            switch quota.decision(try Self.uses(of: memo.account, quota, in: database)) {
            case .refused(let usages): return .overLimit(usages)
            case .granted(let usages):
                try storage.insert(operation, in: database)
                try Self.insert(memo, operation: operation.envelope.id, in: database)
                return .accepted(usages)
            }
        }
        if case .accepted = decision { outbox.inserted(operation) }
        return decision
    }

    public func usages(
        of account: AccountID,
        limits: DeviceLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        let quota = DeviceQuota(limits, at: now)
        return try await read { quota.usages(try Self.uses(of: account, quota, in: $0)) }
    }

    public func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try await read { try Self.memo(id, of: account, in: $0) }
    }

    public func recordFate(
        of operation: OperationID,
        _ status: DeliveryStatus,
        reason: ReasonCode?,
        at now: WallTime
    ) async throws {
        _ = try await write { database in
            try database.run(
                """
                UPDATE memo SET status = ?, reason = ?, changed_at = ?,
                    change = \(RelaySchema.nextChange)
                WHERE operation = ?
                """,
                .text(status.rawValue),
                reason.map { .text($0.description) } ?? .null,
                .integer(now.millisecondsSinceEpoch),
                .blob(operation.bytes)
            )
        }
    }

    public func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> MemoChangeList {
        try await read { database in
            let changes = try database.query(
                """
                SELECT change, id, status, reason FROM memo
                WHERE account = ? AND change > ? ORDER BY change LIMIT ?
                """,
                .blob(account.bits.bytes),
                .integer(number),
                .integer(Int64(limit))
            ) { row in
                MemoChange(
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
            return MemoChangeList(changes: changes, latest: latest ?? 0)
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
                accepted_at, changed_at, change)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9,
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
            .integer(memo.acceptedAt.millisecondsSinceEpoch)
        )
    }

    /// The accepted memos of an account in each window of a quota.
    private static func uses(
        of account: AccountID,
        _ quota: DeviceQuota,
        in database: Connection
    ) throws -> [RateUse] {
        try quota.windows.map { try use(of: account, $0, in: database) }
    }

    private static func use(
        of account: AccountID,
        _ window: RateWindow,
        in database: Connection
    ) throws -> RateUse {
        try database.first(
            """
            SELECT count(*), min(accepted_at) FROM memo
            WHERE account = ? AND accepted_at > ? AND accepted_at < ?
            """,
            .blob(account.bits.bytes),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: RateUse.init(row:)
        ) ?? RateUse(count: 0, oldest: nil)
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
