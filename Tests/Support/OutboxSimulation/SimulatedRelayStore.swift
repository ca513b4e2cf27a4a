package import Outbox
package import OutboxCore
import OutboxTesting
package import RelayAPI
package import RelayServer

/// A relay's memory whose transactions are whole, and which fails and dies when told so. Held to
/// the same checks as the SQLite store (`RelayStoreConformance`, `MemoStoreTests`).
package struct SimulatedRelayStore: RelayStore {
    let database: RelayDatabase
    let outbox: Outbox<FaultyStorage<MemoryStorage>>
    /// Called before and after each transaction: may fail it, and may take its time.
    let disturbance: @Sendable () async throws -> Void
    let newOperationID: @Sendable () -> OperationID
    /// Sabotage: whether what was accepted is forgotten at once.
    let forgets: Bool

    // MARK: Accounts

    package func startVerification(
        _ new: NewVerification,
        rules: VerificationRules
    ) async throws -> Milliseconds? {
        let operation = try outbox.seal(
            kind: .verificationMail,
            payload: new.mail.encoded(),
            id: newOperationID()
        )
        try await disturbance()
        let window = rules.requestWindow(at: new.now)
        let wait = try database.transaction { tables -> Milliseconds? in
            let ledger = VerificationLedger(
                latest: tables.codes[new.address],
                toAddress: window.use(by: tables.requests[new.address] ?? []),
                fromSource: window.use(by: tables.requests[new.source] ?? [])
            )
            switch ledger.request(new.code, at: new.now, rules) {
            case .wait(let wait): return wait
            case .send(let code):
                tables.codes[new.address] = code
                tables.requests[new.address, default: []].append(new.now)
                tables.requests[new.source, default: []].append(new.now)
                try outbox.storage.insert([operation])
                return nil
            }
        }
        if wait == nil { outbox.inserted(operation) }
        try await disturbance()
        return wait
    }

    package func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> Bool {
        try await disturbance()
        let isRight = try database.transaction { tables in
            guard let sent = tables.codes[confirmation.limitKey] else { return false }
            switch sent.tried(confirmation.code, at: confirmation.now, rules) {
            case .refused: return false
            case .wrong(let counted):
                tables.codes[confirmation.limitKey] = counted
                return false
            case .right(let usedUp):
                tables.codes[confirmation.limitKey] = usedUp
                let account =
                    tables.accounts[confirmation.addressKey]
                    ?? RelayDatabase.Account(
                        id: AccountID(bits: newOperationID()),
                        address: confirmation.address
                    )
                tables.accounts[confirmation.addressKey] = account
                tables.devices[confirmation.tokenHash] = RelayDatabase.Device(
                    record: DeviceRecord(
                        id: DeviceID(bits: newOperationID()),
                        name: confirmation.deviceName,
                        createdAt: confirmation.now
                    ),
                    account: account
                )
                return true
            }
        }
        try await disturbance()
        return isRight
    }

    package func device(tokenHash: [UInt8]) async throws -> AuthenticatedDevice? {
        try await disturbance()
        return try database.transaction { tables in
            tables.devices[tokenHash].map { device in
                AuthenticatedDevice(
                    id: device.record.id,
                    account: device.account.id,
                    address: device.account.address,
                    isRevoked: device.isRevoked
                )
            }
        }
    }

    package func revoke(
        _ device: DeviceID,
        of account: AccountID,
        at now: WallTime
    ) async throws -> Bool {
        try await disturbance()
        let isRevoked = try database.transaction { tables in
            guard
                let token = tables.devices.first(where: {
                    $0.value.record.id == device && $0.value.account.id == account
                })?.key
            else { return false }
            tables.devices[token]?.isRevoked = true
            return true
        }
        try await disturbance()
        return isRevoked
    }

    package func devices(of account: AccountID) async throws -> [DeviceRecord] {
        try await disturbance()
        return try database.transaction { tables in
            tables.devices.values.filter { $0.account.id == account && !$0.isRevoked }
                .map(\.record).sorted { $0.createdAt < $1.createdAt }
        }
    }

    // MARK: Memos

    package func accept(_ memo: NewMemo, limits: DeviceLimits) async throws -> MemoDecision {
        let operation = try outbox.seal(
            kind: .memoMail,
            payload: memo.mail.encoded(),
            id: newOperationID()
        )
        try await disturbance()
        let key = RelayDatabase.Key(account: memo.account, id: memo.id)
        let quota = DeviceQuota(limits, at: memo.acceptedAt)
        let decision = try database.transaction { tables -> MemoDecision in
            if let earlier = remembered(key, tables) { return .acceptedBefore(earlier) }
            switch quota.decision(uses(of: memo.account, quota, tables)) {
            case .refused(let usages): return .overLimit(usages)
            case .granted(let usages):
                try outbox.storage.insert([operation])
                tables.memos[key] = RelayDatabase.Memo(
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
                    change: tables.nextChange(of: memo.account)
                )
                return .accepted(usages)
            }
        }
        guard case .accepted = decision else { return decision }
        outbox.inserted(operation)
        try await disturbance()
        return decision
    }

    package func usages(
        of account: AccountID,
        limits: DeviceLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        try await disturbance()
        let quota = DeviceQuota(limits, at: now)
        return try database.transaction { quota.usages(uses(of: account, quota, $0)) }
    }

    package func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try await disturbance()
        return try database.transaction {
            remembered(RelayDatabase.Key(account: account, id: id), $0)
        }
    }

    package func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> MemoChangeList {
        try await disturbance()
        let memos = try database.transaction { tables in
            tables.memos.filter { $0.key.account == account }
                .map { key, memo in
                    MemoChange(
                        number: memo.change,
                        id: key.id,
                        status: memo.record.status,
                        reason: memo.record.reason
                    )
                }
                .sorted { $0.number < $1.number }
        }
        return MemoChangeList(
            changes: Array(memos.filter { $0.number > number }.prefix(limit)),
            latest: memos.last?.number ?? 0
        )
    }

    package func recordFate(
        of operation: OperationID,
        _ status: DeliveryStatus,
        reason: ReasonCode?,
        at now: WallTime
    ) async throws {
        try await disturbance()
        try database.transaction { tables in
            for (key, memo) in tables.memos where memo.operation == operation {
                var memo = memo
                memo.record = MemoRecord(
                    contentCode: memo.contentCode,
                    response: memo.response,
                    status: status,
                    reason: reason?.description
                )
                memo.change = tables.nextChange(of: key.account)
                tables.memos[key] = memo
            }
        }
        try await disturbance()
    }

    package func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await outbox.drain(handlers)
    }

    private func uses(
        of account: AccountID,
        _ quota: DeviceQuota,
        _ tables: RelayDatabase.Tables
    ) -> [RateUse] {
        let times = tables.memos.filter { $0.key.account == account }.map(\.value.acceptedAt)
        return quota.windows.map { $0.use(by: times) }
    }

    private func remembered(
        _ key: RelayDatabase.Key,
        _ tables: RelayDatabase.Tables
    ) -> MemoRecord? {
        forgets ? nil : tables.memos[key]?.record
    }
}
