import Outbox
package import OutboxCore
import PostgreSQL
import RelayAPI
package import RelayRules
package import RelayServer

extension PostgreSQLRelayStore {
    package func device(tokenHash: [UInt8]) async throws -> AuthenticatedDevice? {
        try await readFew { try $0.device(tokenHash: tokenHash) }
    }

    package func devices(of account: AccountID) async throws -> [DeviceRecord] {
        try await readTables { try $0.devices(of: account, limit: VerificationRules().devices) }
    }

    /// All tables are read as of one moment: a row that is committed between two looks would have a
    /// smaller number than one that is told already, and would never be told.
    package func accountChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> AccountChangeList {
        try await readTables { tables in
            let settings = try tables.settings(of: account).map {
                AccountChange(number: $0.version, row: .settings($0))
            }
            let changes =
                try tables.memoChanges(of: account, after: number, limit: limit)
                + tables.deviceChanges(of: account, after: number, limit: limit)
                + [settings].compactMap { $0 }.filter { $0.number > number }
            return AccountChangeList(
                changes: Array(changes.sorted { $0.number < $1.number }.prefix(limit)),
                latest: try tables.lastChange(of: account),
                forgotten: try tables.forgottenChange(of: account)
            )
        }
    }

    package func usages(
        of sender: MemoSender,
        limits: MemoLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        let quota = MemoQuota(limits, for: sender, at: now)
        return try await readFew { quota.usages(try quota.find(in: $0)) }
    }

    package func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try await readFew { try $0.memo(id, of: account) }
    }

    package func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) async throws -> MemoRecord? {
        try await readFew { try $0.memo(id, of: account, or: mailbox) }
    }

    package func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> StatusChangeList {
        try await readTables { try $0.changes(of: account, after: number, limit: limit) }
    }

    // MARK: Examination

    package func tryKeys() async throws {
        let sealed = try await translating { [pool] in
            try await pool.attempt { try $0.run(.secret).first?.bytes(0) }
        }
        let keys = keys
        try await keyQueue.run {
            let known = try keys.keys(creating: false).map(\.id)
            guard let needed = sealed.flatMap(Sealer.keyID), known.contains(needed) else {
                throw KeyStoreError.missing
            }
        }
    }

    /// The database's files are not the relay's.
    package func reusableSpace() -> Int64 { 0 }

    package var ownShards: Int? { queues.memos.storage.base.leases(of: .memos)?.shards.count ?? 0 }

    package func lastMovement() async throws -> WallTime? {
        try await readTables { try $0.lastMovement() }
    }

    package func queueFigures() async throws -> QueueFigures {
        try await readTables { try $0.queueFigures() }
    }

    package func queueCondition(at now: WallTime) async throws -> QueueCondition {
        try await readTables { try $0.queueCondition(at: now) }
    }
}
