package import MemoCore
import Outbox
package import OutboxCore
import OutboxSQLite
import SQLite

/// A memo's status as the relay tells it.
package struct MemoChange: Hashable, Sendable {
    package let id: OperationID
    package let status: HistoryStatus

    package init(id: OperationID, status: HistoryStatus) {
        self.id = id
        self.status = status
    }
}

/// The relay's news of sent memos. The statuses and the cursor behind them are stored in one
/// transaction, so that no change is missed.
extension MemoBox {
    /// The time for which news of a sent memo is worth a request: a mail server's answer takes five
    /// days at most, and a memo of another relay never gets one.
    private static let openFor = Milliseconds.seconds(30 * 86_400)

    /// Whether a memo was sent whose end this device does not know.
    ///
    /// - Parameter now: The present; `nil` for the clock's.
    /// - Complexity: O(log n) in the length of the history.
    package func awaitsNews(now: WallTime? = nil) throws(MemoError) -> Bool {
        let now = now ?? OutboxClock.system.wallTime()
        return try translatingErrors {
            try storage.read { connection in
                try connection.first(
                    """
                    SELECT 1 FROM memo_history WHERE status = 'sent' AND created_at > ? LIMIT 1
                    """,
                    .integer(now.millisecondsSinceEpoch - Self.openFor.count),
                    row: { _ in true }
                ) ?? false
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
                    try Self.setStatus(change.status, of: change.id, in: connection)
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
