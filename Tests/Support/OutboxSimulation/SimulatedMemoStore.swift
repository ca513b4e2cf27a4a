package import Outbox
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
        let usages: [LimitUsage]
        let quota = DeviceQuota(limits, at: memo.acceptedAt)
        switch quota.decision(quota.windows.map { use(of: memo.device, $0) }) {
        case .refused(let usages): return .overLimit(usages)
        case .granted(let granted): usages = granted
        }
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
        return .accepted(usages)
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

    package func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await outbox.drain(handlers)
    }

    private func remembered(_ key: RelayDatabase.Key) -> MemoRecord? {
        forgets ? nil : database.memos[key]?.record
    }

    private func use(of device: DeviceID, _ window: RateWindow) -> RateUse {
        window.use(by: database.memos.values.filter { $0.device == device }.map(\.acceptedAt))
    }
}
