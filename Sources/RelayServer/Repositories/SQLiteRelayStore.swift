public import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite

/// A relay's memory in one SQLite database, for one relay process.
///
/// A memo and its place in the mail queue are one transaction: the queue is an ``Outbox`` in the
/// same database.
public struct SQLiteRelayStore: RelayStore {
    let storage: SQLiteStorage
    let outbox: Outbox<SQLiteStorage>
    /// Made at first use, and sealed.
    let secret: RelaySecret
    /// Keeps blocking work off the threads of Swift's tasks; one connection, so one at a time.
    private let queue = BlockingQueue(label: "relay-store")

    /// The longest mail: every byte of a memo may need six in quoted-printable.
    private static let maximumMail = 6 * RelayLimits.textLength + 64 * 1024

    /// Opens the database in `folder`, making it and its key if need be.
    ///
    /// - Parameters:
    ///   - keys: Seal whatever the database holds about people.
    ///   - policy: When a mail is tried again. Its lifetime is left to the handlers, which have
    ///     the memo's fate to record: the queue gives nothing up by itself.
    ///   - log: Called for every transition of the mail queue.
    /// - Throws: `StorageError`, `KeyStoreError`.
    public init(
        folder: String,
        keys: some KeyStore,
        policy: RetryPolicy = .mail,
        clock: OutboxClock = .system,
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) throws {
        var policy = policy
        policy.lifetime = nil
        // Its mails go to servers that may not recognise a repeated one: a removal waits for the disk.
        let storage = try SQLiteStorage(
            path: folder + "/relay.sqlite",
            maximumUnsyncedRemovals: 0
        )
        self.storage = storage
        let outbox = Outbox(
            storage: storage,
            keys: keys,
            policy: policy,
            maximumPayload: Self.maximumMail,
            clock: clock,
            log: log
        )
        self.outbox = outbox
        try storage.write { try RelaySchema.prepare($0) }
        secret = try Self.secret(storage: storage, sealer: outbox.sealer)
    }

    /// Delivers queued mails until the task is cancelled.
    func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
        try await outbox.drain(handlers)
    }

    /// One durable transaction, off the threads of Swift's tasks.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await queue.run { try storage.write(body) }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await queue.run { try storage.read(body) }
    }

    private static func secret(storage: SQLiteStorage, sealer: Sealer) throws -> RelaySecret {
        let id = OperationID(high: 0, low: 0)
        let time = WallTime(millisecondsSinceEpoch: 0)
        if let sealed = try storage.read({ database in
            try database.first("SELECT sealed FROM relay_secret") { $0.blob(0) }
        }) {
            return RelaySecret(
                bytes: try sealer.open(sealed, id: id, kind: .secret, createdAt: time)
            )
        }
        let bytes = [UInt8].random(count: 32)
        let sealed = try sealer.seal(bytes, id: id, kind: .secret, createdAt: time)
        _ = try storage.write { database in
            try database.run("INSERT INTO relay_secret(id, sealed) VALUES(0, ?)", .blob(sealed))
        }
        return RelaySecret(bytes: bytes)
    }
}

extension OperationKind {
    /// What sealed bytes outside the queue are.
    static let secret: OperationKind = "relay.secret"
    static let address: OperationKind = "relay.address"
    static let deviceName: OperationKind = "relay.device-name"
}

extension OperationID {
    /// An identifier from a column that holds 16 bytes.
    init(column bytes: [UInt8]) throws(CorruptRow) {
        guard let id = OperationID(bytes: bytes) else { throw CorruptRow() }
        self = id
    }
}

/// A row holds what this relay would not have written.
struct CorruptRow: Error {}
