package import Outbox
package import OutboxCore
import OutboxTesting
import RelayAPI
package import RelayRules
package import RelayServer

/// A relay's memory whose transactions are whole, and which fails and dies when told so. Held to
/// the same checks as the SQLite store (`RelayStoreConformance`, `MemoStoreTests`).
package struct SimulatedRelayStore: TransactedStore {
    package let secret: RelaySecret
    let database: RelayDatabase
    /// The queue of memos' mails.
    let outbox: Outbox<RelayDatabase.Part>
    /// The queue of the mails that bring codes, or tell of new devices.
    let codes: Outbox<RelayDatabase.Part>
    let keys: any KeyStore
    /// Called before and after each transaction: may fail it, and may take its time.
    let disturbance: @Sendable () async throws -> Void
    let newOperationID: @Sendable () -> OperationID
    /// Sabotage: whether what was accepted is forgotten at once.
    let forgets: Bool
    /// Called with what is committed, before a device is told.
    let committed: @Sendable (RelayWrite) -> Void

    init(
        secret: RelaySecret,
        database: RelayDatabase,
        keys: some KeyStore,
        clock: OutboxClock = .system,
        disturbance: @escaping @Sendable () async throws -> Void,
        newOperationID: @escaping @Sendable () -> OperationID,
        forgets: Bool = false,
        committed: @escaping @Sendable (RelayWrite) -> Void = { _ in }
    ) {
        self.secret = secret
        self.database = database
        self.keys = keys
        self.disturbance = disturbance
        self.newOperationID = newOperationID
        self.forgets = forgets
        self.committed = committed
        // As the SQLite store has it: the handlers give mails up, the queue does not.
        var policy = RetryPolicy.mail
        policy.lifetime = nil
        func queue(_ storage: RelayDatabase.Part) -> Outbox<RelayDatabase.Part> {
            Outbox(
                storage: storage,
                keys: keys,
                policy: policy,
                window: storage.base.part.window,
                clock: clock
            )
        }
        outbox = queue(database.memos)
        codes = queue(database.codes)
    }

    // MARK: Transactions

    package func look<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome> {
        try database.transaction { try transaction.decision(over: tables($0)) }
    }

    package func survey<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome> {
        try await look(transaction)
    }

    package func run<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> Transaction.Outcome {
        try await disturbance()
        let decision = try database.transaction { rows in
            var tables = tables(rows)
            let decision = try transaction.decision(over: tables)
            for write in decision.writes { try tables.make(write) }
            rows = tables.rows
            return decision
        }
        for case .queue(let mail) in decision.writes {
            queue(of: MailPart(of: mail.envelope.kind)).inserted(mail)
        }
        for write in decision.writes { committed(write) }
        for case .requeue in decision.writes { for queue in [codes, outbox] { queue.wake() } }
        if !decision.writes.isEmpty { try await disturbance() }
        return decision.outcome
    }

    package func seal(_ mail: QueuedMail, as kind: OperationKind) throws -> SealedOperation {
        let part = MailPart(of: kind)
        let id = part.identifier(from: newOperationID())
        return try queue(of: part).seal(kind: kind, payload: mail.encoded(), id: id)
    }

    package func opens(_ mail: OperationID) async throws -> Bool {
        do {
            _ = try outbox.open(mail)
            return true
        } catch is UnreadableRecord {
            return false
        } catch is OutboxError {
            return false
        }
    }

    package func newIdentifier(at now: WallTime) -> OperationID { newOperationID() }

    private func queue(of part: MailPart) -> Outbox<RelayDatabase.Part> {
        switch part {
        case .codes: codes
        case .memos: outbox
        }
    }

    func tables(_ rows: RelayDatabase.Tables) -> SimulatedTables {
        SimulatedTables(rows, database.mails, forgets: forgets) { mail in
            try queue(of: MailPart(of: mail.envelope.kind)).storage.insert([mail])
        }
    }

    // MARK: Accounts

    package func device(tokenHash: [UInt8]) async throws -> AuthenticatedDevice? {
        try await disturbance()
        return try database.transaction { tables in
            guard let device = tables.devices[tokenHash],
                !tables.erased.contains(device.account.id)
            else { return nil }
            return AuthenticatedDevice(
                id: device.record.id,
                account: device.account.id,
                address: device.account.address,
                accountCreatedAt: device.account.createdAt,
                isRevoked: device.isRevoked,
                usedAt: device.record.usedAt
            )
        }
    }

    package func devices(of account: AccountID) async throws -> [DeviceRecord] {
        try await disturbance()
        return try database.transaction { tables in
            let living = tables.devices.values
                .filter { $0.account.id == account && !$0.isRevoked }
                .map(\.record).sorted { $0.createdAt > $1.createdAt }
            return Array(living.prefix(VerificationRules().devices))
        }
    }

    // MARK: Memos

    package func usages(
        of sender: MemoSender,
        limits: MemoLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        try await disturbance()
        let quota = MemoQuota(limits, for: sender, at: now)
        return try database.transaction { rows in
            quota.usages(try quota.find(in: tables(rows)))
        }
    }

    package func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord? {
        try await disturbance()
        return try database.transaction {
            tables($0).memo(id, of: account)
        }
    }

    package func memo(
        _ id: OperationID,
        of account: AccountID,
        or mailbox: MailboxID
    ) async throws -> MemoRecord? {
        try await disturbance()
        return try database.transaction {
            tables($0).memo(id, of: account, or: mailbox)
        }
    }

    package func changes(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> StatusChangeList {
        try await disturbance()
        let memos = try database.transaction { tables in
            tables.memos.filter { $0.key.account == account }
                .map { key, memo in
                    StatusChange(
                        number: memo.change,
                        id: key.id,
                        status: memo.record.status,
                        reason: memo.record.reason
                    )
                }
                .sorted { $0.number < $1.number }
        }
        return StatusChangeList(
            changes: Array(memos.filter { $0.number > number }.prefix(limit)),
            latest: memos.last?.number ?? 0
        )
    }

    package func accountChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> AccountChangeList {
        try await disturbance()
        return try database.transaction { rows in
            let memos = rows.memos.filter { $0.key.account == account }.map { key, memo in
                AccountChange(
                    number: memo.change,
                    row: .memo(
                        AccountMemo(
                            id: key.id,
                            device: memo.device,
                            status: memo.record.status,
                            reason: memo.record.reason,
                            acceptedAt: memo.acceptedAt
                        )
                    )
                )
            }
            let devices = rows.devices.values.filter { $0.account.id == account }.map { device in
                AccountChange(
                    number: device.change,
                    row: device.revokedAt.map { .revoked(device.record.id, at: $0) }
                        ?? .device(
                            DeviceRecord(
                                id: device.record.id,
                                name: device.record.name,
                                createdAt: device.record.createdAt
                            )
                        )
                )
            }
            let settings = rows.settings[account].map {
                [AccountChange(number: $0.version, row: .settings($0))]
            }
            let all = (memos + devices + (settings ?? [])).filter { $0.number > number }
            return AccountChangeList(
                changes: Array(all.sorted { $0.number < $1.number }.prefix(limit)),
                latest: rows.lastChange[account, default: 0],
                forgotten: rows.forgottenChange[account, default: 0]
            )
        }
    }

    package func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in [codes, outbox] { group.addTask { try await queue.drain(handlers) } }
            // If one of them ends, the other ends as well.
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }
}
