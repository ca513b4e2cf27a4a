import Outbox
import OutboxCore
import SQLite

/// The outbox's tables. `due` and `wait` repeat two fields of the envelope for the index, and are
/// written by the statement that writes the envelope.
///
/// ## Numbers
/// An entry's number is greater than those of all that are there, which is the order of lanes and
/// lists. It is also greater than those of entries that are gone by now, unless the clock was set
/// back, or both were made in one millisecond (``leastNumber(_:)``): whoever still holds the number
/// of one that is gone does not meet another one under it.
///
/// ## Untouched entries
/// An entry that was added under an identifier drawn for it, and that is in no lane, is *untouched*
/// until something else happens to it than its delivery. Untouched entries stand at the end of the
/// table, `entry` being their number and ``firstUntouched``, and in no index: adding one changes one
/// page, and so does removing it. They are queued and eligible at once, whatever their other columns
/// say. What happens to one *touches* it first: it gets its number for its `entry`.
///
/// ## Identifiers
/// A touched entry that is eligible at once has `state` 0 and `due` 0. It is in the index
/// `outbox_due` alone, whose entries hold the identifier; all others are in `outbox_id` as well.
/// Each index refuses an identifier twice, and the insertion one that the other has; it touches all
/// entries before (``SQLiteStorage``). Whoever looks for an identifier says which of the two it
/// asks. Stores of earlier builds keep one index of all identifiers, which serves the same
/// statements.
///
/// ## Lanes
/// `lane` is the ordering key of an entry that has a place in a lane, else null. Of the rows with
/// one `lane` only that with the least `entry`, the front, may be in ``RowState/queued``; queued
/// ones behind it are in ``RowState/behind``, so that the index in which due operations are looked
/// up has at most one row of a lane, however long the lane is.
///
/// Whoever gives a row a place says whether it is the front (``SQLiteStorage``). When one loses its
/// place, by whatever statement and of whichever build, the triggers make the next one the front.
enum Schema {
    /// 2^62. Numbers of entries are less.
    static let firstUntouched: Int64 = 1 << 62
    static let isTouched = "entry < \(firstUntouched)"
    static let isUntouched = "entry >= \(firstUntouched)"

    /// Milliseconds of its creation, and ten bits of its identifier. Less than 2^53, which a number
    /// of JSON can hold.
    static func leastNumber(_ envelope: Envelope) -> Int64 {
        let time = min(max(envelope.createdAt.millisecondsSinceEpoch, 0), (1 << 42) - 1)
        return time << 10 | Int64(envelope.id.low & 1023)
    }

    static func prepare(_ connection: Connection) throws {
        guard try !isCurrent(connection) else { return }
        try connection.transaction {
            guard try !isCurrent(connection) else { return }
            if try isPresent("outbox_operation", connection) {
                try addLanes(connection)
            } else {
                try make(connection)
            }
        }
    }

    private static func make(_ connection: Connection) throws {
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
            CREATE UNIQUE INDEX outbox_due ON outbox_operation(state, due, id) WHERE \(isTouched);
            CREATE UNIQUE INDEX outbox_id ON outbox_operation(id)
            WHERE (state <> 0 OR due <> 0) AND \(isTouched);
            CREATE TABLE outbox_use(used INTEGER PRIMARY KEY);
            \(waits)
            \(lanes)
            """
        )
    }

    /// Finds what waits for one cause among all that is queued. New operations wait for nothing and
    /// are not in it. It serves only statements that repeat its conditions.
    private static let waits = """
        CREATE INDEX outbox_wait ON outbox_operation(wait, due, id)
        WHERE state IN (0, 3) AND wait <> 0;
        """

    /// What keeps the front of each lane.
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

    private static let page = 512

    /// Upgrades a store of a build that knew no lanes.
    ///
    /// - Complexity: O(entries), reading each envelope once.
    private static func addLanes(_ connection: Connection) throws {
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
                .integer(Int64(page))
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
            guard rows.count == page, let end = rows.last?.entry else { return }
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

    private static func isCurrent(_ connection: Connection) throws -> Bool {
        try isPresent("outbox_lane", connection)
    }

    private static func isPresent(_ name: String, _ connection: Connection) throws -> Bool {
        try connection.first(
            "SELECT 1 FROM sqlite_schema WHERE name = ?",
            .text(name)
        ) { _ in true } ?? false
    }
}
