/// One handler's registration with a ``LocalStore``. Dropping the subscription cancels
/// it.
public final class LocalSubscription {
    private var onCancel: (() -> Void)?

    init(onCancel: @escaping () -> Void) {
        self.onCancel = onCancel
    }

    deinit {
        cancel()
    }

    /// Ends the observation: the handler is not called again and its captures are released. May be
    /// called more than once, and inside the handler.
    ///
    /// - Complexity: O(*k*) for *k* observers of the same store, entity or group.
    public func cancel() {
        let onCancel = onCancel
        self.onCancel = nil
        onCancel?()
    }
}

/// One handler, and the version from which it is notified.
final class LocalObserver<News> {
    private var handler: ((News) -> Void)?
    /// The version of the first delivery; only later commits follow.
    private let firstVersion: UInt64

    init(after firstVersion: UInt64, _ handler: @escaping (News) -> Void) {
        self.firstVersion = firstVersion
        self.handler = handler
    }

    /// - Parameter version: The version of the commit that made the news.
    func tell(_ news: News, of version: UInt64) {
        if version > firstVersion { handler?(news) }
    }

    func cancel() {
        handler = nil
    }
}
