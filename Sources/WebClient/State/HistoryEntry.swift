import MemoCore
import OutboxCore
import StoreCore

/// A memo that was sent from here, as far as it is on the page.
struct HistoryEntry: Entity {
    let id: EntityID<HistoryEntry>
    typealias RawID = OperationID

    /// The row that shows it.
    let row: UInt32
    var status: HistoryStatus
    /// The memo; `nil` when it does not open under the present key. It is kept as it is.
    let text: [UInt8]?
}

typealias HistoryTable = EntityTable<HistoryEntry, NoIndexes<HistoryEntry>>

/// How much of the history is on the page.
struct HistoryState: Hashable {
    var isLoaded = false
    var hasMore = false
}

/// An operation, for the diagnostics.
struct QueueEntry: Hashable {
    enum State: Hashable {
        case queued
        case parked
        case quarantined
    }

    let key: [UInt8]
    let state: State
    var reason: ReasonCode?
    /// When it was enqueued, by its identifier.
    let createdAt: WallTime
    var attempts: UInt32 = 0
    var nextAttemptAt: WallTime?
}
