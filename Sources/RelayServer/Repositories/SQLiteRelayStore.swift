public import Outbox
public import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite

/// A ``RelayStore`` in one SQLite database, for one relay process.
///
/// A memo and its place in the mail queue are one transaction: the queue is an ``Outbox`` in the
/// same database.
public struct SQLiteRelayStore: RelayStore {
    let storage: SQLiteStorage
    let outbox: Outbox<SQLiteStorage>
    /// Made at first use, and stored sealed.
    let secret: RelaySecret
    /// Keeps blocking work off the threads of Swift's tasks. One connection, so one piece at a
    /// time.
    private let queue = BlockingQueue(label: "relay-store")

    /// The longest mail: every byte of a memo may need six in quoted-printable.
    private static let maximumMail = 6 * RelayLimits.textLength + 64 * 1024

    /// Opens the database in `folder`, making it and its key if need be.
    ///
    /// - Parameters:
    ///   - folder: An existing folder.
    ///   - keys: The keys that seal personal data.
    ///   - policy: The waits between attempts to hand a mail over. The handlers apply its lifetime,
    ///     because they record the memo's fate: the queue itself never gives a mail up.
    ///   - clock: The clock of the mail queue.
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
        // Mail servers may not recognise a repeated mail: a removal waits for the disk.
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

    public func deliver(_ handlers: [OperationKind: OperationHandler]) async throws {
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
    /// The kinds of sealed bytes outside the queue.
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

/// A row with bytes that this relay does not write.
struct CorruptRow: Error {}
