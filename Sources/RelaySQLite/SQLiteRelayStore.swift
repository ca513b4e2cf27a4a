import LibC
public import Outbox
public import OutboxCore
import OutboxSQLite
import RelayRules
public import RelayServer
import SQLite

/// A ``RelayStore`` in one SQLite database, for one relay process.
///
/// A memo and its mail in the queue are one transaction: the queue is an ``Outbox`` in the
/// same database.
public struct SQLiteRelayStore: ExaminedStore, TransactedStore {
    let storage: SQLiteStorage
    let queues: RelayQueues<MailQueueStorage>
    private let clock: OutboxClock
    let keys: any KeyStore
    /// Made at first use, and stored sealed.
    public let secret: RelaySecret
    /// All changes of the database but the mail queue's rare ones.
    private let transactions: SharedTransactions
    /// All reads of the database but the mail queue's rare ones.
    private let reads: ReadConnections
    /// Long reads, and looks for changes of other processes.
    private let readQueue = BlockingQueue(label: "relay-reads")
    /// Reads of the key's place.
    let keyQueue = BlockingQueue(label: "relay-keys")
    /// Keeps other relays out of the folder; `nil` for a store that no relay serves from.
    private let claim: FileLock?

    /// Opens the database in `folder`, making it and its key if need be.
    ///
    /// - Parameters:
    ///   - folder: An existing folder.
    ///   - keys: The keys that seal personal data.
    ///   - policy: The waits between attempts to hand a mail over. The handlers apply its lifetime,
    ///     because they decide the memo's fate: the queue itself never gives a mail up. A mail that
    ///     is decided, and older than the lifetime, leaves the queue even if the memo's row refuses
    ///     the fate.
    ///   - clock: The clock of the mail queue.
    ///   - log: Called for every transition of the mail queue.
    ///   - fateLost: Called for a mail that leaves the queue without its memo's fate: the memo
    ///     stays accepted.
    ///   - claim: The lock that keeps other relays out of the folder while the store is in use.
    /// - Throws: `StorageError`, `KeyStoreError`.
    public init(
        folder: String,
        keys: some KeyStore,
        policy: RetryPolicy = .mail,
        clock: OutboxClock = .system,
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in },
        fateLost: @escaping @Sendable (OperationID) -> Void = { _ in },
        claim: FileLock? = nil
    ) throws {
        self.claim = claim
        // Mail servers may not recognise a repeated mail: a removal waits for the disk.
        let storage = try SQLiteStorage(
            path: Self.path(in: folder),
            maximumUnsyncedRemovals: 0
        )
        self.storage = storage
        let transactions = SharedTransactions(storage: storage)
        self.transactions = transactions
        let reads = ReadConnections(
            path: storage.path,
            // One for each of Swift's threads, for each drain, and for those of long memos and of long
            // reads.
            count: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 4
        )
        self.reads = reads
        self.clock = clock
        self.keys = keys
        let mails = MailQueueStorage(
            base: storage,
            transactions: transactions,
            reads: reads,
            lifetime: policy.lifetime,
            clock: clock,
            fateLost: fateLost
        )
        queues = RelayQueues(over: mails, keys: keys, policy: policy, clock: clock, log: log)
        try storage.write { try RelaySchema.prepare($0, at: clock.wallTime()) }
        let secret = try Self.secret(storage: storage, sealer: queues.sealer)
        self.secret = secret
        try AddressFolding(storage: storage, sealer: queues.sealer, secret: secret).run()
    }

    /// The path of the database in a data folder.
    static func path(in folder: String) -> String { folder + "/relay.sqlite" }

    /// The queue of memos' mails.
    var outbox: Outbox<MailShares<MailQueueStorage>> { queues.memos }

    /// The queue of the mails that bring codes, or tell of new devices.
    var codes: Outbox<MailShares<MailQueueStorage>> { queues.codes }

    /// Closes the database: each further call throws.
    func close() {
        storage.close()
        reads.close()
    }

    public func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in queues.all { group.addTask { try await queue.drain(handlers) } }
            group.addTask { await wakeAfterOtherProcesses() }
            // If one of them ends, the others end as well.
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Wakes the drains within a second after another process has changed the database: an operator
    /// may have queued a dead letter again. Until the task is cancelled.
    private func wakeAfterOtherProcesses() async {
        var known: Int64?
        while !Task.isCancelled {
            // A database that cannot be read says so elsewhere; the next look follows. The version is
            // the one of the connection that writes: it leaves out what this relay writes.
            let version = try? await readQueue.run { [storage] in
                try storage.read { try $0.first("PRAGMA data_version") { $0.integer(0) } }
            }
            if let version, version != known {
                queues.wake()
                known = version
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    package func seal(_ mail: QueuedMail, as kind: OperationKind) throws -> SealedOperation {
        try queues.seal(mail, as: kind, newIdentifier(at: clock.wallTime()))
    }

    package func newIdentifier(at now: WallTime) -> OperationID { .random(at: now) }

    package func look<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome> {
        try read { try transaction.decision(over: tables(in: $0)) }
    }

    package func survey<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome> {
        try await readMuch { [storage, sealer = queues.sealer] database in
            let tables = SQLiteTables(database: database, storage: storage, sealer: sealer)
            return try transaction.decision(over: tables)
        }
    }

    package func run<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> Transaction.Outcome {
        let decision = try await transactions.write { database in
            try tables(in: database).run(transaction)
        }
        queues.heard(decision.writes)
        return decision.outcome
    }

    package func opens(_ mail: OperationID) async throws -> Bool {
        try await readQueue.run { [queues] in try queues.opens(mail) }
    }

    /// The tables, for one transaction of a connection.
    func tables(in database: Connection) -> SQLiteTables {
        SQLiteTables(database: database, storage: storage, sealer: outbox.sealer)
    }

    /// See ``ReadConnections/read(_:)``.
    func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try reads.read(body)
    }

    /// Runs `body`, which reads more than a few rows, like ``read(_:)``, away from the threads of
    /// Swift's tasks.
    func readMuch<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await readQueue.run { [reads] in try reads.read(body) }
    }

    /// Of several processes that make the secret at once, all end with the same one.
    private static func secret(storage: SQLiteStorage, sealer: Sealer) throws -> RelaySecret {
        if let stored = try storage.read(SealedSecrets.init(in:)) {
            return try stored.opened(by: sealer)
        }
        let new = try SealedSecrets.random(sealedBy: sealer)
        let stored = try storage.write { database in
            if let earlier = try SealedSecrets(in: database) { return earlier }
            guard try database.first("SELECT 1 FROM account", row: { _ in true }) == nil else {
                throw SecretMissing()
            }
            try new.insert(in: database)
            return new
        }
        return try stored.opened(by: sealer)
    }
}
