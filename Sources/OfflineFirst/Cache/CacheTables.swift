import Outbox
import SQLite

/// The tables of one cache, and the statements over them.
///
/// | table | a row |
/// |---|---|
/// | `cache_NAME_entry` | an entry: its number, name, ticket, time, source, pending changes and sealed record |
/// | `cache_NAME_order` | an entry's last use, a number that only grows, and its bytes |
/// | `cache_NAME_total` | one row: last ticket, last use, floor, number of entries, their bytes |
///
/// An entry's number follows from its key (``CacheBucket``), so that one look-up reads one page of one
/// table, and no index by key is kept.
///
/// The statement that changes an entry stands in one transaction with those that change its use and the
/// totals. An entry with pending changes has the use ``pinned``, behind all others.
struct CacheTables: Sendable {
    /// The use of an entry that is not evicted.
    static let pinned = Int64.max

    let look: String
    let find: String
    let write: String
    let use: String
    let touch: String
    let release: String
    let removeEntry: String
    let removeUse: String
    let coldest: String
    let victim: String
    let locals: String
    let pending: String
    let removable: String
    let records: String
    let totals: String
    let setTotals: String
    let take: String
    private let schema: String
    private let totalSchema: String
    private let isThere: String
    private let former: FormerCacheTables

    init(name: String) {
        let table = "cache_\(name)"
        let entries = "\(table)_entry"
        let order = "\(table)_order"
        let bucket = "entry BETWEEN ?1 AND ?1 + \(CacheBucket.size - 1)"
        look = """
            SELECT entry, ticket, written, source, pending, record FROM \(entries)
            WHERE \(bucket) AND place = ?2 AND key = ?3
            """
        find = """
            SELECT entry, place = ?2 AND key = ?3, ticket, pending, bytes
            FROM \(entries) JOIN \(order) USING (entry) WHERE \(bucket)
            """
        write = """
            INSERT INTO \(entries)(entry, place, key, ticket, written, source, pending, record)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT(entry) DO UPDATE SET
                ticket = ?4, written = ?5, source = ?6, pending = ?7, record = ?8
            """
        use = "INSERT OR REPLACE INTO \(order)(entry, used, bytes) VALUES (?, ?, ?)"
        touch = "UPDATE \(order) SET used = ?2 WHERE entry = ?1 AND used < ?2"
        release = "UPDATE \(entries) SET ticket = ?2, pending = ?3 WHERE entry = ?1"
        removeEntry = "DELETE FROM \(entries) WHERE entry = ?"
        removeUse = "DELETE FROM \(order) WHERE entry = ?"
        coldest = """
            SELECT entry, used FROM \(order)
            WHERE used < \(Self.pinned) ORDER BY used LIMIT ?
            """
        victim = """
            SELECT ticket, bytes FROM \(order) JOIN \(entries) USING (entry)
            WHERE entry = ? AND used = ?
            """
        locals = """
            SELECT key FROM \(entries) WHERE place = ? AND source = \(CacheSource.local.rawValue)
            ORDER BY ticket
            """
        pending = """
            SELECT count(*) FROM \(entries)
            WHERE source = \(CacheSource.local.rawValue) AND pending > 0
            """
        removable = """
            SELECT entry, bytes FROM \(entries) JOIN \(order) USING (entry)
            WHERE pending = 0 AND (?1 IS NULL OR place = ?1)
            """
        records = "SELECT record FROM \(entries)"
        totals = "SELECT ticket, use, floor, entries, bytes FROM \(table)_total"
        setTotals = """
            UPDATE \(table)_total SET ticket = ?, use = ?, floor = ?, entries = ?, bytes = ?
            """
        take = "UPDATE \(table)_total SET ticket = ticket + 1 RETURNING ticket"
        isThere = "SELECT 1 FROM sqlite_schema WHERE name = '\(entries)'"
        former = FormerCacheTables(table: table)
        schema = """
            CREATE TABLE \(entries)(
                entry INTEGER PRIMARY KEY,
                place TEXT NOT NULL,
                key BLOB NOT NULL,
                ticket INTEGER NOT NULL,
                written INTEGER NOT NULL,
                source INTEGER NOT NULL,
                pending INTEGER NOT NULL,
                record BLOB NOT NULL
            );
            CREATE INDEX \(entries)_local ON \(entries)(place, ticket)
            WHERE source = \(CacheSource.local.rawValue);
            CREATE TABLE \(order)(
                entry INTEGER PRIMARY KEY,
                used INTEGER NOT NULL,
                bytes INTEGER NOT NULL
            );
            """
        totalSchema = """
            CREATE TABLE \(table)_total(
                ticket INTEGER NOT NULL,
                use INTEGER NOT NULL,
                floor INTEGER NOT NULL,
                entries INTEGER NOT NULL,
                bytes INTEGER NOT NULL
            );
            INSERT INTO \(table)_total VALUES (0, 0, 0, 0, 0);
            """
    }

    /// Makes the tables if they are missing, from those of an earlier build if there are some.
    func prepare(_ connection: Connection) throws {
        try connection.keepMorePages()
        guard try !isPresent(connection) else { return }
        try connection.transaction {
            guard try !isPresent(connection) else { return }
            try connection.execute(schema)
            if try former.isPresent(connection) {
                try former.move(into: self, connection)
            } else {
                try connection.execute(totalSchema)
            }
        }
    }

    private func isPresent(_ connection: Connection) throws -> Bool {
        try connection.first(isThere) { _ in true } ?? false
    }
}

/// The row of totals, read once and written once in a transaction.
struct CacheTotals: Equatable {
    var ticket: Int64
    var use: Int64
    var floor: Int64
    var entries: Int64
    var bytes: Int64

    init(_ connection: Connection, _ tables: CacheTables) throws {
        let row = try connection.first(tables.totals) { row in
            (0..<5).map { row.integer($0) }
        }
        guard let row else { throw StorageError.corrupt }
        (ticket, use, floor, entries, bytes) = (row[0], row[1], row[2], row[3], row[4])
    }

    func write(_ connection: Connection, _ tables: CacheTables) throws {
        try connection.run(
            tables.setTotals,
            .integer(ticket),
            .integer(use),
            .integer(floor),
            .integer(entries),
            .integer(bytes)
        )
    }

    /// Takes the next ticket.
    mutating func nextTicket() -> Int64 {
        ticket += 1
        return ticket
    }

    /// Takes the number of the next use.
    mutating func nextUse() -> Int64 {
        use += 1
        return use
    }
}
