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
            let before = try Self.usages(
                of: memo.device,
                limits,
                at: memo.acceptedAt,
                in: database
            )
            guard before.allSatisfy({ $0.remaining > 0 }) else { return .overLimit(before) }
            try storage.insert(operation, in: database)
            try Self.insert(memo, operation: operation.envelope.id, in: database)
            return .accepted(before.map(\.withOneMore))
        }
        if case .accepted = decision { outbox.inserted(operation) }
        return decision
    }

    public func usages(
        of device: DeviceID,
        limits: DeviceLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        try await read { try Self.usages(of: device, limits, at: now, in: $0) }
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

    /// The use of a device's limits.
    ///
    /// Accepted memos count, so a restart does not reset a limit, and a replay does not count.
    /// Memos whose time of acceptance lies further in the future than a limit's window were
    /// accepted while the clock was wrong, and do not count.
    private static func usages(
        of device: DeviceID,
        _ limits: DeviceLimits,
        at now: WallTime,
        in database: Connection
    ) throws -> [LimitUsage] {
        try limits.all.map { limit in
            let start = now.millisecondsSinceEpoch - limit.window.count
            let end = now.millisecondsSinceEpoch + limit.window.count
            let (count, oldest) =
                try database.first(
                    """
                    SELECT count(*), min(accepted_at) FROM memo
                    WHERE device = ? AND accepted_at > ? AND accepted_at < ?
                    """,
                    .blob(device.bits.bytes),
                    .integer(start),
                    .integer(end)
                ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
            return LimitUsage(
                limit: limit,
                remaining: max(0, limit.count - Int(count)),
                reset: count == 0
                    ? limit.window : Milliseconds(min(oldest - start, limit.window.count))
            )
        }
    }
}
