import Outbox
import OutboxCore
import SQLite

/// Untouched entries, see ``Schema``.
extension SQLiteStorage {
    /// A condition that holds for the row of the entry with the number ?1.
    static let isEntry = "entry IN (?1, ?1 + \(Schema.firstUntouched))"

    static func number(_ entry: Int64) -> Int64 {
        entry >= Schema.firstUntouched ? entry - Schema.firstUntouched : entry
    }

    /// Touches the entry with this number: the indexes find the entry afterwards, and it may
    /// change. Call this inside a transaction.
    static func touch(_ number: Int64, _ connection: Connection) throws {
        try connection.run(
            """
            UPDATE outbox_operation SET entry = ?1
            WHERE entry = ?1 + \(Schema.firstUntouched)
            """,
            .integer(number)
        )
    }

    /// - Complexity: O(untouched entries). Each entry is touched once.
    static func touchAll(_ connection: Connection) throws {
        try connection.run(
            """
            UPDATE outbox_operation SET entry = entry - \(Schema.firstUntouched)
            WHERE \(Schema.isUntouched)
            """
        )
    }

    /// At most `limit` untouched entries in the order of their numbers, beginning after `last`.
    static func untouched(
        after last: EntryID?,
        limit: Int,
        _ connection: Connection
    ) throws -> [StoredEntry] {
        let last = min(max(last?.rawValue ?? 0, 0), Schema.firstUntouched - 1)
        return try connection.query(
            """
            SELECT \(columns) FROM outbox_operation
            WHERE entry > ? ORDER BY entry LIMIT ?
            """,
            .integer(Schema.firstUntouched + last),
            .integer(Int64(limit)),
            row: entry
        )
    }
}
