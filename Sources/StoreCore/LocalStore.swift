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
/// another: what a handler commits is delivered after the commit under delivery has reached
/// everybody.
public final class LocalStore<State> {
    private var current: State
    private var origin: CommitOrigin
    private var isCommitting = false
    private var isDelivering = false
    private var observers: [LocalObserver<Changes<State>>] = []
    /// Commits that not everybody has been told of, in order.
    private var undelivered: [Changes<State>] = []

    /// How many commits there have been.
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
    /// - Precondition: not read inside the body of a commit, which has the state as its argument.
    /// - Complexity: O(1).
    public var state: State {
        precondition(
            !isCommitting,
            "Inside a commit, read the state that its body was given."
        )
        return current
    }

    /// Changes the state and tells the observers.
    ///
    /// A body that throws changes nothing, and nobody is told. Outside of handlers the observers
    /// have been told when `commit` returns; inside of one they are told afterwards.
    ///
    /// - Parameters:
    ///   - name: what to call the commit in ``Changes/origin``.
    ///   - file: where it is made; leave it to the compiler.
    ///   - line: the same.
    ///   - body: changes the state; it must not use this store. Compose with mutating methods of
    ///     the state.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws.
    /// - Complexity: what `body` and the handlers take.
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

    /// Calls `handler` at once with the state as it is, and then after every commit.
    ///
    /// - Returns: what keeps the observation going; dropping it ends it.
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

    /// Hands a new observer the state as it is. What is committed meanwhile is delivered when it
    /// has seen that.
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
