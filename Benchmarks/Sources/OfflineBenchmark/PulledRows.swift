import Crypto
import Foundation
import Measurement
import OfflineFirst
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import SyncCore

/// Rows with versions, tombstones and a cursor, pulled by a `SyncManager` into new records, against
/// encoding and sealing the same rows and `INSERT OR REPLACE` in one transaction. Both get rows that are
/// decoded; the peer keeps none in memory, and no identity of a change that a device could have sent.
struct PulledRows {
    private static let pageSize = 1000

    private let rows: [SyncCore.Row]
    private let folder: String
    private let key = SealingKey.random()
    private let symmetric: SymmetricKey

    /// - Parameter count: The number of rows. A tenth of them are tombstones of rows before them.
    init(count: Int, folder: String) {
        self.folder = folder
        symmetric = key.symmetric
        rows = (0..<count).map { number in
            let isTombstone = number % 10 == 9
            return Self.row(isTombstone ? number - 9 : number, UInt64(number + 1), isTombstone)
        }
    }

    /// The seconds of one pull, and of one insertion by hand, each into a new database.
    func measure(_ round: Int) async throws -> (pull: Double, insert: Double) {
        let pull = try await secondsOfPull("\(folder)/pull\(round).sqlite")
        let insert = try secondsOfInsert("\(folder)/insert\(round).sqlite")
        return (pull, insert)
    }

    private func secondsOfPull(_ path: String) async throws -> Double {
        let outbox = Outbox(storage: try SQLiteStorage(path: path), keys: OneKey(key: key))
        let records = try SyncedRecords(in: outbox, rules: Rules())
        let manager = SyncManager(records, server: PageServer(rows: rows, size: Self.pageSize)) {
            AsyncStream { _ in }
        }
        let start = ContinuousClock.now
        let run = Task { try await manager.run() }
        for await snapshot in records.snapshots() where snapshot.lastPulled != nil { break }
        let time = (ContinuousClock.now - start) / .seconds(1)
        run.cancel()
        try await run.value
        let expected = rows.count - rows.count / 10
        precondition(records.snapshot.count == expected - rows.count / 10)
        outbox.storage.close()
        return time
    }

    private func secondsOfInsert(_ path: String) throws -> Double {
        let connection = try Connection(path: path)
        try connection.execute(
            "CREATE TABLE row(kind BLOB, id BLOB, version INTEGER, body BLOB, PRIMARY KEY(kind, id))"
        )
        return try seconds {
            try connection.transaction {
                for row in rows {
                    if row.deletion != nil {
                        try connection.run(
                            "DELETE FROM row WHERE kind = ? AND id = ?",
                            .blob(row.key.kind),
                            .blob(row.key.id)
                        )
                        continue
                    }
                    let bytes = Self.encoded(row)
                    let box = try AES.GCM.seal(bytes, using: symmetric, authenticating: row.key.id)
                    try connection.run(
                        "INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)",
                        .blob(row.key.kind),
                        .blob(row.key.id),
                        .integer(Int64(row.version)),
                        .blob(Array(box.combined!))
                    )
                }
            }
        }
    }

    private static func row(_ number: Int, _ version: UInt64, _ isTombstone: Bool) -> SyncCore.Row {
        let stamp = Stamp(
            time: WallTime(millisecondsSinceEpoch: Int64(version)),
            id: ChangeID(number: version, node: NodeID(high: 2, low: 2))
        )
        let fields = ["subject", "text"].map {
            Field(name: Array($0.utf8), value: Array("\($0) \(version)".utf8), stamp: stamp)
        }
        return SyncCore.Row(
            key: OfflineBenchmark.key(number),
            version: version,
            fields: isTombstone ? [] : fields,
            deletion: isTombstone ? stamp : nil
        )
    }

    /// The fields with their stamps, as a plain form has them.
    private static func encoded(_ row: SyncCore.Row) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        for field in row.fields {
            append(UInt64(field.name.count), to: &bytes)
            bytes += field.name
            append(UInt64(field.value.count), to: &bytes)
            bytes += field.value
            append(UInt64(field.stamp.time.millisecondsSinceEpoch), to: &bytes)
            append(field.stamp.id.number, to: &bytes)
            append(field.stamp.id.node.high, to: &bytes)
            append(field.stamp.id.node.low, to: &bytes)
        }
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// A server whose pages are ready.
private struct PageServer: SyncServer {
    let rows: [SyncCore.Row]
    let size: Int

    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        let from = request.cursor.map { $0.reduce(0) { $0 << 8 | Int($1) } } ?? 0
        let end = min(from + size, rows.count)
        let cursor = (0..<4).map { UInt8(truncatingIfNeeded: end >> (24 - 8 * $0)) }
        let page = PullAnswer.page(
            Array(rows[from..<end]),
            cursor: cursor,
            hasMore: end < rows.count
        )
        return ServerAnswer(page, serverTime: WallTime(millisecondsSinceEpoch: 1))
    }

    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        throw SyncFailure.offline
    }

    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        throw SyncFailure.offline
    }
}
