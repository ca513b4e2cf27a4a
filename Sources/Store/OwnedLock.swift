public import Synchronization

/// A value behind a `Mutex` that knows which thread holds it.
///
/// The owner turns a lock taken twice by one thread into a message. It also orders the holders in a
/// way that the thread sanitizer sees: on Linux `Mutex` lies in the standard library, which is not
/// instrumented.
@usableFromInline
struct OwnedLock<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let owner = Atomic<UInt>(0)

    @inlinable
    init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Stops the program with `sentence` if the calling thread holds the lock already.
    @inlinable
    func checkNotHeld(
        by thread: CurrentThread,
        _ sentence: @autoclosure () -> String
    ) {
        // Only this thread writes its own token, so that no other thread can change the answer.
        if owner.load(ordering: .relaxed) == thread.token { fatalError(sentence()) }
    }

    /// Runs `body` with exclusive use of the value.
    ///
    /// - Complexity: An uncontended lock.
    @inlinable
    func withLock<Result, Failure: Error>(
        on thread: CurrentThread,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // `Mutex` asks for a result that may be sent elsewhere; this one stays with the caller.
        var result: Result?
        try mutex.withLock { (value) throws(Failure) in
            _ = owner.load(ordering: .acquiring)
            owner.store(thread.token, ordering: .relaxed)
            defer { owner.store(0, ordering: .releasing) }
            result = try body(&value)
        }
        return result!
    }
}
