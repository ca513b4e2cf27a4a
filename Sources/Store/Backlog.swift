public import StoreCore

/// How updates wait that come faster than they are handled.
public enum Backlog: Sendable {
    /// Keep each update. Memory grows for as long as the handler is slower than the commits.
    case every
    /// Merge the waiting updates into one that says the same: for `Changes`, from the previous
    /// state of the oldest to the current state of the newest. At most one update waits. Made for a
    /// screen.
    case merged
}

/// The news that waits in one inbox.
@usableFromInline
struct BacklogQueue: Sendable {
    private var waiting = FirstInFirstOut<any News>()
    private let merge: Merge?

    /// Makes one piece of news from two; `nil` if together they say nothing.
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

    /// Empties the queue, and returns its elements so that they are freed outside of any lock.
    mutating func removeAll() -> FirstInFirstOut<any News> {
        defer { waiting = FirstInFirstOut() }
        return waiting
    }
}

extension Changes where State: Sendable {
    /// - Precondition: `news` is a `Changes` of this state.
    @inlinable
    static func open(_ news: any News) -> Changes {
        unsafeDowncast(news, to: Changes.self)
    }

    @inlinable
    static func merge(for backlog: Backlog) -> BacklogQueue.Merge? {
        switch backlog {
        case .every: nil
        case .merged:
            { older, newer in
                let older = open(older)
                let newer = open(newer)
                return Changes(
                    previous: older.previous,
                    current: newer.current,
                    version: newer.version,
                    origin: newer.origin,
                    memories: (older.memories.previous, newer.memories.current)
                )
            }
        }
    }
}

extension EntityChange where E: Sendable {
    @inlinable
    static func merge(for backlog: Backlog) -> BacklogQueue.Merge? {
        switch backlog {
        case .every: nil
        case .merged:
            { older, newer in
                switch (Parcel<Self>.open(older).old, Parcel<Self>.open(newer).new) {
                case (let old?, let new?): Parcel(Self.updated(from: old, to: new))
                case (nil, let new?): Parcel(Self.inserted(new))
                case (let old?, nil): Parcel(Self.removed(old))
                case (nil, nil): nil
                }
            }
        }
    }
}
