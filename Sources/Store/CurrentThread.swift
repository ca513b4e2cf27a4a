import LibC

/// Work that a store leaves for the thread to do once the thread holds no store's lock.
@usableFromInline
protocol Deliverable: AnyObject, Sendable {
    /// - Parameter goal: The number that the work was appended with.
    func deliver(on thread: CurrentThread, upTo goal: UInt64)
}

/// The calling thread: the locks of stores that it holds, and the work that waits for it.
///
/// Every closure that runs under a lock (the body of a commit or of a read, the transform of a
/// `Derived`) is counted, so that handlers run only when the outermost closure has ended: a handler
/// never runs while its thread holds a lock that the handler might want.
///
/// Handlers run in a loop, first in first out, and not inside one another: a commit that a handler
/// makes is appended and delivered after it. A `CurrentThread` is valid only on the thread that
/// made it.
@usableFromInline
struct CurrentThread {
    @usableFromInline
    struct Context {
        /// How many closures under a lock the thread is inside.
        @usableFromInline var depth = 0
        @usableFromInline var isDelivering = false
        @usableFromInline var ready = FirstInFirstOut<(work: any Deliverable, goal: UInt64)>()

        init() {}
    }

    @usableFromInline let context: UnsafeMutablePointer<Context>

    /// - Complexity: O(1): one look-up of a thread-local pointer.
    @usableFromInline
    init() {
        if let known = pthread_getspecific(contextKey) {
            context = known.assumingMemoryBound(to: Context.self)
        } else {
            context = .allocate(capacity: 1)
            context.initialize(to: Context())
            pthread_setspecific(contextKey, context)
        }
    }

    /// Tells this thread from every other live thread. Never 0.
    @inlinable
    var token: UInt { UInt(bitPattern: context) }

    @inlinable
    func enterLock() {
        context.pointee.depth += 1
    }

    @inlinable
    func leaveLock() {
        context.pointee.depth -= 1
        if !context.pointee.ready.isEmpty { deliverReady() }
    }

    @inlinable
    var isUnderLock: Bool { context.pointee.depth > 0 }

    func append(_ work: any Deliverable, upTo goal: UInt64 = 0) {
        context.pointee.ready.append((work, goal))
    }

    @usableFromInline
    func append(_ works: [any Deliverable]) {
        for work in works { append(work) }
    }

    /// Does the ready work, unless the thread holds a lock, or a caller further up already does it.
    @usableFromInline
    func deliverReady() {
        guard context.pointee.depth == 0, !context.pointee.isDelivering else { return }
        context.pointee.isDelivering = true
        while let (work, goal) = context.pointee.ready.popFirst() {
            work.deliver(on: self, upTo: goal)
        }
        context.pointee.isDelivering = false
    }

    /// Runs handlers for an executor's job. Their commits are delivered after them.
    func deliver(_ body: () -> Void) {
        let wasDelivering = context.pointee.isDelivering
        context.pointee.isDelivering = true
        body()
        context.pointee.isDelivering = wasDelivering
        deliverReady()
    }

    /// Runs `action` now, or once the thread has left the outermost lock.
    func afterLocks(_ action: @escaping @Sendable () -> Void) {
        if isUnderLock { append(Postponed(action: action)) } else { action() }
    }
}

private final class Postponed: Deliverable {
    let action: @Sendable () -> Void

    init(action: @escaping @Sendable () -> Void) {
        self.action = action
    }

    func deliver(on thread: CurrentThread, upTo goal: UInt64) {
        action()
    }
}

private let contextKey: pthread_key_t = {
    var key = pthread_key_t()
    // The context is freed when its thread ends.
    let status = pthread_key_create(&key) { context in
        #if canImport(Darwin)
            let context: UnsafeMutableRawPointer? = context
        #endif
        guard let context else { return }
        let typed = context.assumingMemoryBound(to: CurrentThread.Context.self)
        typed.deinitialize(count: 1)
        typed.deallocate()
    }
    precondition(status == 0, "The system has no thread-local storage left.")
    return key
}()
