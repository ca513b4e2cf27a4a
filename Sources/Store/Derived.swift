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
/// - Memoised after: nobody is told of a value that equals the last one.
/// - Computed once: however many subscribers, derivations and threads ask for it, one change of the
///   input runs the transform once.
/// - Pulled: nothing is computed until somebody asks or subscribes. So a subscriber sees the
///   newest value, never the same twice, and never an older one after a newer one. Values that
///   were current only for a moment between two looks are passed over.
/// - It keeps its stores alive; they keep it only while it has subscribers.
///
/// Limits: a transform is to be a pure function of its input. It runs under the lock of its
/// `Derived`. It is not to read that `Derived`, which stops the program with a sentence that says so.
/// A `Derived` is not to be read inside the body of a commit to one of its stores; that stops the
/// program likewise.
public final class Derived<Value: Equatable & Sendable>: Sendable {
    @usableFromInline
    struct Locked: Sendable {
        /// What the clocks said before the value was last made or confirmed.
        @usableFromInline var stamp: UInt64 = 0
        @usableFromInline var value: Value?
        @usableFromInline var hits = 0
        var misses = 0
        /// Which input the value was made of.
        var inputRevision: UInt64?
        /// Counts the values that differed from the one before.
        var revision: UInt64 = 0
        /// What the sinks have been handed: between two looks of theirs a value may have become
        /// another and come back. `nil` while there are none.
        var told: (revision: UInt64, value: Value)?
        var sinks: [any Sink] = []
    }

    @usableFromInline let lock = OwnedLock(Locked())
    @usableFromInline let clock: CommitClock
    @usableFromInline let otherClocks: [CommitClock]
    let sources: [any DerivedSource]
    /// Makes the value anew, with the revision of its input; `nil` if the input still has the
    /// revision that is passed in.
    private let evaluate: @Sendable (UInt64?) -> Evaluation<Value>?

    init(
        sources: [any DerivedSource],
        evaluate: @escaping @Sendable (UInt64?) -> Evaluation<Value>?
    ) {
        precondition(!sources.isEmpty, "A Derived stands on one store at least.")
        self.sources = sources
        clock = sources[0].clock
        otherClocks = sources.dropFirst().map(\.clock)
        self.evaluate = evaluate
    }

    /// The value for the state as it is.
    ///
    /// - Complexity: a lock and a copy of the value if no store has had a commit since; the transforms
    ///   whose inputs have changed otherwise.
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

    /// How often reading found the value there, and how often it ran the transform.
    public var counters: DerivedCounters {
        lock.withLock(on: CurrentThread()) { locked in
            DerivedCounters(hits: locked.hits, misses: locked.misses)
        }
    }

    /// The sum of all versions. Each of them only grows, and they are read under the lock: equal sums
    /// mean equal versions.
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

    /// Waiting for this lock under that of one of the stores could last for ever, since whoever
    /// holds this one may want that one.
    @usableFromInline
    func checkNotInside(_ thread: CurrentThread) {
        for source in sources { source.checkNotInside(thread) }
        lock.checkNotHeld(
            by: thread,
            "The transform of a Derived read the Derived that it computes."
        )
    }

    /// The value as it is, under the lock.
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
        if let evaluation = evaluate(locked.inputRevision) {
            locked.misses += 1
            locked.inputRevision = evaluation.inputRevision
            if locked.value != evaluation.value {
                locked.value = evaluation.value
                locked.revision += 1
            }
        } else {
            locked.hits += 1
        }
        guard let value = locked.value else { preconditionFailure("The first look evaluates.") }
        return value
    }

    /// The value and what counts how often it has changed.
    func reading() -> Evaluation<Value> {
        alone { locked, _ in
            let value = look(&locked)
            return Evaluation(value: value, inputRevision: locked.revision)
        }
    }

    func alone<Result>(_ body: (inout Locked, CurrentThread) -> Result) -> Result {
        let thread = CurrentThread()
        checkMayWait(thread)
        thread.enterLock()
        defer { thread.leaveLock() }
        return lock.withLock(on: thread) { body(&$0, thread) }
    }
}

/// A value, and the revision of what it was made of.
struct Evaluation<Value> {
    let value: Value
    let inputRevision: UInt64
}

/// What a `Derived` has done so far.
public struct DerivedCounters: Hashable, Sendable {
    /// How often it was asked and had the value, because its input was the same.
    public let hits: Int
    /// How often it ran its transform, or read its part of the state after a commit.
    public let misses: Int
}
