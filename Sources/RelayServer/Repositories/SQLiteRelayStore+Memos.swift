internal import Outbox
public import OutboxCore
internal import OutboxSQLite
public import RelayAPI
internal import SQLite

extension SQLiteRelayStore {
    public func accept(_ memo: NewMemo, limits: DeviceLimits) async throws -> MemoDecision {
        let operation = try outbox.seal(kind: .memoMail, payload: memo.mail.encoded())
        let decision = try await write { database -> MemoDecision in
            if let earlier = try Self.memo(memo.id, of: memo.account, in: database) {
                return .acceptedBefore(earlier)
            }
            if let wait = try Self.wait(of: memo.device, at: memo.acceptedAt, limits, in: database)
            {
                return .overLimit(wait)
            }
            try storage.insert(operation, in: database)
            try Self.insert(memo, operation: operation.envelope.id, in: database)
            return .accepted
        }
        if decision == .accepted { outbox.inserted(operation) }
        return decision
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
                "UPDATE memo SET status = ?, reason = ?, changed_at = ? WHERE operation = ?",
                .text(status.rawValue),
                reason.map { .text($0.description) } ?? .null,
                .integer(now.millisecondsSinceEpoch),
                .blob(operation.bytes)
            )
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
        let time = Value.integer(memo.acceptedAt.millisecondsSinceEpoch)
        try database.run(
            """
            INSERT INTO memo(account, id, device, content, message_id, operation, response, status,
                accepted_at, changed_at)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(memo.account.bits.bytes),
            .blob(memo.id.bytes),
            .blob(memo.device.bits.bytes),
            .blob(memo.contentCode),
            .text(memo.mail.messageID),
            .blob(operation.bytes),
            .blob(memo.response),
            .text(DeliveryStatus.accepted.rawValue),
            time,
            time
        )
    }

    /// How long the device must wait before it may send another memo; `nil` for not at all.
    ///
    /// Counted from what was accepted, so a restart refills nothing, and a replay costs nothing.
    /// Memos that seem to come from further in the future than a limit reaches were accepted under
    /// another clock and do not count.
    private static func wait(
        of device: DeviceID,
        at now: WallTime,
        _ limits: DeviceLimits,
        in database: Connection
    ) throws -> Milliseconds? {
        var longest: Milliseconds?
        for (limit, length) in limits.windows {
            let start = now.millisecondsSinceEpoch - length.count
            let end = now.millisecondsSinceEpoch + length.count
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
            guard count >= limit else { continue }
            let wait = limit == 0 ? length : Milliseconds(min(oldest - start, length.count))
            longest = max(longest ?? wait, wait)
        }
        return longest
    }
}
