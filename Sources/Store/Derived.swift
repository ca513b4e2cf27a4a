public import Synchronization

/// A part of one or several states, or a value computed from them, kept until they change.
///
/// ```swift
/// let open = store.derived(\.memos) { memos in memos.filter { !$0.isDone }.count }
/// print(open.value)
/// let subscription = open.sinkValue { badge.set($0) }
/// ```
///
/// - Memoised before: a transform runs only when its input has become unequal.
/// - Memoised after: subscribers are not told of a value that equals the last one.
/// - Equal is what `==` says, or the comparison that the caller passes as `by`. The value that was
///   there first stays for as long as the new ones equal it.
/// - Computed once: one change of the input runs the transform once, however many subscribers,
///   derivations and threads ask for the value.
/// - Pulled: a value is computed when a caller asks or a subscriber is told. A subscriber sees the
///   newest value, never the same value twice, and never an older value after a newer one. Values
///   that were current only for a moment between two looks are passed over.
/// - A `Derived` keeps its stores alive; they keep it alive only while it has subscribers.
///
/// Limits: transforms and comparisons must be pure functions of their arguments. They run under the
/// lock of their `Derived`. A transform or comparison that reads that `Derived` stops the program
/// with a message that says so, and so does reading a `Derived` inside the body of a commit to one
/// of its stores.
public final class Derived<Value: Sendable>: Sendable {
    /// The state under the lock. Code that is specialised in the caller's module uses the first
    /// three properties, so the language does not let them be private; this file alone sets them.
    @usableFromInline
    struct Locked: Sendable {
        /// The sum of the versions before the value was last made or confirmed.
        @usableFromInline fileprivate(set) var stamp: UInt64 = 0
        @usableFromInline fileprivate(set) var value: Value?
        @usableFromInline var hits = 0
        fileprivate var misses = 0
        /// The revision of the input that the value was made from.
        fileprivate var inputRevision: UInt64?
        /// Counts the values that differed from the one before.
        fileprivate var revision: UInt64 = 0
        /// The value that the sinks have; `nil` while there are no sinks. Compared by value too: a
        /// value may become another one and come back between two looks.
        fileprivate var told: (revision: UInt64, value: Value)?
        fileprivate var sinks: [any Sink] = []

        fileprivate init() {}
    }

    @usableFromInline let lock = OwnedLock(Locked())
    @usableFromInline let clock: CommitClock
    @usableFromInline let otherClocks: [CommitClock]
    private let sources: [any DerivedSource]
    private let areEqual: @Sendable (Value, Value) -> Bool
    /// Makes the value, with the revision of its input; `nil` if the input still has the revision
    /// that is passed in.
    private let evaluate: @Sendable (UInt64?) -> Evaluation<Value>?

    init(
        sources: [any DerivedSource],
        by areEqual: @escaping @Sendable (Value, Value) -> Bool,
        evaluate: @escaping @Sendable (UInt64?) -> Evaluation<Value>?
    ) {
        precondition(!sources.isEmpty, "A Derived stands on one store at least.")
        self.sources = sources
        self.areEqual = areEqual
        clock = sources[0].clock
        otherClocks = sources.dropFirst().map(\.clock)
        self.evaluate = evaluate
    }

    /// The value for the current state.
    ///
    /// - Precondition: Not read inside the body of a commit to one of its stores, nor by its own
    ///   transform.
    /// - Complexity: A lock and a copy of the value if no store has had a commit since; the
    ///   transforms whose inputs have changed otherwise.
    @inlinable
    public var value: Value {
        let thread = CurrentThread()
        checkMayWait(thread)
        thread.enterLock()
        defer { thread.leaveLock() }
        return lock.withLock(on: thread) { locked in
            look(&locked)
        }
    }

    /// How often a look found the value there, and how often it ran the transform.
    public var counters: DerivedCounters {
        lock.withLock(on: CurrentThread()) { locked in
            DerivedCounters(hits: locked.hits, misses: locked.misses)
        }
    }

    // MARK: Chaining

    /// A value computed from this one.
    ///
    /// - Parameter transform: A pure function. It runs when a look finds that this value has become
    ///   unequal to the one before.
    public func map<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output
    ) -> Derived<Output> {
        map(transform, by: ==)
    }

    /// A value computed from this one, compared in the caller's own way.
    ///
    /// ```swift
    /// let picture = portrait.map { render($0) } by: { $0.pixels == $1.pixels }
    /// ```
    ///
    /// - Parameters:
    ///   - transform: A pure function. It runs when a look finds that this value has become unequal
    ///     to the one before.
    ///   - areEqual: Whether two computed values count as the same.
    public func map<Output: Sendable>(
        _ transform: @escaping @Sendable (Value) -> Output,
        by areEqual: @escaping @Sendable (Output, Output) -> Bool
    ) -> Derived<Output> {
        Derived<Output>(sources: sources, by: areEqual) { known in
            let input = self.reading()
            return known == input.inputRevision
                ? nil
                : Evaluation(
                    value: transform(input.value),
                    inputRevision: input.inputRevision
                )
        }
    }

    /// A value computed from several others, which may stand on different stores.
    ///
    /// ```swift
    /// let title = Derived.combine(unread, account) { count, name in "\(name) (\(count))" }
    /// ```
    ///
    /// The states of different stores are read one after another: a commit to the second store may
    /// fall between two reads. The next look then sees both.
    ///
    /// - Parameters:
    ///   - inputs: The values to compute from; each may have any type.
    ///   - transform: A pure function. It runs when a look finds that one of the values has become
    ///     unequal to the one before.
    public static func combine<each Input>(
        _ inputs: repeat Derived<each Input>,
        transform: @escaping @Sendable (repeat each Input) -> Value
    ) -> Derived<Value> where Value: Equatable {
        combine(repeat each inputs, transform: transform, by: ==)
    }

    /// A value computed from several others, compared in the caller's own way.
    ///
    /// - Parameters:
    ///   - inputs: The values to compute from; each may have any type.
    ///   - transform: A pure function. It runs when a look finds that one of the values has become
    ///     unequal to the one before.
    ///   - areEqual: Whether two computed values count as the same.
    public static func combine<each Input>(
        _ inputs: repeat Derived<each Input>,
        transform: @escaping @Sendable (repeat each Input) -> Value,
        by areEqual: @escaping @Sendable (Value, Value) -> Bool
    ) -> Derived<Value> {
        var sources: [any DerivedSource] = []
        for input in repeat each inputs {
            for source in input.sources where !sources.contains(where: { $0 === source }) {
                sources.append(source)
            }
        }
        return Derived<Value>(sources: sources, by: areEqual) { known in
            let readings = (repeat (each inputs).reading())
            // Each revision only grows, so that equal sums mean equal inputs.
            var sum: UInt64 = 0
            for reading in repeat each readings { sum &+= reading.inputRevision }
            return known == sum
                ? nil
                : Evaluation(
                    value: transform(repeat (each readings).value),
                    inputRevision: sum
                )
        }
    }

    // MARK: Subscribing

    /// Calls `handler` with the current value, then with each value that differs from the last one,
    /// until the subscription is cancelled or dropped.
    ///
    /// Values arrive in order, and the newest value always arrives. No call begins after `cancel()`
    /// has returned. Handlers run one at a time.
    ///
    /// - Parameters:
    ///   - executor: Where the handler runs.
    ///   - backlog: How values wait that come faster than the handler takes them; `.merged` keeps
    ///     the newest.
    ///   - handler: Called with each value.
    /// - Returns: The subscription. Keep it for as long as the handler is to be called.
    @inlinable
    public func sinkValue(
        on executor: some DeliveryExecutor = .immediate,
        backlog: Backlog = .every,
        _ handler: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        let inbox = Inbox(executor: executor, merge: Self.merge(for: backlog)) { news in
            handler(Parcel<Value>.open(news))
        }
        attach(inbox)
        return Subscription(inbox) { self.detach(inbox) }
    }

    /// Calls `handler` on the main actor with the current value, then with each value that differs
    /// from the last one. Order and cancellation are as with any other executor.
    public func sinkValue(
        on actor: MainActor,
        backlog: Backlog = .every,
        _ handler: @escaping @MainActor (Value) -> Void
    ) -> Subscription {
        sinkValue(on: .actor(actor), backlog: backlog) { value in
            MainActor.assumeIsolated { handler(value) }
        }
    }

    /// The current value, then each value that differs from the last one, for `for await` loops.
    ///
    /// Every loop sees all of them. It ends when its task is cancelled. Values that the loop has
    /// not taken yet wait for it.
    public var values: Updates<Value> { values(backlog: .every) }

    /// The current value, then each value that differs from the last one, for `for await` loops.
    ///
    /// - Parameter backlog: How values wait that come faster than the loop takes them.
    public func values(backlog: Backlog) -> Updates<Value> {
        Updates(open: Parcel.open, merge: Self.merge(for: backlog)) {
            self.attach($0)
        } detach: {
            self.detach($0)
        }
    }

    @inlinable
    static func merge(for backlog: Backlog) -> BacklogQueue.Merge? {
        switch backlog {
        case .every: nil
        case .merged: { _, newer in newer }
        }
    }

    @usableFromInline
    func attach(_ sink: any Sink) {
        alone { locked, thread in
            // Before looking, so that a commit meanwhile is looked at as well.
            if locked.sinks.isEmpty { for source in sources { source.add(self) } }
            let value = look(&locked)
            tell(&locked, thread)
            locked.sinks.append(sink)
            sink.receive(Parcel(value), on: thread)
        }
    }

    @usableFromInline
    func detach(_ sink: any Sink) {
        alone { locked, _ in
            locked.sinks.removeAll { $0 === sink }
            if locked.sinks.isEmpty {
                locked.told = nil
                for source in sources { source.remove(self) }
            }
        }
    }

    private func tell(_ locked: inout Locked, _ thread: CurrentThread) {
        guard locked.revision != locked.told?.revision, let value = locked.value else { return }
        if let told = locked.told, areEqual(told.value, value) {
            locked.told = (locked.revision, told.value)
            return
        }
        locked.told = (locked.revision, value)
        let news = Parcel(value)
        for sink in locked.sinks { sink.receive(news, on: thread) }
    }

    // MARK: Looking

    /// The sum of all versions. Each version only grows, and they are read under the lock: equal
    /// sums mean equal versions.
    @inlinable
    var stamp: UInt64 {
        var sum = clock.version.load(ordering: .acquiring)
        for other in otherClocks { sum &+= other.version.load(ordering: .acquiring) }
        return sum
    }

    @inlinable
    func checkMayWait(_ thread: CurrentThread) {
        if thread.isUnderLock { checkNotInside(thread) }
    }

    /// A thread that waits for this lock under the lock of one of the stores could wait for ever:
    /// the thread that holds this lock may want that store's lock.
    @usableFromInline
    func checkNotInside(_ thread: CurrentThread) {
        for source in sources { source.checkNotInside(thread) }
        lock.checkNotHeld(
            by: thread,
            "The transform of a Derived, or its comparison, read the Derived that it computes."
        )
    }

    /// The current value, under the lock.
    @inlinable
    func look(_ locked: inout Locked) -> Value {
        if let value = locked.value, locked.stamp == stamp {
            locked.hits &+= 1
            return value
        }
        return refresh(&locked)
    }

    @usableFromInline
    func refresh(_ locked: inout Locked) -> Value {
        // Before evaluating: a commit meanwhile leaves the stamp behind, and the next read looks.
        locked.stamp = stamp
        guard let evaluation = evaluate(locked.inputRevision) else {
            locked.hits += 1
            guard let value = locked.value else { preconditionFailure("The first look evaluates.") }
            return value
        }
        locked.misses += 1
        locked.inputRevision = evaluation.inputRevision
        if let value = locked.value, areEqual(value, evaluation.value) { return value }
        locked.value = evaluation.value
        locked.revision += 1
        return evaluation.value
    }

    /// The value, and the count of its changes as the revision of a further derivation's input.
    private func reading() -> Evaluation<Value> {
        alone { locked, _ in
            let value = look(&locked)
            return Evaluation(value: value, inputRevision: locked.revision)
        }
    }

    private func alone<Result>(_ body: (inout Locked, CurrentThread) -> Result) -> Result {
        let thread = CurrentThread()
        checkMayWait(thread)
        thread.enterLock()
        defer { thread.leaveLock() }
        return lock.withLock(on: thread) { body(&$0, thread) }
    }
}

extension Derived: Deliverable {
    /// Looks after a commit to one of the stores, and tells the subscribers.
    @usableFromInline
    func deliver(on _: CurrentThread, upTo _: UInt64) {
        alone { locked, thread in
            guard !locked.sinks.isEmpty else { return }
            _ = look(&locked)
            tell(&locked, thread)
        }
    }
}

/// A value, and the revision of the input that it was made from.
struct Evaluation<Value> {
    let value: Value
    let inputRevision: UInt64
}

/// A store, as the `Derived` values that stand on it see it.
protocol DerivedSource: AnyObject, Sendable {
    var clock: CommitClock { get }
    func checkNotInside(_ thread: CurrentThread)
    /// Has `dependent` deliver after each commit.
    func add(_ dependent: any Deliverable)
    func remove(_ dependent: any Deliverable)
}

/// How often a `Derived` had its value ready, and how often it computed it.
public struct DerivedCounters: Hashable, Sendable {
    /// How many looks found the value there, because the input was the same.
    public let hits: Int
    /// How many looks ran the transform, or read a part of the state after a commit.
    public let misses: Int
}
