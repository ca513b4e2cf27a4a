import MemoCore
import OutboxCore

/// An entry of the history on the page.
struct HistoryEntry: Equatable {
    let id: OperationID
    let status: HistoryStatus
    /// The name of the other device that wrote the memo, empty if it is not known; `nil` for a memo that
    /// was written here.
    var device: [UInt8]?
    /// The memo; `nil` when the record does not open under the present key. The record is kept.
    let text: [UInt8]?
    /// The reason for which the memo waits.
    let waits: ReasonWords?
    /// A person has asked for all of a long memo.
    var isWhole = false

    /// Compares all properties. The compiler's own comparison would be in the module twice.
    @inline(never)
    static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.status == right.status && left.text == right.text
            && left.waits == right.waits && left.isWhole == right.isWhole
            && left.device == right.device
    }
}

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
    /// The beginning of the memo; `nil` when it cannot be read.
    var text: [UInt8]?
    var reason: ReasonCode?
    /// The time in the operation's identifier.
    let createdAt: WallTime
    var attempts: UInt32 = 0
    var nextAttemptAt: WallTime?
}
