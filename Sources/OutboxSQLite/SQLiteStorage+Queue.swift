public import Outbox
public import OutboxCore
import SQLite

extension SQLiteStorage {
    static let columns = "entry, id, state, quarantine, envelope, record"

    /// Selects the entry of the operation ?1 by the indexes that ``Schema`` describes.
    private static let entryOfID = """
        (SELECT entry FROM outbox_operation
            WHERE id = ?1 AND state = 0 AND due = 0 AND \(Schema.isTouched)
        UNION ALL SELECT entry FROM outbox_operation
            WHERE id = ?1 AND (state <> 0 OR due <> 0) AND \(Schema.isTouched)
        UNION ALL SELECT entry FROM outbox_operation WHERE id = ?1 AND \(Schema.isUntouched))
        """

    private static let removal = "DELETE FROM outbox_operation WHERE \(isEntry) AND id = ?2"

    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [EntryID] {
        guard !settlements.isEmpty else { return [] }
        let areRemovals = settlements.allSatisfy { $0.transition == .remove }
        return try write(undoable: areRemovals ? settlements.count : nil) { connection in
            try settlements.filter { try !Self.settle($0, connection) }.map(\.entry)
        }
    }

    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try write { connection in
            try Self.touch(id.rawValue, connection)
            let stored = try connection.first(
                "SELECT id, envelope FROM outbox_operation WHERE entry = ?",
                .integer(id.rawValue)
            ) { (id: $0.blob(0), envelope: $0.blob(1)) }
            guard let stored else { return }
            try connection.run(
                "UPDATE outbox_operation SET quarantine = ?, envelope = ? WHERE entry = ?",
                .text(reason.rawValue),
                .blob(envelope?.encoded() ?? stored.envelope),
                .integer(id.rawValue)
            )
            let kept = envelope ?? (try? Envelope(decoding: stored.envelope))
            let lane = kept?.id.bytes == stored.id ? kept?.lane(whenIn: .quarantined) : nil
            try Self.place(id.rawValue, in: lane, as: .quarantined, connection)
        }
    }

    public func entries(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEntry] {
        // The index finds the few entries that are not queued; a scan of the table finds the queued
        // ones.
        let isInState = state == .queued ? "+state IN (0, 3)" : "state = \(state.rawValue)"
        return try read { connection in
            let touched = try connection.query(
                """
                SELECT \(Self.columns) FROM outbox_operation
                WHERE \(isInState) AND \(Schema.isTouched) AND entry > ? ORDER BY entry LIMIT ?
                """,
                .integer(last?.rawValue ?? 0),
                .integer(Int64(limit)),
                row: Self.entry
            )
            guard state == .queued else { return touched }
            let all = touched + (try Self.untouched(after: last, limit: limit, connection))
            return Array(all.sorted { $0.id.rawValue < $1.id.rawValue }.prefix(limit))
        }
    }

    public func entries(
        waitingFor cause: WaitCause,
        beyond moment: WallTime,
        limit: Int
    ) throws -> [StoredEntry] {
        try read { connection in
            try connection.query(
                """
                SELECT \(Self.columns) FROM outbox_operation
                WHERE state IN (0, 3) AND wait <> 0 AND wait = ? AND due > ?
                ORDER BY due DESC, id DESC LIMIT ?
                """,
                .integer(Int64(cause.rawValue)),
                .integer(moment.millisecondsSinceEpoch),
                .integer(Int64(limit)),
                row: Self.entry
            )
        }
    }

    public func entry(for id: OperationID) throws -> StoredEntry? {
        try read { connection in
            try connection.first(
                """
                SELECT \(Self.columns) FROM outbox_operation
                WHERE entry = \(Self.entryOfID) AND id = ?1
                """,
                .blob(id.bytes),
                row: Self.entry
            )
        }
    }

    public func requeue(_ id: EntryID, as envelope: Envelope) throws {
        try write { try requeue(id, as: envelope, in: $0) }
    }

    public func replaceRecord(_ id: EntryID, from old: [UInt8], to new: [UInt8]) throws -> Bool {
        try write { connection in
            try connection.run(
                "UPDATE outbox_operation SET record = ?2 WHERE \(Self.isEntry) AND record = ?3",
                .integer(id.rawValue),
                .blob(new),
                .blob(old)
            ) > 0
        }
    }

    public func endWaits(for cause: WaitCause) throws {
        try write { connection in
            let waiting = try connection.query(
                """
                SELECT entry, envelope FROM outbox_operation
                WHERE state IN (0, 3) AND wait <> 0 AND wait = ?
                """,
                .integer(Int64(cause.rawValue))
            ) { (entry: $0.integer(0), envelope: $0.blob(1)) }
            for waiter in waiting {
                guard let envelope = try? Envelope(decoding: waiter.envelope) else { continue }
                try connection.run(
                    "UPDATE outbox_operation SET due = 0, wait = 0, envelope = ? WHERE entry = ?",
                    .blob(envelope.madeEligible().encoded()),
                    .integer(waiter.entry)
                )
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
                """
                SELECT state, count(*) FROM outbox_operation WHERE \(Schema.isTouched)
                GROUP BY state
                UNION ALL
                SELECT 0, count(*) FROM outbox_operation WHERE \(Schema.isUntouched)
                """
            ) { (state: $0.integer(0), count: Int($0.integer(1))) }
            for row in rows {
                switch RowState.state(of: row.state) {
                case .queued: counts.queued += row.count
                case .parked: counts.parked += row.count
                case .quarantined: counts.quarantined += row.count
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

    /// - Returns: Whether the operation's entry existed.
    private static func settle(_ settlement: Settlement, _ connection: Connection) throws -> Bool {
        switch settlement.transition {
        case .remove:
            try connection.run(
                removal,
                .integer(settlement.entry.rawValue),
                .blob(settlement.id.bytes)
            ) > 0
        case .reschedule(let envelope):
            try update(settlement, envelope, state: .queued, connection)
        case .park(let envelope):
            try update(settlement, envelope, state: .parked, connection)
        }
    }

    private static func update(
        _ settlement: Settlement,
        _ envelope: Envelope,
        state: OperationState,
        _ connection: Connection
    ) throws -> Bool {
        let entry = settlement.entry.rawValue
        try touch(entry, connection)
        let isThere =
            try connection.run(
                """
                UPDATE outbox_operation SET state = ?, due = ?, wait = ?, envelope = ?
                WHERE entry = ? AND id = ?
                """,
                .integer(RowState(state).rawValue),
                .integer(envelope.nextEligibleAt.millisecondsSinceEpoch),
                .integer(Int64(envelope.waitCause.rawValue)),
                .blob(envelope.encoded()),
                .integer(entry),
                .blob(settlement.id.bytes)
            ) > 0
        if isThere, envelope.orderingKey != nil {
            try place(entry, in: envelope.lane(whenIn: state), as: state, connection)
        }
        return isThere
    }

    static func entry(_ row: borrowing Row) -> StoredEntry {
        let entry = row.integer(0)
        return StoredEntry(
            id: EntryID(rawValue: number(entry)),
            // No statement finds an identifier of another type.
            operationID: row.isBlob(1) ? OperationID(bytes: row.blob(1)) : nil,
            state: entry == number(entry) ? RowState.state(of: row.integer(2)) : .queued,
            envelope: row.blob(4),
            record: row.blob(5),
            quarantineReason: row.optionalText(3).flatMap(QuarantineReason.init(rawValue:))
        )
    }
}
