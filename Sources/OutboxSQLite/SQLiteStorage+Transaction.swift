public import Outbox
public import OutboxCore
public import SQLite

/// A person's decisions about entries, made inside a transaction of ``SQLiteStorage/write(_:)``: an
/// app's own tables and the queue change together or not at all. Call ``Outbox/Outbox/wake()``
/// after a transaction that makes an entry eligible.
extension SQLiteStorage {
    /// Looks an entry up.
    ///
    /// - Returns: `nil` when the entry does not exist.
    public func entry(_ id: EntryID, in connection: Connection) throws -> StoredEntry? {
        try connection.first(
            "SELECT \(Self.columns) FROM outbox_operation WHERE entry = ?",
            .integer(id.rawValue),
            row: Self.entry
        )
    }

    /// Makes an entry eligible at once, whatever its state is. An entry in a lane becomes eligible
    /// as soon as it is the front.
    ///
    /// - Returns: `false` when the entry does not exist or its envelope cannot be read.
    public func makeEligible(_ id: EntryID, in connection: Connection) throws -> Bool {
        let stored = try connection.first(
            "SELECT envelope FROM outbox_operation WHERE entry = ?",
            .integer(id.rawValue),
            row: { $0.blob(0) }
        )
        guard let stored, let envelope = try? Envelope(decoding: stored) else { return false }
        try requeue(id, as: envelope.madeEligible(), in: connection)
        return true
    }

    /// Parks a queued entry, with its envelope as it is: no drain attempts it before it is made eligible. An
    /// entry in a lane keeps or leaves its place as an entry does that a handler parks.
    ///
    /// An attempt that is under way goes on, and its outcome is recorded over this.
    ///
    /// - Returns: `false` when the entry does not exist, is not queued, or its envelope cannot be read.
    public func park(_ id: EntryID, in connection: Connection) throws -> Bool {
        let stored = try connection.first(
            "SELECT envelope FROM outbox_operation WHERE entry = ? AND state IN (0, 3)",
            .integer(id.rawValue),
            row: { $0.blob(0) }
        )
        guard let stored, let envelope = try? Envelope(decoding: stored) else { return false }
        try Self.place(id.rawValue, in: envelope.lane(whenIn: .parked), as: .parked, connection)
        return true
    }

    /// Makes every queued or parked entry eligible at once. An entry in a lane becomes eligible as
    /// soon as it is the front.
    public func makeAllEligible(in connection: Connection) throws {
        var last: Int64 = .min
        while true {
            let entries = try connection.query(
                """
                SELECT entry FROM outbox_operation
                WHERE (state = 1 OR (state IN (0, 3) AND +wait <> 0)) AND entry > ?
                ORDER BY entry LIMIT \(Self.step)
                """,
                .integer(last),
                row: { EntryID(rawValue: $0.integer(0)) }
            )
            for entry in entries { _ = try makeEligible(entry, in: connection) }
            guard entries.count == Self.step, let end = entries.last else { return }
            last = end.rawValue
        }
    }

    /// Deletes an entry permanently.
    ///
    /// - Returns: `false` when the entry does not exist. That is not an error.
    public func delete(_ id: EntryID, in connection: Connection) throws -> Bool {
        try connection.run(
            "DELETE FROM outbox_operation WHERE entry = ?",
            .integer(id.rawValue)
        ) > 0
    }

    func requeue(_ id: EntryID, as envelope: Envelope, in connection: Connection) throws {
        try connection.run(
            """
            UPDATE outbox_operation
            SET due = ?, wait = ?, quarantine = NULL, envelope = ? WHERE entry = ?
            """,
            .integer(envelope.nextEligibleAt.millisecondsSinceEpoch),
            .integer(Int64(envelope.waitCause.rawValue)),
            .blob(envelope.encoded()),
            .integer(id.rawValue)
        )
        try Self.place(id.rawValue, in: envelope.lane(whenIn: .queued), as: .queued, connection)
    }
}
