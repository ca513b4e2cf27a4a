public import Outbox
public import OutboxCore
public import OutboxSQLite
public import SQLite
import StoreCore
public import SyncCore
import Synchronization

/// A device's copy of a server's records, with the changes that a person makes while the server is away:
/// `SyncMachine` over a database that also holds the outbox.
///
/// ```swift
/// let outbox = Outbox(storage: try SQLiteStorage(path: path), keys: keys)
/// let records = try SyncedRecords(in: outbox, rules: GroceryRules())
///
/// let list = try records.create("list", [Field("title", "Saturday")])   // shown, and on the disk
/// try records.create("item", [Field("name", "milk"), Field("list", to: list)])
/// for item in records.snapshot.records(of: "item") { print(item.text("name")!, item.word) }
/// ```
///
/// A ``SyncManager`` sends the changes and pulls the others'.
///
/// ## Guarantees
/// - **One transaction.** The server's row, the pending change over it, and the outbox operation that sends
///   it are stored together, on the disk when the call returns. After a crash or a power cut at any moment
///   all of them are there or none.
/// - **Shown at once, and until the echo.** A change is in ``snapshot`` when the call returns. It stays
///   until a row of the version arrives as which the server applied it, whatever is pulled meanwhile.
/// - **Temporary identifiers.** A record that is created has a temporary identifier, 128 random bits. When
///   the server has given its own, one transaction replaces it in the record, in all changes that refer to
///   it, in what is listed, and, by ``init(in:rules:named:limits:clock:following:)``, in tables of the app.
///   The temporary one leads to the record afterwards.
/// - **Nothing is rolled back silently.** A refused change stays shown, and is listed in
///   ``SyncSnapshot/refused`` with its reason until a person tries again, edits or discards it. Values that
///   gave way to another device's are in ``SyncSnapshot/overruled``. Both are stored.
/// - **Any process may write.** Each call first takes over what other processes have stored, under the
///   database's write lock. One process at a time sends.
/// - Records are sealed with AES-256-GCM (``/Outbox/Sealer``), each bound to its kind and identifier, which
///   are not sealed themselves. One that was tampered with is set aside and pulled again; see
///   ``countSetAside()``. Bytes of the disk can be put back as they were earlier.
///
/// Any thread may use it. A call that changes something waits for the disk, so a view calls it from a task
/// of its own. All records are in memory.
public final class SyncedRecords<Rules: SyncRules & Sendable>: Sendable {
    typealias Machine = SyncMachine<Rules, KindIndex>

    /// The state under the lock.
    struct Guarded: Sendable {
        /// `nil` when a transaction failed: the next one begins with what is stored.
        var machine: Machine?
        /// The revision of the storage that the machine has.
        var revision: Int64 = 0
        var overruled: [OverruledChange] = []
        /// The changes whose requests this process has under way.
        var inFlight: Set<ChangeID> = []
        /// The pull that the machine asks for, and nobody has taken yet.
        var pull: PullRequest?
        /// The number of changes that may be added before they are counted again.
        var room = 0
        /// Whether the machine has more than ``snapshot`` shows.
        var isUnshown = true
        /// What a person sees.
        var snapshot: SyncSnapshot
    }

    /// The outbox whose operations send the changes.
    public let outbox: Outbox<SQLiteStorage>
    /// The kind of those operations: `sync.NAME`.
    public let operationKind: OperationKind

    let storage: SQLiteStorage
    let tables: SyncTables
    let rules: Rules
    let limits: SyncLimits
    /// The most changes that may wait. Counted in the storage, and not by the machine with each edit.
    let maximumPending: Int
    let clock: OutboxClock
    let following: @Sendable (SyncOccurrence, Connection) throws -> Void
    /// The source of the identifiers' random bits; `nil` for the system's.
    let random: (@Sendable () -> UInt64)?
    let guarded: Mutex<Guarded>
    let observers = LatestValue<SyncSnapshot>()
    /// Called after each transaction, and each time that a pull is asked for.
    let stored = LatestValue<Void>()

    /// Opens the records of a database, and makes their tables if they are missing.
    ///
    /// - Parameters:
    ///   - outbox: The outbox. The records are in its storage and sealed by its sealer. When keys are
    ///     retired, the function `neededElsewhere` returns ``keysInUse()``, too.
    ///   - rules: The app's rules. They decide from their arguments alone.
    ///   - name: The name of the records in the database, 1 to 32 of `a` to `z`, `0` to `9`. Their tables
    ///     begin with `sync_NAME`.
    ///   - limits: The limits of what a person and the network can make grow. `underWay` is not used: the
    ///     outbox has its own.
    ///   - clock: The source of time.
    ///   - following: A function that lets tables of the app follow, in the transaction of each occurrence.
    ///     It uses the connection alone: a call of this object, or of the outbox, would wait for itself. If
    ///     it throws, the transaction is undone, and what the server has answered is asked for again later.
    /// - Throws: ``SyncError``; ``SyncError/newerFormat`` if a newer build has written the records.
    /// - Complexity: O(*n* log *n*) for *n* records.
    public convenience init(
        in outbox: Outbox<SQLiteStorage>,
        rules: Rules,
        named name: String = "records",
        limits: SyncLimits = SyncLimits(),
        clock: OutboxClock = .system,
        following: @escaping @Sendable (SyncOccurrence, Connection) throws -> Void = { _, _ in }
    ) throws(SyncError) {
        try self.init(
            in: outbox,
            rules: rules,
            named: name,
            limits: limits,
            clock: clock,
            following: following,
            random: nil
        )
    }

    /// - Parameter random: The source of the identifiers' random bits, for a run that is to be repeated;
    ///   `nil` for the system's.
    package init(
        in outbox: Outbox<SQLiteStorage>,
        rules: Rules,
        named name: String = "records",
        limits: SyncLimits = SyncLimits(),
        clock: OutboxClock = .system,
        following: @escaping @Sendable (SyncOccurrence, Connection) throws -> Void = { _, _ in },
        random: (@Sendable () -> UInt64)?
    ) throws(SyncError) {
        precondition(
            (1...32).contains(name.utf8.count)
                && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) },
            "the name of records has 1 to 32 of a to z, 0 to 9"
        )
        self.outbox = outbox
        storage = outbox.storage
        operationKind = OperationKind(utf8: Array("sync.\(name)".utf8))
        tables = SyncTables(name: name, sealer: outbox.sealer)
        self.rules = rules
        var limits = limits
        limits.underWay = 0
        maximumPending = limits.pending
        limits.pending = .max
        self.limits = limits
        self.clock = clock
        self.following = following
        self.random = random
        guarded = Mutex(
            Guarded(
                snapshot: SyncSnapshot(
                    table: SyncSnapshot.Table(),
                    refused: [],
                    overruled: [],
                    lastPulled: nil
                )
            )
        )
        try SyncError.translating {
            // The sealer reads its keys by the storage, which no transaction can wait for.
            try tables.sealer.warmUp()
            try storage.read { try tables.prepare($0) }
        }
        try takeOver()
    }

    // MARK: Looking

    /// Everything that a person sees now, as far as this process has heard: another process's changes are
    /// in it after the next call that changes something, while a ``SyncManager`` runs, and after
    /// ``takeOver()``.
    ///
    /// - Complexity: O(1).
    public var snapshot: SyncSnapshot { guarded.withLock { $0.snapshot } }

    /// The snapshots: the present one first, then each later one. A slow consumer misses snapshots in
    /// between and gets the newest. The sequence ends with this object.
    public func snapshots() -> AsyncStream<SyncSnapshot> {
        observers.stream(beginningWith: { self.snapshot })
    }

    /// The present name of a record that may be known by its temporary identifier: the same name as long
    /// as the server has given none.
    ///
    /// - Complexity: O(1).
    public func name(of key: RecordKey) -> RecordKey {
        guarded.withLock { $0.machine?.name(key) ?? key }
    }

    /// Takes over what other processes have stored.
    ///
    /// - Throws: ``SyncError``.
    /// - Complexity: O(1) if nothing was stored; that of ``init(in:rules:named:limits:clock:following:)`` if
    ///   much was.
    public func takeOver() throws(SyncError) {
        try transact { (_: inout SyncTransaction<Rules>) in }
    }

    /// Makes something of the records as all processes have stored them, and keeps it outside their tables.
    ///
    /// What is kept last is of the newest records: `keep` is called while nobody can change the records, and
    /// only if nobody has changed them since `make` was called. Otherwise `make` is called again.
    ///
    /// - Parameters:
    ///   - make: Reads ``snapshot``, ``counts()`` and what else belongs to them.
    ///   - keep: Stores what `make` has returned, in a transaction of the database. A call of this object, or of
    ///     the outbox, would wait for itself.
    /// - Throws: ``SyncError``, and what the functions throw.
    /// - Complexity: O(changes of others meanwhile) calls of `make`.
    package func keepLatest<Made>(
        _ make: () throws -> Made,
        keep: (Made, Connection) throws -> Void
    ) throws {
        var isKept = false
        while !isKept {
            try takeOver()
            let revision = guarded.withLock { $0.revision }
            let made = try make()
            isKept = try storage.write { connection in
                guard try tables.newest(connection)?.revision == revision else { return false }
                try keep(made, connection)
                return true
            }
        }
    }

    /// Counts the changes in the storage.
    ///
    /// - Throws: ``SyncError``.
    /// - Complexity: O(records with changes).
    public func counts() throws(SyncError) -> SyncCounts {
        try SyncError.translating { try storage.read { try tables.counts($0) } }
    }

    /// The number of stored records that could not be opened, of those that had changes: their bytes are
    /// kept in the table `sync_NAME_aside`, and the record was pulled again. It only grows.
    ///
    /// - Throws: ``SyncError``.
    public func countSetAside() throws(SyncError) -> Int {
        try SyncError.translating { try storage.read { try tables.countSetAside($0) } }
    }

    /// The keys under which records are sealed, for ``/Outbox/Outbox/retireKeys(neededElsewhere:)``.
    ///
    /// - Throws: ``SyncError``.
    /// - Complexity: O(bytes stored).
    public func keysInUse() throws(SyncError) -> Set<KeyID> {
        try SyncError.translating { try storage.read { try tables.keysInUse($0) } }
    }
}

extension SyncedRecords {
    /// Everything that a device holds of its records, for a checker.
    package struct Held {
        /// The records, with their changes.
        package let records: [SyncRecord]
        /// The number of the last transaction that changed something.
        package let revision: Int64
        /// The number of the last change that was made here.
        package let lastNumber: UInt64
    }

    /// The records as the last transaction has left them; `nil` if it failed.
    package var held: Held? {
        guarded.withLock { guarded in
            guarded.machine.map { machine in
                Held(
                    records: machine.stored,
                    revision: guarded.revision,
                    lastNumber: machine.meta.clock.number
                )
            }
        }
    }
}
