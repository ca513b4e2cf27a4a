package import Outbox
package import OutboxCore
import PostgreSQL
import RelayRules
package import RelayServer

/// A ``RelayStore`` in one PostgreSQL database, which any number of relay processes share.
///
/// - A memo and its mail in the queue are one transaction. Transactions that write have turns, one at a time
///   for all relays (``RelayTurns``): every limit is exact.
/// - Reads see what is committed, each as of one moment, and wait for no transaction.
/// - The mails of each shard of the queue are handed over by one relay at a time, and the relays share the
///   shards evenly (``ShardLeases``); the others take over what a relay leaves.
/// - While the database cannot be used, every method throws within seconds, and the store works again by
///   itself.
package struct PostgreSQLRelayStore: ExaminedStore, TransactedStore {
    package let secret: RelaySecret
    let pool: Pool
    let turns: RelayTurns
    private let reads: SharedReads
    let queues: RelayQueues<PostgreSQLMailQueue>
    /// Tells other relays of mails in their shards.
    private let listener: Listener?
    let keys: any KeyStore
    private let clock: OutboxClock
    /// Reads of the key's place.
    let keyQueue = BlockingQueue(label: "relay-keys")
    /// Looks at stored mails.
    private let mailQueue = BlockingQueue(label: "relay-mails")

    /// Opens the database, making its tables and the key if need be.
    ///
    /// - Parameters:
    ///   - pool: The connections, at least two. The store closes them (``close()``).
    ///   - isolation: How transactions see each other. Either one keeps every promise; with
    ///     `serializable` relays that write at once repeat more transactions.
    ///   - keys: The keys that seal personal data: the same ones for all relays of the database.
    ///   - policy: The waits between attempts to hand a mail over. The handlers apply its lifetime, because
    ///     they decide the memo's fate: the queue itself never gives a mail up.
    ///   - clock: The clock of the mail queue.
    ///   - listening: The way to the database by which relays tell each other of mails; `nil`: they look once
    ///     a second.
    ///   - leaseTimes: The times of the leases under which mails are handed over.
    ///   - log: Called for every transition of the mail queue.
    /// - Throws: `StorageError`, `KeyStoreError`; `RelayStartError.tables`; `UnreadableRecord` for a database that is sealed with
    ///   another key; `SecretMissing`.
    init(
        _ pool: Pool,
        isolation: Isolation = .readCommitted,
        keys: some KeyStore,
        policy: RetryPolicy = .mail,
        clock: OutboxClock = .system,
        listening: Settings? = nil,
        leaseTimes: LeaseTimes = LeaseTimes(),
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) async throws {
        do {
            _ = try await RelaySchema.migrations.run(in: pool, isolation)
        } catch let error as PostgreSQLError {
            throw error.isOfRights ? RelayStartError.tables : StorageError(error)
        }
        let turns = RelayTurns(pool: pool, isolation: isolation)
        let queue = PostgreSQLMailQueue(
            pool: pool,
            turns: turns,
            clock: clock,
            leaseTimes: leaseTimes
        )
        let queues = RelayQueues(
            over: queue,
            keys: keys,
            policy: policy,
            clock: clock,
            log: log
        )
        self.pool = pool
        self.turns = turns
        reads = SharedReads(pool: pool)
        self.queues = queues
        self.keys = keys
        self.clock = clock
        let wake: @Sendable () -> Void = { [weak memos = queues.memos, weak codes = queues.codes] in
            memos?.wake()
            codes?.wake()
        }
        queue.tellClaims(wake)
        listener = listening.map { settings in
            Listener(
                settings,
                listen: "LISTEN memo_relay",
                tell: "SELECT pg_notify('memo_relay', $1)",
                heard: wake
            )
        }
        // The first use of a sealer asks the storage, and waits for it.
        secret = try await mailQueue.run {
            try translating {
                let secret = try Self.secret(pool: pool, turns: turns, sealer: queues.sealer)
                try turns.forgetEndedWriters()
                return secret
            }
        }
    }

    /// Of several processes that make the secret at once, all end with the same one.
    private static func secret(
        pool: Pool,
        turns: RelayTurns,
        sealer: Sealer
    ) throws -> RelaySecret {
        let (stored, isCopying) = try pool.attemptBlocking { connection in
            let rows = try connection.snapshot([.secret, .anyCopy])
            return (rows[0].first.map(SealedSecrets.init(row:)), rows[1].count > 0)
        }
        if let stored { return try stored.opened(by: sealer) }
        // The secret is the last that a copy brings. Sealing would leave a row where one comes.
        guard !isCopying else { throw RelayStartError.copyUnderWay }
        let new = try SealedSecrets.random(sealedBy: sealer)
        let first = try turns.writeBlocking { turn in
            let rows = try turn.run([
                .secret, Statement("SELECT 1 FROM account LIMIT 1"),
                .anyCopy,
            ])
            if let earlier = rows[0].first { return SealedSecrets(row: earlier) }
            guard rows[2].count == 0 else { throw RelayStartError.copyUnderWay }
            guard rows[1].count == 0 else { throw SecretMissing() }
            try turn.write([.insertion(of: new)])
            return new
        }
        return try first.opened(by: sealer)
    }

    /// Closes all connections, after the work that is under way: each further call throws.
    package func close() async {
        await mailQueue.run { [listener] in listener?.close() }
        await pool.close()
    }

    package func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        let end: (any Error)?
        do {
            try await drainAll(handlers)
            end = nil
        } catch {
            end = error
        }
        // The process may end with this call.
        await mailQueue.run { [queues] in queues.memos.storage.base.finishReturns() }
        if let end { throw end }
    }

    private func drainAll(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in queues.all { group.addTask { try await drain(queue, handlers) } }
            group.addTask { try await wakeAfterOtherProcesses() }
            // If one of them ends, the others end as well.
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Drains this relay's share of a part of the queue, also after the database was away.
    private func drain(
        _ queue: Outbox<MailShares<PostgreSQLMailQueue>>,
        _ handlers: [OperationKind: OperationHandler]
    ) async throws {
        while true {
            do {
                return try await queue.drain(handlers)
            } catch OutboxError.drainedElsewhere {
                // The leases of a drain that has ended are being looked at for the last time.
            } catch let error as StorageError where error != .closed {
                // The database may be back later.
            }
            try await Task.sleep(for: .seconds(2))
        }
    }

    /// Wakes the drains every second: another relay, or an operator, may have queued a mail, and what a
    /// listener is told may be lost.
    private func wakeAfterOtherProcesses() async throws {
        while true {
            try await Task.sleep(for: .seconds(1))
            queues.wake()
        }
    }

    package func seal(_ mail: QueuedMail, as kind: OperationKind) throws -> SealedOperation {
        try queues.seal(mail, as: kind, newIdentifier(at: clock.wallTime()))
    }

    package func newIdentifier(at now: WallTime) -> OperationID { .random(at: now) }

    package func look<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome> {
        try await readFew { try transaction.decision(over: $0) }
    }

    package func survey<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome> {
        try await readTables { try transaction.decision(over: $0) }
    }

    package func run<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> Transaction.Outcome {
        let sealer = queues.sealer
        let decision = try await translating {
            try await turns.write { try $0.run(transaction, sealer) }
        }
        queues.memos.storage.base.heard(decision.writes)
        queues.heard(decision.writes)
        if queueForOthers(decision.writes) { listener?.tell() }
        return decision.outcome
    }

    /// Whether another relay may be the one that hands over a mail that was queued.
    private func queueForOthers(_ writes: [RelayWrite]) -> Bool {
        let queue = queues.memos.storage.base
        return writes.contains { write in
            switch write {
            case .memo(let memo, _):
                queue.leases(of: .memos)?.shards.contains(MailShard.shard(of: memo.account)) != true
            case .queue(let mail) where MailPart.codes.contains(mail.envelope.id):
                queue.leases(of: .codes)?.shards.isEmpty != false
            case .requeue: true
            default: false
            }
        }
    }

    package func opens(_ mail: OperationID) async throws -> Bool {
        try await mailQueue.run { [queues] in try queues.opens(mail) }
    }

    /// The answers of a work that reads a few rows, all as of one moment, perhaps together with others.
    func readFew<Value: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLTables) throws -> Value
    ) async throws -> Value {
        try await translating { [reads, sealer = queues.sealer] in
            let overTables: @Sendable (Questions) throws -> Value = {
                try work(PostgreSQLTables(questions: $0, sealer: sealer))
            }
            let asked = try Questions.noted(of: overTables).asked
            return try await reads.read(asked) { rows in
                try Questions(asked).answer(overTables, with: rows)
            }
        }
    }

    /// The answers of a work that reads, all as of one moment.
    func readTables<Value: Sendable>(
        _ work: @escaping @Sendable (PostgreSQLTables) throws -> Value
    ) async throws -> Value {
        try await translating { [pool, sealer = queues.sealer] in
            try await pool.readTables(sealer, work)
        }
    }
}

extension Pool {
    /// The answers of a work that reads, all as of one moment. It is asked once more where a connection
    /// breaks.
    func readTables<Value: Sendable>(
        _ sealer: Sealer,
        _ work: @escaping @Sendable (PostgreSQLTables) throws -> Value
    ) async throws -> Value {
        let read: @Sendable (Connection) throws -> Value = { connection in
            try PostgreSQLTables.ask(work, sealer: sealer) { try connection.snapshot($0) }
        }
        do {
            return try await attempt(read)
        } catch PostgreSQLError.lost {
            return try await attempt(read)
        }
    }
}

extension Turn {
    /// Reads, decides, and makes the decision's changes.
    func run<Transaction: RelayTransaction>(
        _ transaction: Transaction,
        _ sealer: Sealer
    ) throws -> RelayDecision<Transaction.Outcome> {
        let found = try ask(sealer) { try transaction.find(in: $0) }
        let decision = transaction.decide(found)
        let writes = try PreparedWrites(
            decision.writes,
            envelopes: try envelopes(of: PreparedWrites.mailsToRead(for: decision.writes)),
            sealer: sealer
        )
        try write(decision.writes, writes)
        return decision
    }

    private func envelopes(of mails: [EntryID]) throws -> [EntryID: [UInt8]] {
        guard !mails.isEmpty else { return [:] }
        let rows = try run(mails.map { .envelope(of: $0) })
        var envelopes: [EntryID: [UInt8]] = [:]
        for (mail, rows) in zip(mails, rows) { envelopes[mail] = rows.first?.bytes(0) }
        return envelopes
    }
}

extension SealedSecrets {
    /// A row with both parts.
    init(row: Row) { self.init(lasting: row.bytes(0), replaceable: row.bytes(1)) }
}

extension Statement {
    static var secret: Statement { Statement("SELECT sealed, replaceable FROM relay_secret") }

    fileprivate static var anyCopy: Statement { Statement("SELECT 1 FROM relay_copy") }

    static func insertion(of secrets: SealedSecrets) -> Statement {
        Statement(
            "INSERT INTO relay_secret(id, sealed, replaceable) VALUES (0, $1, $2)",
            [.bytes(secrets.lasting), secrets.replaceable.map { .bytes($0) } ?? .null]
        )
    }
}
