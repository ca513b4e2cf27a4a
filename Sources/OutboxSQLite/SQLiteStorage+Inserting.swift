public import Outbox
import OutboxCore
public import SQLite

/// The insertion of operations, see ``Schema``.
extension SQLiteStorage {
    public func insert(_ operations: [SealedOperation]) throws {
        guard operations.count == 1 else {
            try write { connection in
                for operation in operations { try insert(operation, in: connection) }
            }
            return
        }
        try commit(Self.insertion, Self.row(of: operations[0]))
    }

    /// Adds an operation inside a transaction of ``write(_:)``.
    public func insert(_ operation: SealedOperation, in connection: Connection) throws {
        try Self.translating { try connection.run(Self.insertion, Self.row(of: operation)) }
    }

    private static func row(of operation: SealedOperation) -> [Value] {
        let envelope = operation.envelope
        return [
            .blob(envelope.id.bytes), .integer(envelope.nextEligibleAt.millisecondsSinceEpoch),
            .integer(Int64(envelope.waitCause.rawValue)), .blob(envelope.encoded()),
            .blob(operation.record), envelope.orderingKey.map { .blob($0.bytes) } ?? .null,
            .integer(Schema.leastNumber(envelope)),
        ]
    }

    /// The statement replaces an identifier that is already stored by NULL, which the table
    /// refuses. If two operations with one identifier are eligible at once, `outbox_due` refuses
    /// the second.
    private static let insertion = """
        INSERT INTO outbox_operation(entry, id, due, wait, envelope, record, lane, state)
        VALUES (max(?7, 1 + coalesce((SELECT max(entry) FROM outbox_operation), 0)), CASE
            WHEN EXISTS (
                SELECT 1 FROM outbox_operation WHERE id = ?1 AND (state <> 0 OR due <> 0))
            THEN NULL
            WHEN (?2 <> 0 OR ?6 IS NOT NULL) AND EXISTS (
                SELECT 1 FROM outbox_operation WHERE id = ?1 AND state = 0 AND due = 0)
            THEN NULL
            ELSE ?1 END, ?2, ?3, ?4, ?5, ?6, CASE
            WHEN ?6 IS NOT NULL AND EXISTS (SELECT 1 FROM outbox_operation WHERE lane = ?6)
            THEN \(RowState.behind.rawValue) ELSE \(RowState.queued.rawValue) END)
        """
}
