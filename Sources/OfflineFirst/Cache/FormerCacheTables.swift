import Outbox
import SQLite

/// The two tables of an earlier build's cache, in which an index led from the key to the entry.
///
/// An earlier build that opens the database later finds the totals and misses these tables: each of its
/// calls fails with a storage error and changes nothing.
struct FormerCacheTables: Sendable {
    /// The number of entries that are in memory at once.
    private static let page = 1000

    private let entries: String
    private let drop: String
    private let isThere: String

    init(table: String) {
        entries = """
            SELECT entry, place, key, ticket, written, source, pending, record, used, bytes
            FROM \(table) JOIN \(table)_use USING (entry)
            WHERE entry > ? ORDER BY entry LIMIT \(Self.page)
            """
        drop = "DROP TABLE \(table); DROP TABLE \(table)_use"
        isThere = "SELECT 1 FROM sqlite_schema WHERE name = '\(table)_use'"
    }

    func isPresent(_ connection: Connection) throws -> Bool {
        try connection.first(isThere) { _ in true } ?? false
    }

    /// Moves all entries with their uses into other tables, in the caller's transaction. The totals
    /// stay as they are.
    func move(into tables: CacheTables, _ connection: Connection) throws {
        var last = Int64.min
        while true {
            let page = try connection.query(entries, .integer(last)) { row in
                (
                    entry: row.integer(0),
                    key: CacheKey(place: row.text(1), bytes: row.blob(2)),
                    numbers: (3..<7).map { row.integer($0) },
                    record: row.blob(7),
                    use: (used: row.integer(8), bytes: row.integer(9))
                )
            }
            guard let end = page.last?.entry else { break }
            last = end
            for row in page {
                let entry = try CacheBucket(row.key).place(of: row.key, tables, connection).entry
                try connection.run(
                    tables.write,
                    [.integer(entry), .text(row.key.place), .blob(row.key.bytes)]
                        + row.numbers.map { .integer($0) } + [.blob(row.record)]
                )
                try connection.run(
                    tables.use,
                    .integer(entry),
                    .integer(row.use.used),
                    .integer(row.use.bytes)
                )
            }
        }
        try connection.execute(drop)
    }
}
