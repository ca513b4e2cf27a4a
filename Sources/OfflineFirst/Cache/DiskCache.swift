public import Outbox
public import OutboxCore
public import OutboxSQLite
import SQLite
import Synchronization

/// A cache on the disk: bounded, sealed, and shared by all processes that open it.
///
/// ```swift
/// let cache = try DiskCache(in: storage, sealer: outbox.sealer)         // beside the outbox
/// let images = try DiskCache(path: "images.sqlite", keys: keys)         // in a file of its own
/// ```
///
/// ## Guarantees
/// - Values are sealed with AES-256-GCM (``/Outbox/Sealer``), bound to the cache's name, their place,
///   key, time and source. Sizes, places, keys and times are not sealed.
/// - An entry that was tampered with, or whose key is gone, is a miss that ``CacheCounts/unreadable``
///   counts. The next answer overwrites it. Bytes of the disk can be put back as they were earlier: the
///   cache then answers an earlier value, with the age that it has.
/// - Each call is one transaction. ``apply(_:at:)``, ``settle(_:)`` and ``discard(_:)`` are on the disk
///   when they return. Answers do not wait for the disk: a power cut takes back a number of the latest,
///   in their order. Killing a process takes nothing back.
/// - A read writes nothing, except that each 16,384th use of another entry stores the order of uses: a
///   process that is killed forgets the order of its latest uses, and no value.
///
/// Any thread may use a cache. A lock serialises its use, with that of the storage which it is in.
public final class DiskCache: ValueCache {
    public let limits: CacheLimits
    /// The storage that holds the cache's tables.
    public let storage: SQLiteStorage
    /// The sealer of the values.
    public let sealer: Sealer

    let tables: CacheTables
    let uses = Mutex(CacheUses())
    let victims = Mutex(CacheVictims())
    /// The start of each entry's context, see ``context(_:writtenAt:source:)``.
    private let label: [UInt8]
    private let ownsStorage: Bool
    private let isClosed = Atomic(false)
    private let hits = Atomic(0)
    private let misses = Atomic(0)
    private let unreadable = Atomic(0)
    let evicted = Atomic(0)

    /// Opens a cache in a database that also holds other tables. Makes the cache's tables if they are
    /// missing.
    ///
    /// - Parameters:
    ///   - storage: The storage of the database. Closing the cache does not close it.
    ///   - sealer: The sealer of the values: ``/Outbox/Outbox/sealer``, or one over this storage. When
    ///     keys are retired, the function `neededElsewhere` returns ``keysInUse()``; entries under a key
    ///     that is gone become misses.
    ///   - name: The name of the cache in the database, 1 to 32 of `a` to `z`, `0` to `9`. Its tables
    ///     begin with `cache_NAME`.
    ///   - limits: The bounds. Processes that share a cache use the same ones.
    /// - Throws: ``CacheError``.
    public convenience init(
        in storage: SQLiteStorage,
        sealer: Sealer,
        named name: String = "values",
        limits: CacheLimits = CacheLimits()
    ) throws(CacheError) {
        try self.init(storage, sealer, name, limits, ownsStorage: false)
    }

    /// Opens a cache in a file of its own, which is made if it is missing.
    ///
    /// - Parameters:
    ///   - path: The path of the file, in a folder that exists. SQLite makes `PATH-wal` and `PATH-shm`
    ///     beside it.
    ///   - keys: The store of the keys that seal values. It may be that of an outbox.
    ///   - limits: The bounds. Processes that share a cache use the same ones.
    /// - Throws: ``CacheError``.
    public convenience init(
        path: String,
        keys: some KeyStore,
        limits: CacheLimits = CacheLimits()
    ) throws(CacheError) {
        let storage = try CacheError.translating { try SQLiteStorage(path: path) }
        let sealer = Sealer(store: keys, storage: storage)
        try self.init(storage, sealer, "values", limits, ownsStorage: true)
    }

    private init(
        _ storage: SQLiteStorage,
        _ sealer: Sealer,
        _ name: String,
        _ limits: CacheLimits,
        ownsStorage: Bool
    ) throws(CacheError) {
        precondition(
            (1...32).contains(name.utf8.count)
                && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) },
            "a cache's name has 1 to 32 of a to z, 0 to 9"
        )
        let tables = CacheTables(name: name)
        self.storage = storage
        self.sealer = sealer
        self.limits = limits
        self.tables = tables
        self.ownsStorage = ownsStorage
        label = Array("cache.\(name)".utf8) + [0]
        try CacheError.translating { try storage.read { try tables.prepare($0) } }
    }

    public func entry(for key: CacheKey) throws(CacheError) -> CacheEntry? {
        guard key.isValid else { throw .invalidKey }
        let row = try reading { connection in
            try connection.first(
                tables.look,
                .integer(CacheBucket(key).first),
                .text(key.place),
                .blob(key.bytes),
                row: StoredRow.init
            )
        }
        guard let row, let (bytes, source) = try opened(row, key) else {
            misses.add(1, ordering: .relaxed)
            return nil
        }
        hits.add(1, ordering: .relaxed)
        noteUse(of: row.entry)
        return CacheEntry(
            bytes: bytes.first == Content.value ? Array(bytes.dropFirst()) : nil,
            writtenAt: WallTime(millisecondsSinceEpoch: row.writtenAt),
            source: source,
            ticket: CacheTicket(rawValue: row.ticket),
            pendingChanges: row.pending
        )
    }

    public func nextTicket() throws(CacheError) -> CacheTicket {
        try writing(isDurable: false) { connection in
            guard let ticket = try connection.first(tables.take, row: { $0.integer(0) }) else {
                throw StorageError.corrupt
            }
            return CacheTicket(rawValue: ticket)
        }
    }

    public func localKeys(in place: String) throws(CacheError) -> [CacheKey] {
        try reading { connection in
            try connection.query(tables.locals, .text(place)) { row in
                CacheKey(place: place, bytes: row.blob(0))
            }
        }
    }

    public func counts() throws(CacheError) -> CacheCounts {
        let (totals, pending) = try reading { connection in
            (
                try CacheTotals(connection, tables),
                try connection.first(tables.pending) { Int($0.integer(0)) } ?? 0
            )
        }
        var counts = CacheCounts()
        counts.entries = Int(totals.entries)
        counts.bytes = Int(totals.bytes)
        counts.pending = pending
        counts.hits = hits.load(ordering: .relaxed)
        counts.misses = misses.load(ordering: .relaxed)
        counts.unreadable = unreadable.load(ordering: .relaxed)
        counts.evicted = evicted.load(ordering: .relaxed)
        return counts
    }

    /// The keys under which entries are sealed, for ``/Outbox/Outbox/retireKeys(neededElsewhere:)``.
    ///
    /// - Throws: ``CacheError``.
    /// - Complexity: O(bytes stored).
    public func keysInUse() throws(CacheError) -> Set<KeyID> {
        try reading { connection in
            let records = try connection.query(tables.records) { Sealer.keyID(of: $0.blob(0)) }
            return Set(records.compactMap { $0 })
        }
    }

    public func close() {
        guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        if ownsStorage {
            storage.close()
        } else {
            // A running call has the storage.
            _ = try? storage.read { _ in }
        }
    }

    // MARK: Using the storage

    func reading<Result>(_ body: (Connection) throws -> Result) throws(CacheError) -> Result {
        try CacheError.translating {
            try storage.read { connection in
                try checkOpen()
                return try body(connection)
            }
        }
    }

    func writing<Result>(
        isDurable: Bool,
        _ body: (Connection) throws -> Result
    ) throws(CacheError) -> Result {
        try CacheError.translating {
            try storage.write(isDurable: isDurable) { connection in
                try checkOpen()
                return try body(connection)
            }
        }
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .sequentiallyConsistent) { throw StorageError.closed }
    }

    // MARK: Sealing

    /// The first byte of a sealed content.
    enum Content {
        static let absent: UInt8 = 0
        static let value: UInt8 = 1
    }

    private struct StoredRow {
        let entry: Int64
        let ticket: Int64
        let writtenAt: Int64
        /// `nil` for a source that this build does not know, or a damaged one.
        let source: CacheSource?
        let pending: Int
        let record: [UInt8]

        init(_ row: borrowing Row) {
            entry = row.integer(0)
            ticket = row.integer(1)
            writtenAt = row.integer(2)
            source = UInt8(exactly: row.integer(3)).flatMap(CacheSource.init)
            pending = Int(row.integer(4))
            record = row.blob(5)
        }
    }

    /// - Returns: The content and source of a row; `nil` for a row that no waiting will make readable,
    ///   which is counted.
    private func opened(
        _ row: StoredRow,
        _ key: CacheKey
    ) throws(CacheError) -> (content: [UInt8], source: CacheSource)? {
        let writtenAt = WallTime(millisecondsSinceEpoch: row.writtenAt)
        return try CacheError.translating {
            do {
                guard let source = row.source else { throw UnreadableRecord(reason: .record) }
                let context = context(key, writtenAt: writtenAt, source: source)
                return (try sealer.open(row.record, context: context), source)
            } catch is UnreadableRecord {
                unreadable.add(1, ordering: .relaxed)
                return nil
            }
        }
    }

    func sealed(
        _ key: CacheKey,
        _ bytes: [UInt8]?,
        writtenAt: WallTime,
        source: CacheSource
    ) throws(CacheError) -> [UInt8] {
        guard key.isValid else { throw .invalidKey }
        let content = bytes.map { [Content.value] + $0 } ?? [Content.absent]
        let context = context(key, writtenAt: writtenAt, source: source)
        return try CacheError.translating { try sealer.seal(content, context: context) }
    }

    /// The bytes that are authenticated with an entry: `cache.NAME`, 0, time, source, the place's
    /// length, place and key.
    private func context(
        _ key: CacheKey,
        writtenAt: WallTime,
        source: CacheSource
    ) -> [UInt8] {
        var bytes = label
        bytes.reserveCapacity(label.count + 10 + key.place.utf8.count + key.bytes.count)
        withUnsafeBytes(of: writtenAt.millisecondsSinceEpoch.bigEndian) {
            bytes.append(contentsOf: $0)
        }
        bytes.append(source.rawValue)
        bytes.append(UInt8(truncatingIfNeeded: key.place.utf8.count))
        bytes.append(contentsOf: key.place.utf8)
        bytes.append(contentsOf: key.bytes)
        return bytes
    }
}
