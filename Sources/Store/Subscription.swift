/// One handler's registration with a store or a `Derived`. Dropping the subscription
/// cancels it.
///
/// A subscription keeps its source alive, and the source keeps the handler.
public final class Subscription: Sendable {
    private struct Connection: Sendable {
        let inbox: Inbox
        let detach: @Sendable () -> Void
    }

    private let connection: OwnedLock<Connection?>

    @usableFromInline
    init(_ inbox: Inbox, detach: @escaping @Sendable () -> Void) {
        connection = OwnedLock(Connection(inbox: inbox, detach: detach))
    }

    deinit {
        let thread = CurrentThread()
        guard let connection = connection.withLock(on: thread, { $0 }) else { return }
        thread.afterLocks { Self.end(connection) }
    }

    /// Ends the subscription: no call of the handler begins after this method has returned.
    ///
    /// The method waits for a call under way on another thread, so do not cancel while holding
    /// something that the handler waits for. Inside its own handler it returns at once. Two
    /// handlers that cancel each other's subscriptions at the same time on two threads wait for
    /// each other for ever: let only one handler cancel the other. A second call waits likewise,
    /// then does nothing.
    ///
    /// - Precondition: Not called inside the body of a commit or a read, nor inside the transform
    ///   of a `Derived`, where waiting for a handler could last for ever.
    /// - Complexity: O(number of subscriptions of the same source), beside the handler under way.
    public func cancel() {
        let thread = CurrentThread()
        precondition(
            !thread.isUnderLock,
            """
            A subscription was cancelled inside the body of a commit or a read, or inside the \
            transform of a Derived. Cancel it after that body or transform.
            """
        )
        // The connection stays until it has ended, so that a second caller waits as well.
        guard let connection = connection.withLock(on: thread, { $0 }) else { return }
        Self.end(connection)
        // `connection` frees the handler outside of the lock.
        self.connection.withLock(on: thread) { $0 = nil }
    }

    private static func end(_ connection: Connection) {
        connection.inbox.cancel(on: CurrentThread())
        connection.detach()
    }
}
