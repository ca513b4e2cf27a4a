/// What to do with updates that come faster than they are handled.
public enum Backlog: Sendable {
    /// Keep each one. The memory for them grows for as long as the handler is slower than the
    /// commits.
    case every
    /// Merge those that wait into one that says the same: for `Changes`, from the previous state of
    /// the oldest to the current state of the newest. What waits never grows; made for a screen.
    case merged
}

/// What waits in one inbox.
@usableFromInline
struct BacklogQueue: Sendable {
    private var waiting = FirstInFirstOut<any News>()
    private let merge: Merge?

    /// How two that wait become one. What it makes is `nil` if together they say nothing.
    @usableFromInline typealias Merge =
        @Sendable (_ older: any News, _ newer: any News) -> (any News)?

    /// - Parameter merge: `nil` keeps every element.
    init(merge: Merge?) {
        self.merge = merge
    }

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    mutating func append(_ news: any News) {
        if let merge, let older = waiting.popFirst() {
            if let merged = merge(older, news) { waiting.append(merged) }
        } else {
            waiting.append(news)
        }
    }

    mutating func popFirst() -> (any News)? {
        waiting.popFirst()
    }

    /// Empties the queue. What it held is returned, so that it is freed outside of any lock.
    mutating func removeAll() -> FirstInFirstOut<any News> {
        defer { waiting = FirstInFirstOut() }
        return waiting
    }
}
