import Outbox
import OutboxCore
import SQLite

/// The outbox's tables. The columns `due` and `wait` repeat two fields of the envelope for the
/// index. The statement that writes the envelope also writes these columns.
///
/// ## Numbers
/// A new entry's number is greater than the numbers of all stored entries. Lanes and lists are in
/// the order of numbers. A new number is also greater than the numbers of removed entries, unless
/// the clock was set back or both entries were made in one millisecond (``leastNumber(_:)``): a
/// caller that still holds the number of a removed entry does not find another entry under it.
///
/// ## Identifiers
/// An entry that is eligible at once has `state` 0 and `due` 0. It is only in the index
/// `outbox_due`, which holds the identifier too; all other entries are in `outbox_id` as well. So
/// adding an entry changes two pages. Each index refuses a second entry with the same identifier.
/// The insertion refuses an identifier that the other index holds (``SQLiteStorage``). The
/// conditions of a statement that looks for an identifier are those of the index that it uses.
/// Stores of earlier builds have one index of all identifiers, which serves the same statements.
///
/// ## Lanes
/// `lane` is the ordering key of an entry that has a place in a lane, else null. Of the rows with
/// one `lane`, only the row with the least `entry`, the front, may be in ``RowState/queued``.
/// Queued rows behind the front are in ``RowState/behind``: the index of due operations holds at
/// most one row of a lane, however long the lane is.
///
/// The statement that gives a row a place says whether the row is the front (``SQLiteStorage``).
/// When a row loses its place, by any statement of any build, the triggers make the next row the
/// front.
enum Schema {
    /// The least number that an entry may get: the milliseconds of the operation's creation, and
    /// ten bits of its identifier. It is less than 2^53, so that a JSON number can hold it.
    static func leastNumber(_ envelope: Envelope) -> Int64 {
        let time = min(max(envelope.createdAt.millisecondsSinceEpoch, 0), (1 << 42) - 1)
        return time << 10 | Int64(envelope.id.low & 1023)
    }

    static func prepare(_ connection: Connection) throws {
        guard try !migrations.areDone(in: connection) else { return }
        // Another process may have been first.
        try connection.transaction { try migrations.run(in: connection) }
    }

    static let migrations = Migrations(
        of: "outbox",
        steps: [
            make, addLanes, { if try hasUnindexed($0) { try indexAll($0) } },
        ],
        creation: make,
        inferred: number
    )

    /// The number of steps that the database of a build without numbers has seen.
    @Sendable private static func number(in connection: Connection) throws -> Int {
        guard try isPresent("outbox_operation", connection) else { return 0 }
        guard try isPresent("outbox_lane", connection) else { return 1 }
        return try hasUnindexed(connection) ? 2 : 3
    }

    @Sendable private static func make(_ connection: Connection) throws {
        try connection.execute(
            """
            CREATE TABLE outbox_operation(
                entry INTEGER PRIMARY KEY,
                id BLOB NOT NULL,
                state INTEGER NOT NULL,
                due INTEGER NOT NULL,
                wait INTEGER NOT NULL,
                quarantine TEXT,
                lane BLOB,
                envelope BLOB NOT NULL,
                record BLOB NOT NULL
            );
            CREATE TABLE outbox_use(used INTEGER PRIMARY KEY);
            \(identifiers)
            \(waits)
            \(lanes)
            """
        )
    }

    private static let identifiers = """
        CREATE UNIQUE INDEX outbox_due ON outbox_operation(state, due, id);
        CREATE UNIQUE INDEX outbox_id ON outbox_operation(id) WHERE state <> 0 OR due <> 0;
        """

    /// The index of queued operations that wait for a cause. It does not hold new operations, which
    /// wait for nothing. It serves only statements that repeat its conditions.
    private static let waits = """
        CREATE INDEX outbox_wait ON outbox_operation(wait, due, id)
        WHERE state IN (0, 3) AND wait <> 0;
        """

    /// The index and the triggers that keep the front of each lane.
    private static let lanes = """
        CREATE INDEX outbox_lane ON outbox_operation(lane) WHERE lane IS NOT NULL;
        CREATE TRIGGER outbox_gone AFTER DELETE ON outbox_operation WHEN OLD.lane IS NOT NULL
        BEGIN \(promoteNext); END;
        CREATE TRIGGER outbox_left AFTER UPDATE OF lane ON outbox_operation
        WHEN OLD.lane IS NOT NULL AND NEW.lane IS NOT OLD.lane
        BEGIN \(promoteNext); END;
        """

    private static let promoteNext = """
        UPDATE outbox_operation SET state = \(RowState.queued.rawValue)
        WHERE state = \(RowState.behind.rawValue) AND entry = (
            SELECT entry FROM outbox_operation WHERE lane = OLD.lane ORDER BY entry LIMIT 1)
        """

    // MARK: Stores without lanes

    /// Upgrades a store that a build without lanes made.
    ///
    /// - Complexity: O(entries). Each envelope is read once.
    @Sendable private static func addLanes(_ connection: Connection) throws {
        try connection.execute("ALTER TABLE outbox_operation ADD COLUMN lane BLOB")
        try connection.execute(waits + lanes)
        var last: Int64 = 0
        while true {
            let rows = try connection.query(
                """
                SELECT entry, id, state, envelope FROM outbox_operation
                WHERE entry > ? ORDER BY entry LIMIT ?
                """,
                .integer(last),
                .integer(Int64(SQLiteStorage.step))
            ) { row in
                (
                    entry: row.integer(0),
                    lane: lane(row.blob(3), of: row.blob(1), state: row.integer(2))
                )
            }
            for case (let entry, let lane?) in rows {
                try connection.run(
                    """
                    UPDATE outbox_operation SET lane = ?1, state = CASE
                        WHEN state = \(RowState.queued.rawValue)
                            AND EXISTS (SELECT 1 FROM outbox_operation WHERE lane = ?1)
                        THEN \(RowState.behind.rawValue) ELSE state END
                    WHERE entry = ?2
                    """,
                    .blob(lane),
                    .integer(entry)
                )
            }
            guard rows.count == SQLiteStorage.step, let end = rows.last?.entry else { return }
            last = end
        }
    }

    /// The lane in which an entry has a place.
    private static func lane(_ envelope: [UInt8], of id: [UInt8], state: Int64) -> [UInt8]? {
        guard let envelope = try? Envelope(decoding: envelope), envelope.id.bytes == id else {
            return nil
        }
        return envelope.lane(whenIn: RowState.state(of: state))?.bytes
    }

    // MARK: Stores with entries in no index

    /// Some builds kept new entries in no index, under their number and this offset.
    private static let unindexed: Int64 = 1 << 62

    private static func hasUnindexed(_ connection: Connection) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE name = 'outbox_due' AND sql LIKE '%entry <%'"
        ) { _ in true } ?? false
    }

    /// - Complexity: O(entries).
    private static func indexAll(_ connection: Connection) throws {
        try connection.execute(
            """
            DROP INDEX outbox_due;
            DROP INDEX outbox_id;
            UPDATE outbox_operation SET entry = entry - \(unindexed), state = 0, due = 0, wait = 0
            WHERE entry >= \(unindexed);
            \(identifiers)
            """
        )
    }

    private static func isPresent(_ name: String, _ connection: Connection) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE name = ?",
            .text(name)
        ) { _ in true } ?? false
    }
}
