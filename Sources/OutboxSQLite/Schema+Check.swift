import SQLite

extension Schema {
    private struct LimitPassed: Error {}

    /// Whether the records of all operations are more than `limit` bytes.
    ///
    /// - Complexity: O(entries), or O(`limit`) where that is less; reads only what is before each
    ///   record's end on its row's own page.
    static func isLarger(than limit: Int, _ connection: Connection) throws -> Bool {
        var rest = limit
        do {
            _ = try connection.query("SELECT length(record) FROM outbox_operation") { row in
                rest -= Int(row.integer(0))
                guard rest >= 0 else { throw LimitPassed() }
            }
            return false
        } catch is LimitPassed {
            return true
        }
    }

    /// Whether the outbox's table and its indexes say the same, and each can be read as a whole.
    ///
    /// - Complexity: O(entries), of their pages as well.
    static func isWhole(_ connection: Connection) throws -> Bool {
        let finding = try connection.first("PRAGMA integrity_check(outbox_operation)") {
            $0.text(0)
        }
        guard finding == "ok" else { return false }
        // Only a damaged definition leaves an entry without its number.
        let nameless = try connection.first(
            "SELECT 1 FROM outbox_operation WHERE entry IS NULL",
            row: { _ in true }
        )
        return nameless == nil
    }
}
