/// The updates of a store or a `Derived`, as an asynchronous sequence.
///
/// Every loop (every iterator) has an inbox of its own and begins with the current value. The loop
/// ends when its task is cancelled. The inbox is freed then, or when the iterator is dropped. A
/// loop keeps its source alive.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = Never

    private let open: @Sendable (any News) -> Element
    private let merge: BacklogQueue.Merge?
    private let attach: @Sendable (PullInbox) -> Void
    private let detach: @Sendable (PullInbox) -> Void

    init(
        open: @escaping @Sendable (any News) -> Element,
        merge: BacklogQueue.Merge?,
        attach: @escaping @Sendable (PullInbox) -> Void,
        detach: @escaping @Sendable (PullInbox) -> Void
    ) {
        self.open = open
        self.merge = merge
        self.attach = attach
        self.detach = detach
    }

    public func makeAsyncIterator() -> Iterator {
        let inbox = PullInbox(merge: merge, detach: detach)
        attach(inbox)
        return Iterator(open: open, lease: Iterator.Lease(inbox: inbox))
    }

    /// Iterates over the updates of one source, from the current value on.
    public struct Iterator: AsyncIteratorProtocol {
        /// Ends the inbox with the last copy of the iterator.
        fileprivate final class Lease: Sendable {
            let inbox: PullInbox

            init(inbox: PullInbox) {
                self.inbox = inbox
            }

            deinit {
                inbox.finish()
            }
        }

        fileprivate let open: @Sendable (any News) -> Element
        fileprivate let lease: Lease

        /// The next update, waiting for one if need be; `nil` once the task is cancelled.
        ///
        /// - Precondition: No other task waits on a copy of this iterator.
        public mutating func next() async -> Element? {
            await lease.inbox.next().map(open)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await lease.inbox.next(isolation: actor).map(open)
        }
    }
}
