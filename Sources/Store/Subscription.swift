/// Keeps handlers being called. Dropping it cancels.
///
/// - `cancel()`: when it has returned no handler begins. One under way on another thread is waited for;
///   so do not cancel while holding something that the handler waits for. Inside its own handler
///   it returns at once. Two handlers that cancel each other's subscription at the same time on
///   two threads would wait for each other: cancel from one of them only.
/// - It keeps its store alive, and the store keeps the handler.
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

    /// Ends the subscription; again does nothing.
    ///
    /// - Precondition: not inside the body of a commit or a read, where waiting for a handler could
    ///   last for ever.
    /// - Complexity: O(number of subscriptions of the same source), and the handler under way.
    public func cancel() {
        let thread = CurrentThread()
        precondition(
            !thread.isUnderLock,
            """
            A subscription was cancelled inside the body of a commit or a read, or inside the \
            transform of a Derived. Cancel it after that one.
            """
        )
        // It stays until it has ended, so that a second caller waits as well.
        guard let connection = connection.withLock(on: thread, { $0 }) else { return }
        Self.end(connection)
        // What it held is freed with `connection`, outside of the lock.
        self.connection.withLock(on: thread) { $0 = nil }
    }

    private static func end(_ connection: Connection) {
        connection.inbox.cancel(on: CurrentThread())
        connection.detach()
    }
}
