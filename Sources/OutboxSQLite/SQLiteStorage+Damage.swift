public import Outbox
import SQLite

extension SQLiteStorage {
    /// The damage that this storage finds, see ``/Outbox/OutboxStorage/damage(checkingUpTo:)``:
    /// - a write-ahead log from which SQLite dropped transactions. `Connection` has set a copy of
    ///   the log aside beside the database, as `PATH-damaged-1` and so on. The damage is reported
    ///   until somebody deletes the copy;
    /// - a table or an index of the outbox in which SQLite's own check finds an error
    ///   (<https://sqlite.org/pragma.html#pragma_integrity_check>).
    public func damage(checkingUpTo limit: Int) throws -> [StorageDamage] {
        try read { _ in }
        var damage = SetAsideLog.all(of: path).map { StorageDamage.dropped(copy: $0) }
        guard limit > 0 else { return damage }
        let isWhole: Bool
        do {
            isWhole = try read { connection in
                try Schema.isLarger(than: limit, connection) || Schema.isWhole(connection)
            }
        } catch StorageError.corrupt {
            isWhole = false
        }
        if !isWhole { damage.append(.inconsistent) }
        return damage
    }
}

extension Schema {
    private struct LimitPassed: Error {}

    /// Whether the records of all operations together have more than `limit` bytes.
    ///
    /// - Complexity: O(entries), or O(`limit`) where that is less. Of each row only its own page is
    ///   read, up to the record's end.
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

    /// Whether the outbox's table and its indexes agree, and each can be read completely.
    ///
    /// - Complexity: O(entries), and O(pages of the entries).
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
