public import Outbox
public import OutboxCore
import SQLite

/// The look-up of eligible operations.
extension SQLiteStorage {
    /// The SQL statements of a look-up.
    private struct LookUp {
        let due: String
        let next: String
        /// Any other value that a damaged page holds in place of a moment sorts behind all moments.
        let withoutMoment: String

        init(in table: String) {
            let isQueued = "FROM \(table) WHERE state = 0"
            due = "SELECT \(columns) \(isQueued) AND due <= ? ORDER BY due, id LIMIT ?"
            next = """
                SELECT due, typeof(due) = 'integer' \(isQueued) AND due > ? ORDER BY due LIMIT 1
                """
            withoutMoment = "SELECT \(columns) \(isQueued) AND due > \(Int64.max) LIMIT ?"
        }

        static let byIndex = LookUp(in: "outbox_operation")
        static let byTable = LookUp(in: "outbox_operation NOT INDEXED")
    }

    /// An index finds the due operations. If the index is damaged, the whole table is read without
    /// it: one damaged page must not keep the operations of other pages from being attempted. An
    /// operation whose moment is not a valid one counts as due.
    public func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try read { connection in
            do {
                return try Self.eligible(at: now, limit: limit, .byIndex, connection)
            } catch let error as SQLiteError where error.isCorrupt {
                return try Self.eligible(at: now, limit: limit, .byTable, connection)
            }
        }
    }

    private static func eligible(
        at now: WallTime,
        limit: Int,
        _ lookUp: LookUp,
        _ connection: Connection
    ) throws -> EligibleRecords {
        let moment = Value.integer(now.millisecondsSinceEpoch)
        let entries = try connection.query(
            lookUp.due,
            moment,
            .integer(Int64(limit)),
            row: entry
        )
        guard entries.count < limit else {
            return EligibleRecords(entries: entries, nextEligibleAt: nil)
        }
        let next = try connection.first(lookUp.next, moment) {
            (due: WallTime(millisecondsSinceEpoch: $0.integer(0)), isMoment: $0.integer(1) == 1)
        }
        guard let next, !next.isMoment else {
            return EligibleRecords(entries: entries, nextEligibleAt: next?.due)
        }
        let withoutMoment = try connection.query(
            lookUp.withoutMoment,
            .integer(Int64(limit - entries.count)),
            row: entry
        )
        return EligibleRecords(entries: entries + withoutMoment, nextEligibleAt: nil)
    }
}
