import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import WireCore

/// A value that is stored as a JSON object.
protocol StoredDocument {
    /// - Parameter json: An object. Members that the value does not have are ignored.
    /// - Returns: `nil` for an object that is not of this value.
    init?(_ json: JSON)

    /// The members in alphabetical order.
    var json: JSON { get }
}

/// A sealed value in a table of its own, which a box has at most once.
struct SealedDocument<Value: StoredDocument> {
    let table: String
    let kind: OperationKind
    /// The error for a value that no key opens.
    let damaged: MemoError

    /// The value; `nil` when there is none.
    ///
    /// - Throws: ``damaged``; ``MemoError/wrongKey(_:)`` when it was sealed with another key than
    ///   the present one.
    func value(in box: MemoBox) throws(MemoError) -> Value? { try stored(in: box)?.value }

    /// The value, and the identifier under which this value, and no other one, was sealed.
    ///
    /// - Throws: As ``value(in:)``.
    func stored(in box: MemoBox) throws(MemoError) -> (id: OperationID, value: Value)? {
        try box.translatingErrors {
            let sealed = try box.storage.read { connection in
                try connection.first(
                    "SELECT id, created_at, sealed FROM \(table)",
                    row: { SealedBytes($0, from: 0) }
                )
            }
            guard let sealed else { return nil }
            guard let sealed else { throw damaged }
            let bytes: [UInt8]
            do {
                bytes = try box.outbox.sealer.open(
                    sealed.record,
                    id: sealed.id,
                    kind: kind,
                    createdAt: sealed.createdAt
                )
            } catch let error as UnreadableRecord where error.reason != .unknownKey {
                // Not an entry of the outbox, which is what this would be translated to.
                throw damaged
            }
            guard let json = JSON(decodingText: bytes), case .object = json, let value = Value(json)
            else { throw damaged }
            return (sealed.id, value)
        }
    }

    /// Stores the value in place of the former one.
    func store(_ value: Value, in box: MemoBox) throws(MemoError) {
        try box.translatingErrors {
            let sealed = try sealed(value, in: box)
            try box.storage.write { try replace(by: sealed, in: $0) }
        }
    }

    /// Stores the value in place of a former one, unless another process has stored one meanwhile.
    ///
    /// - Parameter former: The identifier of the former value, of ``stored(in:)``; `nil` for none.
    /// - Returns: Whether the value was stored.
    func store(
        _ value: Value,
        replacing former: OperationID?,
        in box: MemoBox
    ) throws(MemoError) -> Bool {
        try box.translatingErrors {
            let sealed = try sealed(value, in: box)
            return try box.storage.write { connection in
                let present = try connection.first(
                    "SELECT id FROM \(table)",
                    row: { OperationID(bytes: $0.blob(0)) }
                )
                guard (present ?? nil) == former else { return false }
                try replace(by: sealed, in: connection)
                return true
            }
        }
    }

    private func sealed(_ value: Value, in box: MemoBox) throws -> SealedBytes {
        try SealedBytes(sealing: value.json.encoded(), kind: kind, with: box.outbox.sealer)
    }

    private func replace(by sealed: SealedBytes, in connection: Connection) throws {
        let columns = sealed.columns
        try connection.run(
            """
            INSERT OR REPLACE INTO \(table) (number, id, created_at, sealed)
            VALUES (1, ?, ?, ?)
            """,
            columns.id,
            columns.createdAt,
            columns.record
        )
    }
}
