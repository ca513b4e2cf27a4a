public import Outbox
public import OutboxCore
internal import SQLite

extension SQLiteStorage {
    private static let columns = "entry, id, state, quarantine, envelope, record"

    public func insert(_ operations: [SealedOperation]) throws {
        try write { connection in
            for operation in operations { try insert(operation, in: connection) }
        }
    }

    public func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try read { connection in
            let entries = try connection.query(
                """
                SELECT \(Self.columns) FROM outbox_operation
                WHERE state = 0 AND due <= ? ORDER BY due, id LIMIT ?
                """,
                .integer(now.millisecondsSinceEpoch), .integer(Int64(limit)), row: Self.entry)
            let next = try connection.first(
                "SELECT due FROM outbox_operation WHERE state = 0 AND due > ? ORDER BY due LIMIT 1",
                .integer(now.millisecondsSinceEpoch)
            ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
            return EligibleRecords(entries: entries, nextEligibleAt: next)
        }
    }

    public func store(_ transition: DeliveryMachine.Transition, for id: OperationID) throws {
        try write { connection in
            switch transition {
            case .remove:
                try connection.run("DELETE FROM outbox_operation WHERE id = ?", .blob(id.bytes))
            case .reschedule(let envelope):
                try Self.update(connection, envelope, state: .queued)
            case .park(let envelope):
                try Self.update(connection, envelope, state: .parked)
            }
        }
    }

    public func quarantine(_ id: EntryID, reason: QuarantineReason) throws {
        try write { connection in
            try connection.run(
                "UPDATE outbox_operation SET state = 2, quarantine = ? WHERE entry = ?",
                .text(reason.rawValue), .integer(id.rawValue))
        }
    }

    public func entries(
        in state: OperationState, after last: EntryID?, limit: Int
    ) throws -> [StoredEntry] {
        try read { connection in
            try connection.query(
                """
                SELECT \(Self.columns) FROM outbox_operation
                WHERE state = ? AND entry > ? ORDER BY entry LIMIT ?
                """,
                .integer(Int64(state.rawValue)), .integer(last?.rawValue ?? 0),
                .integer(Int64(limit)), row: Self.entry)
        }
    }

    public func entries(
        waitingFor cause: WaitCause, beyond moment: WallTime, limit: Int
    ) throws -> [StoredEntry] {
        try read { connection in
            try connection.query(
                """
                SELECT \(Self.columns) FROM outbox_operation
                WHERE state = 0 AND due > ? AND wait = ? ORDER BY due DESC, id DESC LIMIT ?
                """,
                .integer(moment.millisecondsSinceEpoch), .integer(Int64(cause.rawValue)),
                .integer(Int64(limit)), row: Self.entry)
        }
    }

    public func entry(for id: OperationID) throws -> StoredEntry? {
        try read { connection in
            try connection.first(
                "SELECT \(Self.columns) FROM outbox_operation WHERE id = ?", .blob(id.bytes),
                row: Self.entry)
        }
    }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try write { try requeue(id, as: envelope, in: $0) }
    }

    public func endWaits(for cause: WaitCause) throws {
        try write { connection in
            let waiting = try connection.query(
                "SELECT entry, envelope FROM outbox_operation WHERE state = 0 AND wait = ?",
                .integer(Int64(cause.rawValue))
            ) { (entry: $0.integer(0), envelope: $0.blob(1)) }
            for waiter in waiting {
                guard let envelope = try? Envelope(decoding: waiter.envelope) else { continue }
                try connection.run(
                    "UPDATE outbox_operation SET due = 0, wait = 0, envelope = ? WHERE entry = ?",
                    .blob(envelope.madeEligible().encoded()), .integer(waiter.entry))
            }
        }
    }

    public func delete(_ id: EntryID) throws {
        try write { _ = try delete(id, in: $0) }
    }

    public func counts() throws -> OutboxCounts {
        try read { connection in
            var counts = OutboxCounts()
            let rows = try connection.query(
                "SELECT state, count(*) FROM outbox_operation GROUP BY state"
            ) { (state: $0.integer(0), count: Int($0.integer(1))) }
            for row in rows {
                switch OperationState(rawValue: UInt8(truncatingIfNeeded: row.state)) {
                case .queued: counts.queued = row.count
                case .parked: counts.parked = row.count
                case .quarantined, nil: counts.quarantined += row.count
                }
            }
            return counts
        }
    }

    public func isUnused() throws -> Bool {
        try read { try $0.first("SELECT 1 FROM outbox_use") { _ in true } == nil }
    }

    public func markUsed() throws {
        try write { try $0.run("INSERT OR IGNORE INTO outbox_use VALUES (1)") }
    }

    private static func update(
        _ connection: Connection, _ envelope: Envelope, state: OperationState
    ) throws {
        try connection.run(
            "UPDATE outbox_operation SET state = ?, due = ?, wait = ?, envelope = ? WHERE id = ?",
            .integer(Int64(state.rawValue)),
            .integer(envelope.nextEligibleAt.millisecondsSinceEpoch),
            .integer(Int64(envelope.waitCause.rawValue)), .blob(envelope.encoded()),
            .blob(envelope.id.bytes))
    }

    private static func entry(_ row: borrowing Row) -> StoredEntry {
        StoredEntry(
            id: EntryID(rawValue: row.integer(0)), operationID: OperationID(bytes: row.blob(1)),
            state: OperationState(rawValue: UInt8(truncatingIfNeeded: row.integer(2)))
                ?? .quarantined,
            envelope: row.blob(4), record: row.blob(5),
            quarantineReason: row.optionalText(3).flatMap(QuarantineReason.init(rawValue:)))
    }
}
