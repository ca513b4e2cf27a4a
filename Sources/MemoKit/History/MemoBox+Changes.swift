package import MemoCore
import Outbox
package import OutboxCore
import OutboxSQLite
import SQLite

/// The relay's news of sent memos. The statuses and the cursor behind them are stored in one
/// transaction, so that no change is missed.
extension MemoBox {
    /// Whether the relay may have news of a memo, by `HistoryStatus.newsPeriod`.
    ///
    /// - Parameters:
    ///   - statuses: The memos' present statuses.
    ///   - now: The present; `nil` for the clock's.
    /// - Complexity: O(log n) in the length of the history.
    package func awaitsNews(
        of statuses: [HistoryStatus] = [.sent, .delivered],
        now: WallTime? = nil
    ) throws(MemoError) -> Bool {
        let now = now ?? OutboxClock.system.wallTime()
        return try translatingErrors {
            try storage.read { connection in
                try statuses.contains { status in
                    guard let period = status.newsPeriod else { return false }
                    // A parameter in place of the name would hide from SQLite that the index serves.
                    let name = String(decoding: status.name, as: UTF8.self)
                    return try connection.first(
                        """
                        SELECT 1 FROM memo_history WHERE status = '\(name)' AND created_at > ? LIMIT 1
                        """,
                        .integer(now.millisecondsSinceEpoch - period.count),
                        row: { _ in true }
                    ) ?? false
                }
            }
        }
    }

    /// The cursor of the last changes that were stored; `nil` before the first ones.
    package func changesCursor() throws(MemoError) -> String? {
        try translatingErrors { try storage.read { try Self.changesCursor(in: $0) } }
    }

    /// Stores one page of changes with its cursor. A memo that is not in the history is not an
    /// error: it was sent from another device.
    ///
    /// - Parameters:
    ///   - changes: The changes, the earliest first.
    ///   - cursor: The cursor behind these changes; `nil` to begin anew with the next page.
    ///   - expected: The cursor that asked for the page.
    /// - Returns: `false` when another process has stored another page meanwhile. Nothing was
    ///   stored then.
    package func store(
        _ changes: [MemoChange],
        cursor: String?,
        after expected: String?
    ) throws(MemoError) -> Bool {
        try translatingErrors {
            try storage.write { connection in
                guard try Self.changesCursor(in: connection) == expected else { return false }
                for change in changes {
                    try Self.change(change.id, in: connection) { $0.following(told: change.status) }
                }
                try connection.run(
                    "INSERT OR REPLACE INTO memo_changes (number, cursor) VALUES (1, ?)",
                    cursor.map { .text($0) } ?? .null
                )
                return true
            }
        }
    }

    private static func changesCursor(in connection: Connection) throws -> String? {
        try connection.first(
            "SELECT cursor FROM memo_changes WHERE number = 1",
            row: { $0.optionalText(0) }
        ) ?? nil
    }
}
