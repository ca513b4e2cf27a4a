public import Outbox
import SQLite

extension SQLiteStorage {
    /// What is damaged, see ``/Outbox/OutboxStorage/damage(checkingUpTo:)``:
    /// - a write-ahead log of which something was dropped, of which `Connection` has set a copy
    ///   aside, beside the database, as `PATH-damaged-1` and so on. It is reported until somebody
    ///   deletes the copy;
    /// - a table or an index of the outbox that SQLite's own check finds fault with
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
