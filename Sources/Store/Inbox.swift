/// The ordered inbox of one subscription.
///
/// The inbox does not know the type of its news; the handler opens it.
///
/// 1. News is appended under the lock of the source, so that its order is the order of commits. The
///    thread that appended the news delivers everything up to it, unless other threads have.
/// 2. Under `lock`, a delivery begins (`deliverer` is set) only while no other is under way. A
///    thread that finds another thread delivering leaves its goal to that thread (`owed`), so that
///    there always is a thread, or a job, that will look.
/// 3. `cancel` takes the handler away under `lock`, so that no delivery begins after that. A
///    delivery that has begun holds `turn`, and `cancel` waits for `turn`.
@usableFromInline
final class Inbox: Sink, Deliverable {
    @usableFromInline typealias Handler = @Sendable (any News) -> Void

    private struct Locked: Sendable {
        var queue: BacklogQueue
        /// `nil` once cancelled.
        var handler: Handler?
        /// The number of news received.
        var received: UInt64 = 0
        /// The token of the thread in the handler; 0 for none.
        var deliverer: UInt = 0
        /// The number of news that the deliverer must reach for other threads.
        var owed: UInt64 = 0
        /// Whether the executor has a job for this inbox.
        var hasJob = false

        /// The number of news that has left the queue.
        var delivered: UInt64 { received - UInt64(queue.count) }
    }

    private let lock: OwnedLock<Locked>
    private let turn = OwnedLock<Void>(())
    /// `nil` for the committing thread.
    private let executor: (any DeliveryExecutor)?

    @usableFromInline
    init(
        executor: any DeliveryExecutor,
        merge: BacklogQueue.Merge?,
        handler: @escaping Handler
    ) {
        self.executor = executor is ImmediateDelivery ? nil : executor
        lock = OwnedLock(Locked(queue: BacklogQueue(merge: merge), handler: handler))
    }

    @usableFromInline
    func receive(_ news: any News, on thread: CurrentThread) {
        let goal: UInt64? = lock.withLock(on: thread) { locked in
            guard locked.handler != nil else { return nil }
            locked.queue.append(news)
            locked.received += 1
            return locked.received
        }
        if let goal { thread.append(self, upTo: goal) }
    }

    @usableFromInline
    func deliver(on thread: CurrentThread, upTo goal: UInt64) {
        guard let executor else {
            while deliverNext(on: thread, upTo: goal) {}
            return
        }
        let needsJob = lock.withLock(on: thread) { locked in
            defer { locked.hasJob = true }
            return !locked.hasJob
        }
        if needsJob { executor.execute { self.deliverAll(on: executor) } }
    }

    /// Delivers the waiting news and leaves news that comes meanwhile to the next job, so that
    /// other jobs have their turn on the executor.
    private func deliverAll(on executor: any DeliveryExecutor) {
        let thread = CurrentThread()
        thread.deliver {
            let goal = lock.withLock(on: thread) { $0.received }
            while deliverNext(on: thread, upTo: goal) {}
            let needsJob = lock.withLock(on: thread) { locked in
                locked.hasJob = !locked.queue.isEmpty
                return locked.hasJob
            }
            if needsJob { executor.execute { self.deliverAll(on: executor) } }
        }
    }

    /// Calls the handler with the oldest news, unless another thread is in the handler: then that
    /// thread will.
    ///
    /// - Returns: Whether this thread must go on.
    private func deliverNext(on thread: CurrentThread, upTo goal: UInt64) -> Bool {
        let isMine = lock.withLock(on: thread) { locked in
            guard locked.delivered < goal else { return false }
            guard locked.deliverer == 0 else {
                locked.owed = max(locked.owed, goal)
                return false
            }
            locked.deliverer = thread.token
            return true
        }
        guard isMine else { return false }
        return turn.withLock(on: thread) { _ in
            var handler: Handler?
            var news: (any News)?
            lock.withLock(on: thread) { locked in
                handler = locked.handler
                news = locked.queue.popFirst()
            }
            if let handler, let news { handler(news) }
            return lock.withLock(on: thread) { locked in
                locked.deliverer = 0
                if locked.owed > max(locked.delivered, goal) {
                    thread.append(self, upTo: locked.owed)
                }
                locked.owed = 0
                return locked.delivered < goal
            }
        }
    }

    /// Once it has returned, no delivery begins and none is under way on another thread.
    func cancel(on thread: CurrentThread) {
        // Both are freed outside of the lock: the code of the caller may run then.
        let (handler, left, mustWait) = lock.withLock(on: thread) { locked in
            defer { locked.handler = nil }
            let isElsewhere = locked.deliverer != 0 && locked.deliverer != thread.token
            return (locked.handler, locked.queue.removeAll(), isElsewhere)
        }
        if mustWait { turn.withLock(on: thread) { _ in } }
        withExtendedLifetime((handler, left)) {}
    }
}
