package import Outbox
package import OutboxCore
import OutboxTesting
import RelayAPI
package import RelayRules
package import RelayServer

/// A relay's memory whose transactions are whole, and which fails and dies when told so. Held to
/// the same checks as the SQLite store (`RelayStoreConformance`, `MemoStoreTests`).
package struct SimulatedRelayStore: RelayStore {
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

    init(
        secret: RelaySecret,
        database: RelayDatabase,
        keys: some KeyStore,
        clock: OutboxClock = .system,
        disturbance: @escaping @Sendable () async throws -> Void,
        newOperationID: @escaping @Sendable () -> OperationID,
        forgets: Bool = false
    ) {
        self.secret = secret
        self.database = database
        self.keys = keys
        self.disturbance = disturbance
        self.newOperationID = newOperationID
        self.forgets = forgets
        // As the SQLite store has it: the handlers give mails up, the queue does not.
        var policy = RetryPolicy.mail
        policy.lifetime = nil
        func queue(_ storage: RelayDatabase.Part) -> Outbox<RelayDatabase.Part> {
            Outbox(
                storage: storage,
                keys: keys,
                policy: policy,
                maximumInFlight: storage.base.part.maximumInFlight,
                clock: clock
            )
        }
        outbox = queue(database.memos)
        codes = queue(database.codes)
    }

    // MARK: Accounts

    package func startVerification(
        _ new: NewVerification,
        rules: VerificationRules
    ) async throws -> CodeDecision {
        try await disturbance()
        let id = MailPart.codes.identifier(from: newOperationID())
        let (decision, operation) = try database.transaction { tables in
            tables.codes = tables.codes.filter { $0.value.code.isAlive(at: new.now) }
            let counted = GuessBudget.counted(at: new.now)
            let failed = tables.failedTries.filter { counted.contains($0.key) }.values
            var budget = GuessBudget(used: failed.reduce(0, +))
            for code in tables.codes.values.map(\.code) {
                budget.add(tries: rules.tries - code.tries, digits: code.digits)
            }
            func times(_ subject: CodeSubject) -> [WallTime] {
                new.subjects[subject].flatMap { tables.requests[$0] } ?? []
            }
            let ledger = VerificationLedger(
                uses: rules.limits.map { $0.window(at: new.now).use(by: times($0.subject)) },
                isKnown: tables.devices.values.contains {
                    !$0.isRevoked && $0.pair == new.subjects[.pair]
                },
                latest: times(.pair).max(),
                budget: budget
            )
            let decision = ledger.request(at: new.now, rules)
            guard case .send(let digits) = decision else {
                return (decision, nil as SealedOperation?)
            }
            let letter = new.letter(digits)
            tables.codes[new.handle] = (
                SentCode(code: letter.code, digits: digits, at: new.now, rules),
                new.subjects[.pair] ?? [],
                new.language
            )
            for subject in new.subjects.values {
                tables.requests[subject, default: []].append(new.now)
            }
            let operation = try codes.seal(
                kind: .verificationMail,
                payload: letter.mail.encoded(),
                id: id
            )
            try codes.storage.insert([operation])
            return (decision, operation)
        }
        if let operation { codes.inserted(operation) }
        try await disturbance()
        return decision
    }

    package func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> Bool {
        try await disturbance()
        let id = MailPart.codes.identifier(from: newOperationID())
        let (isRight, operation) = try database.transaction { tables in
            let refused = (false, nil as SealedOperation?)
            guard let stored = tables.codes[confirmation.handle] else { return refused }
            switch stored.code.tried(confirmation.code, at: confirmation.now, rules) {
            case .refused: return refused
            case .wrong(let counted):
                let step = GuessBudget.step(of: confirmation.now)
                let chance = GuessBudget.chance(digits: stored.code.digits)
                tables.failedTries[step, default: 0] += chance
                tables.codes[confirmation.handle] = counted.map {
                    ($0, stored.pair, stored.language)
                }
                return refused
            case .right:
                tables.codes[confirmation.handle] = nil
                tables.requests[stored.pair] = nil
                let account =
                    tables.accounts[confirmation.addressKey]
                    ?? RelayDatabase.Account(
                        id: AccountID(bits: newOperationID()),
                        address: confirmation.address
                    )
                tables.accounts[confirmation.addressKey] = account
                let living = tables.devices.filter {
                    $0.value.account.id == account.id && !$0.value.isRevoked
                }
                let byAge = living.sorted {
                    let (one, other) = ($0.value.record, $1.value.record)
                    return (one.createdAt, one.id.bits) < (other.createdAt, other.id.bits)
                }
                let new = NewDevice(
                    id: DeviceID(bits: newOperationID()),
                    account: account.id,
                    language: stored.language
                )
                let window = rules.announcementWindow(at: confirmation.now)
                let recent = tables.devices.values.count {
                    $0.account.id == account.id && window.contains($0.record.createdAt)
                }
                var operation: SealedOperation?
                if rules.announces(living: living.count, recent: recent) {
                    let mail = confirmation.announcement(new)
                    operation = try codes.seal(
                        kind: .deviceMail,
                        payload: mail.encoded(),
                        id: id
                    )
                }
                if let operation { try codes.storage.insert([operation]) }
                for token in rules.signedOut(of: byAge.map(\.key)) {
                    tables.devices[token]?.isRevoked = true
                }
                tables.devices[confirmation.tokenHash] = RelayDatabase.Device(
                    record: DeviceRecord(
                        id: new.id,
                        name: confirmation.deviceName,
                        createdAt: confirmation.now
                    ),
                    account: account,
                    pair: stored.pair
                )
                return (true, operation)
            }
        }
        if let operation { codes.inserted(operation) }
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
                    isRevoked: device.isRevoked,
                    usedAt: device.record.usedAt
                )
            }
        }
    }

    package func note(_ use: DeviceUse) async throws {
        try await disturbance()
        try database.transaction { tables in
            for (token, device) in tables.devices where device.record.id == use.device {
                tables.devices[token]?.record.usedAt = use.time
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
                .map(\.record).sorted { $0.createdAt > $1.createdAt }
        }
    }

    // MARK: Memos

    package func accept(_ memo: NewMemo, limits: MemoLimits) async throws -> MemoDecision {
        let operation = try outbox.seal(
            kind: .memoMail,
            payload: memo.mail.encoded(),
            id: newOperationID()
        )
        try await disturbance()
        let key = RelayDatabase.Key(account: memo.account, id: memo.id)
        let quota = MemoQuota(limits, for: memo.sender, at: memo.acceptedAt)
        let decision = try database.transaction { tables -> MemoDecision in
            if let earlier = remembered(key, tables) { return .acceptedBefore(earlier) }
            switch quota.decision(of: memo.size, uses(quota, tables)) {
            case .refused(let usages): return .overLimit(usages)
            case .granted(let usages):
                try outbox.storage.insert([operation])
                tables.memos[key] = RelayDatabase.Memo(
                    device: memo.device,
                    operation: operation.envelope.id,
                    acceptedAt: memo.acceptedAt,
                    size: memo.size,
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
                tables.count(quota)
                return .accepted(usages)
            }
        }
        guard case .accepted = decision else { return decision }
        outbox.inserted(operation)
        try await disturbance()
        return decision
    }

    package func usages(
        of sender: MemoSender,
        limits: MemoLimits,
        at now: WallTime
    ) async throws -> [LimitUsage] {
        try await disturbance()
        let quota = MemoQuota(limits, for: sender, at: now)
        return try database.transaction { quota.usages(uses(quota, $0)) }
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

    package func record(_ bounce: MailBounce) async throws -> MailBounceResult {
        try await disturbance()
        return try database.transaction { $0.record(bounce) }
    }

    package func discardDeadLetters(before time: WallTime) async throws -> Int {
        try await disturbance()
        let parked = try database.mails.entries(in: .parked, after: nil, limit: .max)
        let old = try parked.filter { try Envelope(decoding: $0.envelope).createdAt < time }
        for entry in old { try database.mails.delete(entry.id) }
        return old.count
    }

    package func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in [codes, outbox] { group.addTask { try await queue.drain(handlers) } }
            // If one of them ends, the other ends as well.
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    private func uses(_ quota: MemoQuota, _ tables: RelayDatabase.Tables) -> [MemoUse] {
        quota.counters.map { counter in
            switch counter {
            case .accepted(let account, let window):
                let memos = tables.memos.filter { $0.key.account == account }.values
                let times = memos.map(\.acceptedAt)
                return MemoUse(
                    memos: window.use(by: times).count,
                    bytes: memos.filter { window.use(by: [$0.acceptedAt]).count == 1 }
                        .reduce(0) { $0 + $1.size },
                    oldest: window.use(by: times).oldest
                )
            case .waiting(let account):
                let waiting = tables.memos.filter {
                    $0.key.account == account && $0.value.record.status == .accepted
                }
                return MemoUse(
                    memos: waiting.count,
                    bytes: waiting.reduce(0) { $0 + $1.value.size }
                )
            case .stepped(let key, let steps):
                let counted = (tables.uses[key] ?? [:]).values.filter {
                    steps.window.use(by: [$0.begins]).count == 1
                }
                return MemoUse(
                    memos: counted.reduce(0) { $0 + $1.memos },
                    oldest: counted.map(\.begins).min()
                )
            }
        }
    }

    private func remembered(
        _ key: RelayDatabase.Key,
        _ tables: RelayDatabase.Tables
    ) -> MemoRecord? {
        forgets ? nil : tables.memos[key]?.record
    }
}
