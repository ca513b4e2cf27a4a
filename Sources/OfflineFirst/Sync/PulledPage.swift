import OutboxCore
import SyncCore

/// An answer to a pull that is not stored yet.
struct PulledPage: Sendable {
    /// The rows for which no further page is asked before they are stored. A person's change waits while
    /// they are.
    static let enoughRows = 8000
    /// The time after which no further page is asked for before the first one is stored, in milliseconds.
    static let longestGathering: Int64 = 200

    let request: PullRequest
    let answer: ServerAnswer<PullAnswer>

    var event: SyncEvent {
        .pulled(request: request.number, answer.content, serverTime: answer.serverTime)
    }

    var rowCount: Int {
        guard case .page(let rows, _, _) = answer.content else { return 0 }
        return rows.count
    }

    /// The request that a machine makes when it has taken this page; `nil` if it makes none, or perhaps
    /// another one.
    var next: PullRequest? {
        guard case .page(_, let cursor, hasMore: true) = answer.content, cursor != request.cursor
        else { return nil }
        return PullRequest(number: request.number + 1, cursor: cursor)
    }
}
