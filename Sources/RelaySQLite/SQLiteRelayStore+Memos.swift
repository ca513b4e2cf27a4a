import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
public import RelayRules
public import RelayServer
import SQLite

extension SQLiteRelayStore {
    public func usages(
        of sender: MemoSender,
        limits: MemoLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        let quota = MemoQuota(limits, for: sender, at: now)
        return try read { quota.usages(try quota.find(in: tables(in: $0))) }
    }

    public func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try read { try tables(in: $0).memo(id, of: account) }
    }

    public func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) async throws -> MemoRecord? {
        try read { try tables(in: $0).memo(id, of: account, or: mailbox) }
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
}
