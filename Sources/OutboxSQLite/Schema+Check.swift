internal import SQLite

extension Schema {
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
            "SELECT 1 FROM outbox_operation WHERE entry IS NULL", row: { _ in true })
        return nameless == nil
    }
}
