public import StoreCore

/// One source of truth: a state, changed by `commit` only, read and observed from any thread.
///
/// ```swift
/// struct Notes { var titles: [String] = []; var isLoading = false }
///
/// extension Store<Notes> {
///     func add(_ title: String) { commit { $0.titles.append(title) } }
/// }
///
/// let notes = Store(Notes())
/// let subscription = notes.sinkState { changes in
///     changes.ifChanged(\.titles) { print($0) }
/// }
/// notes.add("Milk")
/// ```
///
/// Methods are the actions: there are no action types and no reducers. Several stores may exist,
/// and feed each other by subscriptions.
///
/// Guarantees:
/// - Commits happen one after another, in one order that all observers see. None is lost.
/// - A commit whose body throws changes nothing and tells nobody.
/// - Memory does not grow with the number of commits.
///
/// Limits:
/// - A body (of `commit` or `read`) is not to use its own store: that stops the program with a
///   sentence that says so. It may commit to another store. That commit is one of its own and stays
///   when the outer one throws. Nest stores in one order only, and count reading a `Derived` of
///   another store as nesting: two threads that nest them the other way round would wait for each
///   other for ever.
/// - Bodies run under the store's lock. Keep them short and free of I/O.
@dynamicMemberLookup
public final class Store<State: Sendable>: Sendable {
    /// What the store is called in messages.
    public let name: String

    @usableFromInline
    struct Locked: Sendable {
        @usableFromInline var state: State
        @usableFromInline var version: UInt64 = 0
        @usableFromInline var origin: CommitOrigin
        /// Who is handed every commit, in the order of subscription.
        @usableFromInline var sinks: [any Sink] = []
        /// Who only wants to know that there was a commit, and looks afterwards.
        @usableFromInline var dependents: [any Deliverable] = []
        /// One for each table of which entities or groups are observed. It is among the sinks too.
        @usableFromInline var hubs: [TableSink] = []
    }

    @usableFromInline let lock: OwnedLock<Locked>
    @usableFromInline let clock = CommitClock()

    /// - Parameters:
    ///   - initial: the state at version 0.
    ///   - name: what the store is called in messages; the type of its state unless given.
    ///   - file: where the store is made, for the origin of the first delivery; leave it to the
    ///     compiler.
    ///   - line: the same.
    public init(
        _ initial: State,
        name: String = String(describing: State.self),
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.name = name
        let origin = CommitOrigin(name: "init", file: file, line: line)
        lock = OwnedLock(Locked(state: initial, origin: origin))
    }

    /// The state after the latest commit.
    ///
    /// - Complexity: a lock and a copy of the state.
    @inlinable
    public var state: State {
        read { $0 }
    }

    /// A part of the state after the latest commit: `store.title`.
    ///
    /// - Complexity: a lock and that of the key path.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
        read { $0[keyPath: path] }
    }

    /// Calls `body` with the state after the latest commit, without copying the state.
    ///
    /// - Parameter body: runs under the store's lock, so that no commit happens meanwhile. It is not
    ///   to use this store.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` throws.
    /// - Complexity: a lock, beside what `body` does.
    @inlinable
    public func read<Result, Failure: Error>(
        _ body: (State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try alone { (locked, _) throws(Failure) in try body(locked.state) }
    }

    /// Runs a closure under the lock, after making sure that its thread is not under it already.
    @inlinable
    func alone<Result, Failure: Error>(
        _ body: (inout Locked, CurrentThread) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let thread = CurrentThread()
        checkNotInside(thread)
        thread.enterLock()
        defer { thread.leaveLock() }
        return try lock.withLock(on: thread) { (locked) throws(Failure) in
            try body(&locked, thread)
        }
    }

    @inlinable
    func checkNotInside(_ thread: CurrentThread) {
        lock.checkNotHeld(by: thread, nestedUse)
    }

    @usableFromInline
    var nestedUse: String {
        """
        The store “\(name)” was used inside the body of its own commit or read. Use the state that \
        the body was given, and compose with mutating methods of the state.
        """
    }
}
