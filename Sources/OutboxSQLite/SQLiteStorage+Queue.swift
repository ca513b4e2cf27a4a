public import Outbox
public import OutboxCore
public import SQLite

extension SQLiteStorage {
    static let columns = "entry, id, state, quarantine, envelope, record"

    /// The number of entries that a change of many changes, and holds in memory, at a time.
    static let step = 512

    /// Selects the entry of the operation ?1 by the indexes that ``Schema`` describes.
    private static let entryOfID = """
        (SELECT entry FROM outbox_operation WHERE id = ?1 AND state = 0 AND due = 0
        UNION ALL SELECT entry FROM outbox_operation
            WHERE id = ?1 AND (state <> 0 OR due <> 0))
        """

    private static let removal = "DELETE FROM outbox_operation WHERE entry = ? AND id = ?"

    @discardableResult
    public func settle(_ settlements: [Settlement]) throws -> [Unsettled] {
        guard !settlements.isEmpty else { return [] }
        let areRemovals = settlements.allSatisfy { $0.transition == .remove }
        return try write(undoable: areRemovals ? settlements.count : nil) { connection in
            try settle(settlements, in: connection)
        }
    }

    /// Records outcomes like ``settle(_:)``, inside a transaction of ``write(_:)``: an app's own
    /// tables change together with the queue. ``/Outbox/WrappingStorage`` has an example.
    ///
    /// - Returns: The outcomes whose entries are gone.
    @discardableResult
    public func settle(
        _ settlements: [Settlement],
        in connection: Connection
    ) throws -> [Unsettled] {
        try Self.translating {
            try settlements.filter { try !Self.settle($0, connection) }
                .map { Unsettled($0.entry, .gone) }
        }
    }

    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?
    ) throws {
        try write { try quarantine(id, reason: reason, as: envelope, in: $0) }
    }

    /// Takes an unreadable entry out of the queue like ``quarantine(_:reason:as:)``, inside a
    /// transaction of ``write(_:)``: an app's own tables change together with the queue.
    public func quarantine(
        _ id: EntryID,
        reason: QuarantineReason,
        as envelope: Envelope?,
        in connection: Connection
    ) throws {
        try Self.translating {
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
        try list(Self.columns, in: state, after: last, limit: limit, row: Self.entry)
    }

    public func envelopes(
        in state: OperationState,
        after last: EntryID?,
        limit: Int
    ) throws -> [StoredEnvelope] {
        try list("entry, envelope", in: state, after: last, limit: limit) { row in
            StoredEnvelope(entry: EntryID(rawValue: row.integer(0)), bytes: row.blob(1))
        }
    }

    /// The index finds the few entries that are not queued; a scan of the table finds the queued ones.
    private func list<Element>(
        _ columns: String,
        in state: OperationState,
        after last: EntryID?,
        limit: Int,
        row: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        let isInState = state == .queued ? "+state IN (0, 3)" : "state = \(state.rawValue)"
        return try read { connection in
            try connection.query(
                """
                SELECT \(columns) FROM outbox_operation
                WHERE \(isInState) AND entry > ? ORDER BY entry LIMIT ?
                """,
                .integer(last?.rawValue ?? 0),
                .integer(Int64(limit)),
                row: row
            )
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
                "UPDATE outbox_operation SET record = ? WHERE entry = ? AND record = ?",
                .blob(new),
                .integer(id.rawValue),
                .blob(old)
            ) > 0
        }
    }

    /// Ends the waits in steps, each a transaction of its own: neither the memory that it needs nor
    /// the time for which others cannot write grows with the number of operations. If the process
    /// dies in between, the others wait as before.
    public func endWaits(for cause: WaitCause) throws {
        var last: WaitPosition?
        repeat { last = try endWaits(for: cause, after: last) } while last != nil
    }

    /// Ends the waits of one transaction, the longest first: an operation that fails again between two
    /// steps mostly waits for longer than before, behind the step.
    public func endWaits(
        for cause: WaitCause,
        after last: WaitPosition?
    ) throws -> WaitPosition? {
        let last = last.flatMap { Waiter(decoding: $0) } ?? .first
        let waiting = try write { connection in
            let waiting = try connection.query(
                """
                SELECT entry, envelope, due, id FROM outbox_operation
                WHERE state IN (0, 3) AND wait <> 0 AND wait = ? AND (due, id) < (?, ?)
                    AND typeof(due) = 'integer'
                ORDER BY due DESC, id DESC LIMIT \(Self.step)
                """,
                .integer(Int64(cause.rawValue)),
                .integer(last.due),
                .blob(last.id)
            ) {
                (
                    entry: $0.integer(0), envelope: $0.blob(1),
                    Waiter(due: $0.integer(2), id: $0.blob(3))
                )
            }
            for (entry, envelope, _) in waiting {
                guard let envelope = try? Envelope(decoding: envelope) else { continue }
                try connection.run(
                    """
                    UPDATE outbox_operation SET due = 0, wait = 0, envelope = ?
                    WHERE entry = ?
                    """,
                    .blob(envelope.madeEligible().encoded()),
                    .integer(entry)
                )
            }
            return waiting
        }
        return waiting.count == Self.step ? waiting.last?.2.position : nil
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
        StoredEntry(
            id: EntryID(rawValue: row.integer(0)),
            // No statement finds an identifier of another type.
            operationID: row.isBlob(1) ? OperationID(bytes: row.blob(1)) : nil,
            state: RowState.state(of: row.integer(2)),
            envelope: row.blob(4),
            record: row.blob(5),
            quarantineReason: row.optionalText(3).flatMap(QuarantineReason.init(rawValue:))
        )
    }
}

/// An operation's place in the order of waits.
private struct Waiter {
    /// Before all others.
    static let first = Waiter(due: .max, id: [UInt8](repeating: 0xFF, count: 17))

    let due: Int64
    let id: [UInt8]
}

extension Waiter {
    init?(decoding position: WaitPosition) {
        guard position.bytes.count >= 8 else { return nil }
        due = position.bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        id = Array(position.bytes.dropFirst(8))
    }

    var position: WaitPosition {
        WaitPosition(
            bytes: stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: due >> $0) }
                + id
        )
    }
}
