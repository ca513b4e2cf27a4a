import MemoCore
import OutboxCore
import StoreCore

/// An entry of the history on the page.
struct HistoryEntry: Entity {
    let id: EntityID<HistoryEntry>
    typealias RawID = OperationID

    /// The number of the entry's row.
    let row: UInt32
    var status: HistoryStatus
    /// The memo; `nil` when the record does not open under the present key. The record is kept.
    let text: [UInt8]?
}

typealias HistoryTable = EntityTable<HistoryEntry, NoIndexes<HistoryEntry>>

/// The extent of the history on the page.
struct HistoryState: Hashable {
    var isLoaded = false
    var hasMore = false
}

/// An operation on the diagnostics screen.
struct QueueEntry: Hashable {
    enum State: Hashable {
        case queued
        case parked
        case quarantined
    }

    let key: [UInt8]
    let state: State
    var reason: ReasonCode?
    /// The time in the operation's identifier.
    let createdAt: WallTime
    var attempts: UInt32 = 0
    var nextAttemptAt: WallTime?
}
