internal import Outbox
internal import OutboxCore
internal import SQLite

/// The outbox's tables. `due` and `wait` repeat two fields of the envelope for the index, and are
/// written by the statement that writes the envelope.
///
/// ## Identifiers
/// What is eligible at once, as whatever is new and in no lane is, has `state` 0 and `due` 0. It is in
/// the index `outbox_due` alone, whose entries hold the identifier; all others are in `outbox_id`
/// as well. So adding an operation changes two pages, one of the table and one of an index. Each
/// index refuses an identifier twice, and the insertion one that the other has
/// (``SQLiteStorage``). Whoever looks for an identifier says which of the two it asks. Stores of
/// earlier builds keep one index of all identifiers, which serves the same statements.
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
            CREATE UNIQUE INDEX outbox_due ON outbox_operation(state, due, id);
            CREATE UNIQUE INDEX outbox_id ON outbox_operation(id) WHERE state <> 0 OR due <> 0;
            CREATE TABLE outbox_use(used INTEGER PRIMARY KEY);
            \(waits)
            \(lanes)
            """)
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
                .integer(last), .integer(Int64(page))
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
                    .blob(lane), .integer(entry))
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
            "SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)
        ) { _ in true } ?? false
    }
}
