public import Outbox
import OutboxCore
public import SQLite

/// The insertion of operations, see ``Schema``.
extension SQLiteStorage {
    public func insert(_ operations: [SealedOperation]) throws {
        guard operations.count == 1, operations[0].canStayUntouched else {
            try write { connection in
                for operation in operations { try insert(operation, in: connection) }
            }
            return
        }
        try commit(Self.untouchedInsertion, Self.untouchedRow(of: operations[0]))
    }

    /// Adds an operation inside a transaction of ``write(_:)``.
    public func insert(_ operation: SealedOperation, in connection: Connection) throws {
        try Self.translating {
            if operation.canStayUntouched {
                try connection.run(Self.untouchedInsertion, Self.untouchedRow(of: operation))
            } else {
                try Self.touchAll(connection)
                try connection.run(Self.insertion, Self.row(of: operation))
            }
        }
    }

    private static func untouchedRow(of operation: SealedOperation) -> [Value] {
        let envelope = operation.envelope
        return [
            .blob(envelope.id.bytes), .blob(envelope.encoded()), .blob(operation.record),
            .integer(Schema.leastNumber(envelope)),
        ]
    }

    private static let untouchedInsertion = """
        INSERT INTO outbox_operation(entry, id, state, due, wait, envelope, record)
        VALUES (max(
            ?4 + \(Schema.firstUntouched),
            1 + coalesce((SELECT max(entry) FROM outbox_operation), 0),
            1 + coalesce((SELECT max(entry) FROM outbox_operation WHERE \(Schema.isTouched)), 0)
                + \(Schema.firstUntouched)), ?1, 0, 0, 0, ?2, ?3)
        """

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
    /// the second. All entries must be touched before.
    private static let insertion = """
        INSERT INTO outbox_operation(entry, id, due, wait, envelope, record, lane, state)
        VALUES (max(?7, 1 + coalesce((SELECT max(entry) FROM outbox_operation), 0)), CASE
            WHEN EXISTS (
                SELECT 1 FROM outbox_operation
                WHERE id = ?1 AND (state <> 0 OR due <> 0) AND \(Schema.isTouched))
            THEN NULL
            WHEN (?2 <> 0 OR ?6 IS NOT NULL) AND EXISTS (
                SELECT 1 FROM outbox_operation
                WHERE id = ?1 AND state = 0 AND due = 0 AND \(Schema.isTouched))
            THEN NULL
            ELSE ?1 END, ?2, ?3, ?4, ?5, ?6, CASE
            WHEN ?6 IS NOT NULL AND EXISTS (SELECT 1 FROM outbox_operation WHERE lane = ?6)
            THEN \(RowState.behind.rawValue) ELSE \(RowState.queued.rawValue) END)
        """
}

extension SealedOperation {
    fileprivate var canStayUntouched: Bool {
        hasNewIdentifier && envelope.orderingKey == nil && envelope.nextEligibleAt == .distantPast
    }
}
