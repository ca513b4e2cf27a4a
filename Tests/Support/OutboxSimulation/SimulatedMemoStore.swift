import Outbox
package import OutboxCore
import OutboxTesting
package import RelayAPI
package import RelayServer

/// A relay's memory of memos, whose transactions are whole, and which fails and dies when told so.
/// Held to the same checks as the SQLite store (`MemoStoreTests`).
package struct SimulatedMemoStore: MemoStore {
    let database: RelayDatabase
    let outbox: Outbox<FaultyStorage<MemoryStorage>>
    /// Called before and after each transaction: may fail it, and may take its time.
    let disturbance: @Sendable () async throws -> Void
    let newOperationID: @Sendable () -> OperationID
    /// Sabotage: whether what was accepted is forgotten at once.
    let forgets: Bool

    package func accept(_ memo: NewMemo, limits: DeviceLimits) async throws -> MemoDecision {
        let operation = try outbox.seal(
            kind: .memoMail,
            payload: memo.mail.encoded(),
            id: newOperationID()
        )
        try await disturbance()
        let key = RelayDatabase.Key(account: memo.account, id: memo.id)
        if let earlier = remembered(key) { return .acceptedBefore(earlier) }
        let before = usages(of: memo.device, limits, at: memo.acceptedAt)
        guard before.allSatisfy({ $0.remaining > 0 }) else { return .overLimit(before) }
        try outbox.storage.insert([operation])
        database.memos[key] = RelayDatabase.Memo(
            device: memo.device,
            operation: operation.envelope.id,
            acceptedAt: memo.acceptedAt,
            record: MemoRecord(
                contentCode: memo.contentCode,
                response: memo.response,
                status: .accepted,
                reason: nil
            ),
            contentCode: memo.contentCode,
            response: memo.response,
            messageID: memo.mail.messageID,
            change: database.nextChange(of: memo.account)
        )
        outbox.inserted(operation)
        try await disturbance()
        return .accepted(before.map(\.withOneMore))
    }

    package func usages(
        of device: DeviceID,
        limits: DeviceLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        try await disturbance()
        return usages(of: device, limits, at: now)
    }

    package func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try await disturbance()
        return remembered(RelayDatabase.Key(account: account, id: id))
    }

    package func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> MemoChangeList {
        try await disturbance()
        let memos = database.memos.filter { $0.key.account == account }
        let changes = memos.filter { $0.value.change > number }
            .sorted { $0.value.change < $1.value.change }
            .map { key, memo in
                MemoChange(
                    number: memo.change,
                    id: key.id,
                    status: memo.record.status,
                    reason: memo.record.reason
                )
            }
        return MemoChangeList(
            changes: Array(changes.prefix(limit)),
            latest: memos.values.map(\.change).max() ?? 0
        )
    }

    package func recordFate(
        of operation: OperationID,
        _ status: DeliveryStatus,
        reason: ReasonCode?,
        at now: WallTime
    ) async throws {
        try await disturbance()
        for (key, memo) in database.memos where memo.operation == operation {
            var memo = memo
            memo.record = MemoRecord(
                contentCode: memo.contentCode,
                response: memo.response,
                status: status,
                reason: reason?.description
            )
            memo.change = database.nextChange(of: key.account)
            database.memos[key] = memo
        }
        try await disturbance()
    }

    private func remembered(_ key: RelayDatabase.Key) -> MemoRecord? {
        forgets ? nil : database.memos[key]?.record
    }

    private func usages(
        of device: DeviceID,
        _ limits: DeviceLimits,
        at now: WallTime
    ) -> [LimitUsage] {
        limits.all.map { limit in
            let start = now.advanced(by: Milliseconds(-limit.window.count))
            let end = now.advanced(by: limit.window)
            let times = database.memos.values
                .filter { $0.device == device && $0.acceptedAt > start && $0.acceptedAt < end }
                .map(\.acceptedAt)
            return LimitUsage(
                limit: limit,
                remaining: max(0, limit.count - times.count),
                reset: times.min().map { min($0.since(start), limit.window) } ?? limit.window
            )
        }
    }
}
