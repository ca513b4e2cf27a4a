/// The ordered inbox of one subscription.
///
/// It knows nothing of what it passes on, which its handler opens.
///
/// 1. News is put in under the lock of the source, so that its order is the order of commits.
///    The thread that put one in delivers up to that one, unless others have.
/// 2. Under `lock`, a delivery begins (`deliverer` is set) only while there is none: one at a time.
///    A thread that finds another one delivering leaves its goal to that one (`owed`), so that
///    there always is a thread, or a job, that will look.
/// 3. `cancel` takes the handler away under `lock`; so no delivery begins after that. One that has
///    begun holds `turn`, and `cancel` waits for `turn`.
@usableFromInline
final class Inbox: Sink, Deliverable {
    @usableFromInline typealias Handler = @Sendable (any News) -> Void

    private struct Locked: Sendable {
        var queue: BacklogQueue
        /// `nil` once cancelled.
        var handler: Handler?
        /// How much news has come.
        var received: UInt64 = 0
        /// The thread in the handler; 0 for none.
        var deliverer: UInt = 0
        /// Up to which news the deliverer is to go on for other threads.
        var owed: UInt64 = 0
        /// Whether the executor has a job that will look.
        var hasJob = false

        /// How much of it no longer waits.
        var delivered: UInt64 { received - UInt64(queue.count) }
    }

    private let lock: OwnedLock<Locked>
    private let turn = OwnedLock<Void>(())
    /// `nil` for the thread that commits.
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

    /// Delivers what waits now and leaves what comes meanwhile to the next job, so that others have
    /// their turn on the executor.
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

    /// Calls the handler with the oldest element, unless another thread is in it: then that one will.
    ///
    /// - Returns: whether this thread is to go on.
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

    /// When it returns, no delivery begins any more and none is under way on another thread.
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
