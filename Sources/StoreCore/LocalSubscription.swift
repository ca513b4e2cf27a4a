/// What keeps an observer of a ``LocalStore`` observing. Dropping it cancels it.
public final class LocalSubscription {
    private var onCancel: (() -> Void)?

    init(onCancel: @escaping () -> Void) {
        self.onCancel = onCancel
    }

    deinit {
        cancel()
    }

    /// Ends the observation: the handler is not called again and what it holds is released. May be
    /// called more than once, and inside the handler.
    ///
    /// - Complexity: O(*k*) for *k* observers of the same.
    public func cancel() {
        let onCancel = onCancel
        self.onCancel = nil
        onCancel?()
    }
}

/// One handler, and from where on it wants to know.
final class LocalObserver<News> {
    private var handler: ((News) -> Void)?
    /// The commit whose state it was handed first: it wants the later ones.
    private let firstVersion: UInt64

    init(after firstVersion: UInt64, _ handler: @escaping (News) -> Void) {
        self.firstVersion = firstVersion
        self.handler = handler
    }

    /// - Parameter version: the commit that the news is of.
    func tell(_ news: News, of version: UInt64) {
        if version > firstVersion { handler?(news) }
    }

    func cancel() {
        handler = nil
    }
}
