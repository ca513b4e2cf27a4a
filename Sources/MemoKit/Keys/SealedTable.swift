import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

/// A table of this product whose rows are ``SealedBytes``, as ``Schema`` makes it.
struct SealedTable {
    /// All sealed tables. A table that is missing here would be lost with the next key.
    static let all = [
        SealedTable(name: "memo_history", kind: .history),
        SealedTable(name: "memo_draft", kind: .draft),
        SealedTable(name: "memo_account", kind: .account),
        SealedTable(name: "memo_settings", kind: .settings),
        SealedTable(name: "memo_verification", kind: .account),
        SealedTable(name: "memo_shared_view", kind: .sharedView),
    ]

    private static let batch = 100

    let name: String
    let kind: OperationKind

    /// Seals every row again that is not sealed under the current key. A row that cannot be read
    /// stays unchanged.
    ///
    /// - Returns: The number of rows sealed again.
    func reseal(in box: MemoBox) throws -> Int {
        var resealed = 0
        var last = Int64.min
        while true {
            // One transaction reads and writes: it overwrites nothing that another process writes.
            let end: Int64? = try box.storage.write { connection in
                let rows = try self.rows(after: last, in: connection)
                for row in rows {
                    guard let record = try newRecord(of: row, with: box.outbox.sealer) else {
                        continue
                    }
                    try connection.run(
                        "UPDATE \(name) SET sealed = ? WHERE number = ?",
                        .blob(record),
                        .integer(row.number)
                    )
                    resealed += 1
                }
                return rows.last?.number
            }
            guard let end else { return resealed }
            last = end
        }
    }

    /// The keys under which the rows are sealed.
    func keysInUse(in box: MemoBox) throws -> Set<KeyID> {
        var keys: Set<KeyID> = []
        var last = Int64.min
        while true {
            let rows = try box.storage.read { try self.rows(after: last, in: $0) }
            for row in rows {
                if let key = Sealer.keyID(of: row.record) { keys.insert(key) }
            }
            guard let end = rows.last?.number else { return keys }
            last = end
        }
    }

    private struct Row {
        let number: Int64
        /// `nil` for a row whose identifier is damaged.
        let sealed: SealedBytes?
        let record: [UInt8]
    }

    private func rows(after last: Int64, in connection: Connection) throws -> [Row] {
        try connection.query(
            """
            SELECT number, id, created_at, sealed FROM \(name) WHERE number > ?
            ORDER BY number LIMIT \(Self.batch)
            """,
            .integer(last),
            row: {
                Row(number: $0.integer(0), sealed: SealedBytes($0, from: 1), record: $0.blob(3))
            }
        )
    }

    private func newRecord(of row: Row, with sealer: Sealer) throws -> [UInt8]? {
        guard let sealed = row.sealed else { return nil }
        do {
            return try sealer.resealed(
                sealed.record,
                id: sealed.id,
                kind: kind,
                createdAt: sealed.createdAt
            )
        } catch is UnreadableRecord {
            return nil
        }
    }
}
