public import Outbox
import OutboxCore
public import SQLite

/// What a person decides about entries, inside a transaction of ``SQLiteStorage/write(_:)``, so
/// that an app's own tables change with the queue or not at all. Call ``Outbox/Outbox/wake()``
/// after making something eligible.
extension SQLiteStorage {
    /// Makes an entry eligible at once, from any state; in a lane, as soon as it is the front.
    ///
    /// - Returns: `false` when the entry is not there, or its envelope cannot be read.
    public func makeEligible(_ id: EntryID, in connection: Connection) throws -> Bool {
        let stored = try connection.first(
            "SELECT envelope FROM outbox_operation WHERE \(Self.isEntry)",
            .integer(id.rawValue),
            row: { $0.blob(0) }
        )
        guard let stored, let envelope = try? Envelope(decoding: stored) else { return false }
        try requeue(id, as: envelope.madeEligible(), in: connection)
        return true
    }

    /// Makes every queued and parked entry eligible at once, each in its lane as soon as it is the
    /// front.
    public func makeAllEligible(in connection: Connection) throws {
        let entries = try connection.query(
            """
            SELECT entry FROM outbox_operation
            WHERE state = 1 OR (state IN (0, 3) AND wait <> 0)
            """,
            row: { EntryID(rawValue: $0.integer(0)) }
        )
        for entry in entries { _ = try makeEligible(entry, in: connection) }
    }

    /// Deletes an entry for good.
    ///
    /// - Returns: `false` when it is not there.
    public func delete(_ id: EntryID, in connection: Connection) throws -> Bool {
        try connection.run(
            "DELETE FROM outbox_operation WHERE \(Self.isEntry)",
            .integer(id.rawValue)
        ) > 0
    }

    func requeue(_ id: EntryID, as envelope: Envelope, in connection: Connection) throws {
        try Self.touch(id.rawValue, connection)
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
