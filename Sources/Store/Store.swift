// A program that imports Store has the tables and changes too: half of the store's interface is
// made of them.
@_exported public import StoreCore
public import Synchronization

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
/// Methods are the actions: there are no action types and no reducers. A program may have several
/// stores, and a subscription may feed one store from another.
///
/// Guarantees:
/// - Commits happen one after another, in one order that all observers see. No commit is lost.
/// - A commit whose body throws changes nothing and notifies no observer.
/// - Memory does not grow with the number of commits.
///
/// Limits:
/// - A body (of `commit` or `read`) must not use its own store: that stops the program with a
///   message that says so. A body may commit to another store. That commit is independent and stays
///   when the outer commit throws. Nest stores in one order only, and count reading a `Derived` of
///   another store as nesting: two threads that nest the same stores in opposite orders wait for
///   each other for ever.
/// - Bodies run under the store's lock. Keep them short and free of I/O.
@dynamicMemberLookup
public final class Store<State: Sendable>: Sendable {
    /// The store's name in messages.
    public let name: String

    /// The state under the lock. Code that is specialised in the caller's module uses some of it,
    /// so the language does not let it be private; only this file sets the rest.
    @usableFromInline
    struct Locked: Sendable {
        @usableFromInline var state: State
        @usableFromInline var version: UInt64 = 0
        @usableFromInline var origin: CommitOrigin
        /// Receive every commit, in the order of subscription.
        @usableFromInline fileprivate(set) var sinks: [any Sink] = []
        /// Learn only that there was a commit, and look at the state afterwards.
        @usableFromInline fileprivate(set) var dependents: [any Deliverable] = []
        /// One for each table with observed entities or groups. It is among the sinks too.
        private(set) var hubs: [TableSink] = []
        /// The computed properties of `state`, for its `Changes` and those of the next commit. `nil`
        /// while there are no sinks.
        @usableFromInline var memory: ComputedMemory?

        fileprivate init(state: State, origin: CommitOrigin) {
            self.state = state
            self.origin = origin
        }

        /// An observer's first delivery: the state as it is.
        ///
        /// - Precondition: There is a sink.
        @inlinable
        mutating func firstChanges() -> Changes<State> {
            let memory = self.memory ?? ComputedMemory()
            self.memory = memory
            return Changes(
                previous: nil,
                current: state,
                version: version,
                origin: origin,
                memories: (nil, memory)
            )
        }

        /// The delivery of a commit: the state, and the state before it.
        @inlinable
        mutating func nextChanges(since previous: State) -> Changes<State> {
            let memories = (previous: memory ?? ComputedMemory(), current: ComputedMemory())
            memory = memories.current
            return Changes(
                previous: previous,
                current: state,
                version: version,
                origin: origin,
                memories: memories
            )
        }

        /// - Returns: The memory that nobody needs any more, to be freed outside of the lock.
        fileprivate mutating func remove(_ sink: any Sink) -> ComputedMemory? {
            sinks.removeAll { $0 === sink }
            return takeUnusedMemory()
        }

        private mutating func takeUnusedMemory() -> ComputedMemory? {
            sinks.isEmpty ? memory.take() : nil
        }

        /// The `TableHub` of the table at `path`; `nil` while nothing observes that table.
        @usableFromInline
        func hub(at path: any AnyKeyPath & Sendable) -> AnyObject? {
            hubs.first { $0.path == path }?.hub
        }

        @usableFromInline
        mutating func add(_ hub: TableSink) {
            hubs.append(hub)
            sinks.append(hub)
        }

        /// - Returns: The memory that nobody needs any more, to be freed outside of the lock.
        @usableFromInline
        mutating func removeEmptyHubs() -> ComputedMemory? {
            let empty = hubs.filter(\.isEmpty)
            guard !empty.isEmpty else { return nil }
            hubs.removeAll { hub in empty.contains { $0 === hub } }
            sinks.removeAll { sink in empty.contains { $0 === sink } }
            return takeUnusedMemory()
        }
    }

    @usableFromInline let lock: OwnedLock<Locked>
    @usableFromInline let clock = CommitClock()

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - initial: The state at version 0.
    ///   - name: The store's name in messages; the type of its state unless given.
    ///   - file: The file that makes the store, for the origin of the first delivery. Leave it to
    ///     the compiler.
    ///   - line: The line that makes the store. Leave it to the compiler.
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

    // MARK: Reading

    /// The state after the latest commit.
    ///
    /// - Complexity: A lock and a copy of the state.
    @inlinable
    public var state: State {
        read { $0 }
    }

    /// A part of the state after the latest commit: `store.title`.
    ///
    /// - Complexity: A lock and the cost of the key path.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value {
        read { $0[keyPath: path] }
    }

    /// Calls `body` with the state after the latest commit, without copying the state.
    ///
    /// - Parameter body: Runs under the store's lock, so that no commit happens meanwhile. It must
    ///   not use this store.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    /// - Complexity: A lock, beside the cost of `body`.
    @inlinable
    public func read<Result, Failure: Error>(
        _ body: (State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try alone { (locked, _) throws(Failure) in try body(locked.state) }
    }

    // MARK: Committing

    /// Changes the state: the only way to do so.
    ///
    /// ```swift
    /// let index = store.commit { notes in
    ///     notes.titles.append("Milk")
    ///     return notes.titles.count - 1
    /// }
    /// ```
    ///
    /// When it returns, the change is visible to every thread, and every handler on `.immediate`
    /// has been called, with two exceptions. If another thread is delivering to a subscription,
    /// that thread calls its handler. If the commit is made inside a handler or a body, the
    /// handlers are called after that handler or body.
    ///
    /// - Parameters:
    ///   - name: The commit's name in `Changes.origin`; the calling function unless given.
    ///   - file: The file of the call. Leave it to the compiler.
    ///   - line: The line of the call. Leave it to the compiler.
    ///   - body: Changes the state, alone. If it throws, the state is as before and no observer is
    ///     notified. It must not use this store.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`, and no other.
    /// - Complexity: A lock, beside the cost of `body`. With observers, or with a body that can
    ///   throw, the previous state is kept meanwhile, so that the copy-on-write parts that `body`
    ///   touches are copied. Each observer costs one step under the lock.
    @inlinable
    @discardableResult
    public func commit<Result, Failure: Error>(
        _ name: StaticString = #function,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let origin = CommitOrigin(name: name, file: file, line: line)
        return try alone { (locked, thread) throws(Failure) in
            if Failure.self == Never.self, locked.sinks.isEmpty {
                let result = try body(&locked.state)
                advance(&locked, origin, thread)
                return result
            }
            let previous = locked.state
            let result: Result
            do throws(Failure) {
                result = try body(&locked.state)
            } catch {
                locked.state = previous
                throw error
            }
            advance(&locked, origin, thread)
            tell(&locked, previous, thread)
            return result
        }
    }

    @inlinable
    func advance(_ locked: inout Locked, _ origin: CommitOrigin, _ thread: CurrentThread) {
        locked.version &+= 1
        locked.origin = origin
        clock.version.store(locked.version, ordering: .releasing)
        if !locked.dependents.isEmpty { thread.append(locked.dependents) }
    }

    @inlinable
    func tell(_ locked: inout Locked, _ previous: State, _ thread: CurrentThread) {
        guard !locked.sinks.isEmpty else { return }
        let changes = locked.nextChanges(since: previous)
        for sink in locked.sinks { sink.receive(changes, on: thread) }
    }

    // MARK: Subscribing

    /// Calls `handler` with the current state, then with every commit, until the subscription is
    /// cancelled or dropped.
    ///
    /// The first delivery has no previous state. Each later delivery has the state of the delivery
    /// before as its previous state. No commit is lost, repeated or delivered out of order, and no
    /// call begins after `cancel()` has returned. Handlers run one at a time. A handler may commit,
    /// to this store too: that commit is delivered afterwards.
    ///
    /// On `.immediate` the first delivery has happened when this method returns, unless it was
    /// called inside a handler or a body: then it happens after that handler or body.
    ///
    /// - Parameters:
    ///   - executor: Where the handler runs.
    ///   - backlog: How commits wait that come faster than the handler takes them.
    ///   - handler: Called with each commit.
    /// - Returns: The subscription. Keep it for as long as the handler is to be called.
    @inlinable
    public func sinkState(
        on executor: some DeliveryExecutor = .immediate,
        backlog: Backlog = .every,
        _ handler: @escaping @Sendable (Changes<State>) -> Void
    ) -> Subscription {
        let inbox = Inbox(
            executor: executor,
            merge: Changes<State>.merge(for: backlog)
        ) { news in
            handler(Changes<State>.open(news))
        }
        attach(inbox)
        return Subscription(inbox) { self.detach(inbox) }
    }

    /// Calls `handler` on the main actor with the current state, then with every commit. Order and
    /// cancellation are as with any other executor.
    @inlinable
    public func sinkState(
        on actor: MainActor,
        backlog: Backlog = .every,
        _ handler: @escaping @MainActor (Changes<State>) -> Void
    ) -> Subscription {
        sinkState(on: .actor(actor), backlog: backlog) { changes in
            MainActor.assumeIsolated { handler(changes) }
        }
    }

    /// The current state, then every commit, for `for await` loops.
    ///
    /// Every loop sees what `sinkState` delivers, from the loop's beginning. A loop ends when its
    /// task is cancelled. Commits that the loop has not taken yet wait for it: see
    /// `changes(backlog:)`.
    public var changes: Updates<Changes<State>> { changes(backlog: .every) }

    /// The current state, then the commits, for `for await` loops.
    ///
    /// - Parameter backlog: How commits wait that come faster than the loop takes them.
    public func changes(backlog: Backlog) -> Updates<Changes<State>> {
        Updates(open: Changes<State>.open, merge: Changes<State>.merge(for: backlog)) {
            self.attach($0)
        } detach: {
            self.detach($0)
        }
    }

    /// One step: every commit after the first delivery reaches the sink, without a gap.
    @usableFromInline
    func attach(_ sink: any Sink) {
        alone { locked, thread in
            locked.sinks.append(sink)
            sink.receive(locked.firstChanges(), on: thread)
        }
    }

    @usableFromInline
    func detach(_ sink: any Sink) {
        _ = alone { locked, _ in locked.remove(sink) }
    }

    // MARK: The lock

    /// Runs a closure under the lock, after making sure that its thread does not hold it already.
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

extension Store: DerivedSource {
    func add(_ dependent: any Deliverable) {
        alone { locked, _ in locked.dependents.append(dependent) }
    }

    func remove(_ dependent: any Deliverable) {
        alone { locked, _ in locked.dependents.removeAll { $0 === dependent } }
    }
}

/// The version of one store, readable without its lock.
@usableFromInline
final class CommitClock: Sendable {
    @usableFromInline let version = Atomic<UInt64>(0)

    init() {}
}
