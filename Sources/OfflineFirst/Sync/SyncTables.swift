import Outbox
import OutboxCore
import SQLite
import SyncCore

/// The tables of one set of records, and the statements over them.
///
/// | table | a row |
/// |---|---|
/// | `sync_NAME` | a record: its name, the revision that wrote it, its pending and refused changes, and itself, sealed |
/// | `sync_NAME_log` | a revision: the sealed state beside the records, and the names of the records that it wrote, if they are few |
/// | `sync_NAME_note` | values that gave way, sealed, until a person has been shown them |
/// | `sync_NAME_aside` | the bytes of a record with changes that could not be opened |
///
/// Each transaction that changes records adds one revision, by which other processes find what it changed.
/// The newest revision has the present state; of the others at least ``keptRevisions`` are kept.
struct SyncTables: Sendable {
    /// The number of revisions that are kept. A process that is farther behind looks through all records.
    static let keptRevisions: Int64 = 256
    /// The most names that a revision has.
    static let listedNames = 64

    let sealer: Sealer
    private let label: [UInt8]
    private let schema: String
    private let isThere: String
    private let newest: String
    private let revisions: String
    private let addRevision: String
    private let dropRevision: String
    private let find: String
    private let write: String
    private let remove: String
    private let since: String
    private let names: String
    private let count: String
    private let notes: String
    private let addNote: String
    private let dropNote: String
    private let setAside: String
    private let countAside: String
    private let bodies: String

    init(name: String, sealer: Sealer) {
        let table = "sync_\(name)"
        self.sealer = sealer
        label = Array("sync.\(name)".utf8) + [0]
        isThere = "SELECT 1 FROM sqlite_schema WHERE name = '\(table)_log'"
        newest = "SELECT revision, meta FROM \(table)_log ORDER BY revision DESC LIMIT 1"
        revisions = "SELECT names FROM \(table)_log WHERE revision > ?"
        addRevision = "INSERT INTO \(table)_log(revision, meta, names) VALUES (?, ?, ?)"
        dropRevision = "DELETE FROM \(table)_log WHERE revision <= ?"
        find = "SELECT kind, id, body, pending FROM \(table) WHERE kind = ? AND id = ?"
        write = """
            INSERT INTO \(table)(kind, id, revision, pending, refused, body)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT(kind, id) DO UPDATE SET
                revision = ?3, pending = ?4, refused = ?5, body = ?6
            """
        remove = "DELETE FROM \(table) WHERE kind = ? AND id = ?"
        since = "SELECT kind, id, body, pending FROM \(table) WHERE revision > ?"
        names = "SELECT kind, id FROM \(table)"
        count = "SELECT sum(pending), sum(refused) FROM \(table) WHERE pending > 0"
        notes = "SELECT number, at, body FROM \(table)_note ORDER BY number"
        addNote = """
            INSERT INTO \(table)_note(number, at, body)
            VALUES (?, ?, ?)
            """
        dropNote = "DELETE FROM \(table)_note WHERE number = ?"
        setAside = "INSERT INTO \(table)_aside(kind, id, body) VALUES (?, ?, ?)"
        countAside = "SELECT count(*) FROM \(table)_aside"
        bodies = """
            SELECT body FROM \(table) UNION ALL SELECT meta FROM \(table)_log
            UNION ALL SELECT body FROM \(table)_note
            """
        schema = """
            CREATE TABLE \(table)(
                record INTEGER PRIMARY KEY,
                kind BLOB NOT NULL,
                id BLOB NOT NULL,
                revision INTEGER NOT NULL,
                pending INTEGER NOT NULL,
                refused INTEGER NOT NULL,
                body BLOB NOT NULL,
                UNIQUE(kind, id)
            );
            CREATE INDEX \(table)_pending ON \(table)(pending, refused) WHERE pending > 0;
            CREATE TABLE \(table)_log(
                revision INTEGER PRIMARY KEY,
                meta BLOB NOT NULL,
                names BLOB
            );
            CREATE TABLE \(table)_note(
                number INTEGER PRIMARY KEY,
                at INTEGER NOT NULL,
                body BLOB NOT NULL
            );
            CREATE TABLE \(table)_aside(
                number INTEGER PRIMARY KEY,
                kind BLOB NOT NULL,
                id BLOB NOT NULL,
                body BLOB NOT NULL
            );
            """
    }

    /// Makes the tables if they are missing.
    func prepare(_ connection: Connection) throws {
        try connection.keepMorePages()
        guard try !isPresent(connection) else { return }
        try connection.transaction {
            guard try !isPresent(connection) else { return }
            try connection.execute(schema)
        }
    }

    private func isPresent(_ connection: Connection) throws -> Bool {
        try connection.first(isThere) { _ in true } ?? false
    }

    // MARK: Revisions

    /// The newest revision, with its sealed state; `nil` in a new database.
    func newest(_ connection: Connection) throws -> (revision: Int64, meta: [UInt8])? {
        try connection.first(newest) { ($0.integer(0), $0.blob(1)) }
    }

    /// The names that were written since a revision; `nil` if they are not listed.
    func names(since revision: Int64, to newest: Int64, _ connection: Connection) throws
        -> [RecordKey]?
    {
        let lists = try connection.query(revisions, .integer(revision)) { $0.optionalBlob(0) }
        guard lists.count == newest - revision else { return nil }
        var names: Set<RecordKey> = []
        for list in lists {
            guard let list, let listed = SyncToken.keys(list) else { return nil }
            names.formUnion(listed)
        }
        return Array(names)
    }

    func add(
        revision: Int64,
        _ meta: SyncMeta,
        names: [RecordKey],
        _ connection: Connection
    ) throws {
        try connection.run(
            addRevision,
            .integer(revision),
            .blob(try sealer.seal(meta.encoded(), context: label + [0])),
            names.count > Self.listedNames ? .null : .blob(SyncToken.encoded(names))
        )
        // Not each time, as it changes another page.
        guard revision % 64 == 0 else { return }
        try connection.run(dropRevision, .integer(revision - Self.keptRevisions))
    }

    /// - Throws: ``/Outbox/UnreadableRecord``, `SyncFormatError`, ``/Outbox/KeyStoreError``.
    func open(meta: [UInt8]) throws -> SyncMeta {
        try SyncMeta(decoding: sealer.open(meta, context: label + [0]))
    }

    // MARK: Records

    /// A record as it is stored.
    struct Stored {
        let key: RecordKey
        let body: [UInt8]
        let pending: Int64

        init(_ row: borrowing SQLite.Row) {
            key = RecordKey(kind: row.blob(0), id: row.blob(1))
            body = row.blob(2)
            pending = row.integer(3)
        }
    }

    func find(_ key: RecordKey, _ connection: Connection) throws -> Stored? {
        try connection.first(find, .blob(key.kind), .blob(key.id), row: Stored.init)
    }

    func records(since revision: Int64, _ connection: Connection) throws -> [Stored] {
        try connection.query(since, .integer(revision), row: Stored.init)
    }

    func names(_ connection: Connection) throws -> Set<RecordKey> {
        Set(try connection.query(names) { RecordKey(kind: $0.blob(0), id: $0.blob(1)) })
    }

    /// - Throws: As ``open(meta:)``.
    func open(_ stored: Stored) throws -> SyncRecord {
        try SyncRecord(decoding: sealer.open(stored.body, context: context(stored.key)))
    }

    /// - Returns: The record's changes.
    func write(
        _ record: SyncRecord,
        revision: Int64,
        _ nonces: inout SealingNonces,
        _ connection: Connection
    ) throws -> SyncCounts {
        var counts = SyncCounts()
        for change in record.changes where change.state != .accepted {
            counts.pending += 1
            if change.state == .refused { counts.refused += 1 }
        }
        try connection.run(
            write,
            .blob(record.key.kind),
            .blob(record.key.id),
            .integer(revision),
            .integer(Int64(counts.pending)),
            .integer(Int64(counts.refused)),
            .blob(try sealer.seal(record.encoded(), context: context(record.key), &nonces))
        )
        return counts
    }

    func remove(_ key: RecordKey, _ connection: Connection) throws {
        try connection.run(remove, .blob(key.kind), .blob(key.id))
    }

    /// Takes a record that cannot be opened out of the way, and keeps its bytes if it had changes.
    func setAside(_ stored: Stored, _ connection: Connection) throws {
        if stored.pending > 0 {
            try connection.run(
                setAside,
                .blob(stored.key.kind),
                .blob(stored.key.id),
                .blob(stored.body)
            )
        }
        try remove(stored.key, connection)
    }

    /// The bytes that are authenticated with a record: `sync.NAME`, 0, 1, the kind's length, kind and
    /// identifier.
    private func context(_ key: RecordKey) -> [UInt8] {
        var bytes = label
        bytes.reserveCapacity(label.count + 9 + key.kind.count + key.id.count)
        bytes.append(1)
        withUnsafeBytes(of: UInt64(key.kind.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: key.kind)
        bytes.append(contentsOf: key.id)
        return bytes
    }

    // MARK: Counting

    func counts(_ connection: Connection) throws -> SyncCounts {
        try connection.first(count) {
            SyncCounts(pending: Int($0.integer(0)), refused: Int($0.integer(1)))
        } ?? SyncCounts()
    }

    func countSetAside(_ connection: Connection) throws -> Int {
        try connection.first(countAside) { Int($0.integer(0)) } ?? 0
    }

    func keysInUse(_ connection: Connection) throws -> Set<KeyID> {
        Set(try connection.query(bodies) { Sealer.keyID(of: $0.blob(0)) }.compactMap { $0 })
    }

    // MARK: Notes

    /// The notes that can be opened, in their order.
    func notes(_ connection: Connection) throws -> [OverruledChange] {
        let stored = try connection.query(notes) {
            (number: $0.integer(0), at: $0.integer(1), body: $0.blob(2))
        }
        var changes: [OverruledChange] = []
        for (number, at, body) in stored {
            let bytes: [UInt8]
            do {
                bytes = try sealer.open(body, context: noteContext(number))
            } catch is UnreadableRecord {
                continue
            }
            guard let (key, values) = SyncToken.note(bytes) else { continue }
            let time = WallTime(millisecondsSinceEpoch: at)
            changes.append(OverruledChange(number: number, key: key, values: values, at: time))
        }
        return changes
    }

    func add(_ note: OverruledChange, _ connection: Connection) throws {
        let bytes = SyncToken.encoded(note.key, note.values)
        try connection.run(
            addNote,
            .integer(note.number),
            .integer(note.at.millisecondsSinceEpoch),
            .blob(try sealer.seal(bytes, context: noteContext(note.number)))
        )
    }

    func dropNote(_ number: Int64, _ connection: Connection) throws {
        try connection.run(dropNote, .integer(number))
    }

    private func noteContext(_ number: Int64) -> [UInt8] {
        var bytes = label + [2]
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        return bytes
    }
}

extension Sealer {
    /// Reads the keys, for which the storage may be asked: not inside of its transactions.
    func warmUp() throws {
        _ = try seal([], context: Array("sync".utf8))
    }
}
