/// The store of a program with one thread, such as a page in a browser: one state, changed by
/// `commit` alone.
///
/// ```swift
/// let store = LocalStore(AppState())
/// let subscription = store.observe { changes in
///     changes.ifChanged(\.title) { title in show(title) }
/// }
/// store.commit { $0.title = "Inbox" }
/// ```
///
/// Handlers are called one at a time, in the order in which they subscribed, and never inside one
/// another: a handler's own commit is delivered after the commit under delivery has reached every
/// observer.
public final class LocalStore<State> {
    private var current: State
    private var origin: CommitOrigin
    private var isCommitting = false
    private var isDelivering = false
    private var observers: [LocalObserver<Changes<State>>] = []
    /// Commits that some observers have yet to receive, in order.
    private var undelivered: [Changes<State>] = []

    /// The number of commits.
    ///
    /// - Complexity: O(1).
    public private(set) var version: UInt64 = 0

    /// - Complexity: O(1).
    public init(
        _ initial: State,
        name: StaticString = #function,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        current = initial
        origin = CommitOrigin(name: name, file: file, line: line)
    }

    /// The state after the last commit.
    ///
    /// - Precondition: Not read inside the body of a commit, which has the state as its argument.
    /// - Complexity: O(1).
    public var state: State {
        precondition(
            !isCommitting,
            "Inside a commit, read the state that its body was given."
        )
        return current
    }

    /// Changes the state and notifies the observers.
    ///
    /// A body that throws changes nothing, and no observer is notified. Outside of handlers the
    /// observers have been notified when `commit` returns. Inside a handler they are notified after
    /// that handler.
    ///
    /// - Parameters:
    ///   - name: The commit's name in ``Changes/origin``.
    ///   - file: The file of the call. Leave it to the compiler.
    ///   - line: The line of the call. Leave it to the compiler.
    ///   - body: Changes the state; it must not use this store. Compose with mutating methods of
    ///     the state.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    /// - Complexity: The cost of `body` and of the handlers.
    @discardableResult
    public func commit<Result, Failure: Error>(
        _ name: StaticString = #function,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(
            !isCommitting,
            "A commit inside a commit: compose with mutating methods of the state."
        )
        var next = current
        isCommitting = true
        defer { isCommitting = false }
        let result = try body(&next)
        isCommitting = false
        origin = CommitOrigin(name: name, file: file, line: line)
        version += 1
        if !observers.isEmpty {
            undelivered.append(
                Changes(previous: current, current: next, version: version, origin: origin)
            )
        }
        current = next
        deliver()
        return result
    }

    /// Calls `handler` at once with the current state, then after every commit.
    ///
    /// - Returns: The subscription. Dropping it ends the observation.
    /// - Complexity: O(1).
    public func observe(_ handler: @escaping (Changes<State>) -> Void) -> LocalSubscription {
        let observer = LocalObserver(after: version, handler)
        observers.append(observer)
        introduce { handler($0) }
        return LocalSubscription { [self] in
            observer.cancel()
            observers.removeAll { $0 === observer }
        }
    }

    /// Hands a new observer the current state. Commits that it makes meanwhile are delivered
    /// afterwards.
    func introduce(_ body: (Changes<State>) -> Void) {
        let first = Changes(previous: nil, current: state, version: version, origin: origin)
        let wasDelivering = isDelivering
        isDelivering = true
        body(first)
        isDelivering = wasDelivering
        deliver()
    }

    private func deliver() {
        if isDelivering { return }
        isDelivering = true
        while !undelivered.isEmpty {
            // Handlers may append more.
            let batch = undelivered
            undelivered = []
            for changes in batch {
                for observer in observers { observer.tell(changes, of: changes.version) }
            }
        }
        isDelivering = false
    }
}
