import Outbox
import OutboxCore
import SQLite

/// Bytes at rest in one of this product's tables: sealed, with what they are bound to.
struct SealedBytes {
    let id: OperationID
    let createdAt: WallTime
    let record: [UInt8]

    init(
        sealing bytes: [UInt8],
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime,
        with sealer: Sealer
    ) throws {
        self.id = id
        self.createdAt = createdAt
        record = try sealer.seal(bytes, id: id, kind: kind, createdAt: createdAt)
    }

    /// Seals under a new identifier.
    init(sealing bytes: [UInt8], kind: OperationKind, with sealer: Sealer) throws {
        let now = OutboxClock.system.wallTime()
        try self.init(
            sealing: bytes,
            id: .random(at: now),
            kind: kind,
            createdAt: now,
            with: sealer
        )
    }

    /// Reads columns `id`, `created_at` and `sealed`, the first of them being `column`.
    ///
    /// - Returns: `nil` for a row whose identifier is damaged.
    init?(_ row: borrowing Row, from column: Int) {
        guard let id = OperationID(bytes: row.blob(column)) else { return nil }
        self.id = id
        createdAt = WallTime(millisecondsSinceEpoch: row.integer(column + 1))
        record = row.blob(column + 2)
    }

    /// The bytes, `nil` when no waiting will make them readable.
    ///
    /// - Throws: ``KeyStoreError`` when the key cannot be read now.
    func opened(as kind: OperationKind, with sealer: Sealer) throws -> [UInt8]? {
        do {
            return try sealer.open(record, id: id, kind: kind, createdAt: createdAt)
        } catch is UnreadableRecord {
            return nil
        }
    }

    func openedText(as kind: OperationKind, with sealer: Sealer) throws -> String? {
        try opened(as: kind, with: sealer).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The columns, in the order in which they are read.
    var columns: (id: Value, createdAt: Value, record: Value) {
        (.blob(id.bytes), .integer(createdAt.millisecondsSinceEpoch), .blob(record))
    }
}
