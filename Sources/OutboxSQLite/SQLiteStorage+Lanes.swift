import Outbox
import OutboxCore
import SQLite

/// The value of a row's `state` column, see ``Schema``.
enum RowState: Int64 {
    /// Queued, and either in no lane or the front of a lane.
    case queued = 0
    case parked = 1
    case quarantined = 2
    /// Queued behind another entry in its lane.
    case behind = 3

    init(_ state: OperationState) {
        switch state {
        case .queued: self = .queued
        case .parked: self = .parked
        case .quarantined: self = .quarantined
        }
    }

    /// The state that the storage reports for a row. A value that only a newer build knows keeps
    /// the entry out of the queue.
    static func state(of row: Int64) -> OperationState {
        switch RowState(rawValue: row) {
        case .queued, .behind: .queued
        case .parked: .parked
        case .quarantined, nil: .quarantined
        }
    }
}

extension SQLiteStorage {
    /// Puts an entry into a state and, unless `lane` is `nil`, into its place in that lane. The
    /// entry has the same place from its insertion on. Call this inside a transaction.
    ///
    /// When the entry leaves a lane, a trigger makes the next entry the front.
    static func place(
        _ entry: Int64,
        in lane: OrderingKey?,
        as state: OperationState,
        _ connection: Connection
    ) throws {
        guard let lane else {
            try connection.run(
                "UPDATE outbox_operation SET state = ?, lane = NULL WHERE entry = ?",
                .integer(RowState(state).rawValue),
                .integer(entry)
            )
            return
        }
        let front = try connection.first(
            "SELECT entry FROM outbox_operation WHERE lane = ? ORDER BY entry LIMIT 1",
            .blob(lane.bytes)
        ) { $0.integer(0) }
        let isBehind = state == .queued && front.map { $0 < entry } ?? false
        let isPlaced =
            try connection.run(
                "UPDATE outbox_operation SET state = ?, lane = ? WHERE entry = ?",
                .integer((isBehind ? RowState.behind : RowState(state)).rawValue),
                .blob(lane.bytes),
                .integer(entry)
            ) > 0
        guard isPlaced, let front, entry < front else { return }
        try connection.run(
            "UPDATE outbox_operation SET state = ? WHERE entry = ? AND state = ?",
            .integer(RowState.behind.rawValue),
            .integer(front),
            .integer(RowState.queued.rawValue)
        )
    }
}
