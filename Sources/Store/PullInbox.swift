/// The ordered inbox of one loop over `Updates`: news waits in it until the loop asks.
///
/// While the loop waits, the inbox holds its continuation. The thread that takes the continuation
/// out under the lock resumes it outside of the lock.
final class PullInbox: Sink, Deliverable {
    private struct Locked: Sendable {
        var queue: BacklogQueue
        var loop: UnsafeContinuation<(any News)?, Never>?
        /// `nil` once finished.
        var detach: (@Sendable (PullInbox) -> Void)?

        /// Takes the answer that the loop gets at once: news, or `.some(nil)` for the end; `nil` if
        /// the loop has to wait.
        mutating func takeAnswer() -> (any News)?? {
            if detach == nil { return .some(nil) }
            return queue.popFirst().map { .some($0) }
        }
    }

    private let lock: OwnedLock<Locked>

    init(
        merge: BacklogQueue.Merge?,
        detach: @escaping @Sendable (PullInbox) -> Void
    ) {
        lock = OwnedLock(Locked(queue: BacklogQueue(merge: merge), detach: detach))
    }

    func receive(_ news: any News, on thread: CurrentThread) {
        let loopWaits = lock.withLock(on: thread) { locked in
            guard locked.detach != nil else { return false }
            locked.queue.append(news)
            return locked.loop != nil
        }
        if loopWaits { thread.append(self) }
    }

    func deliver(on thread: CurrentThread, upTo goal: UInt64) {
        let delivery = lock.withLock(on: thread) { locked in
            locked.loop == nil
                ? nil
                : locked.queue.popFirst().map { (locked.loop.take(), $0) }
        }
        delivery?.0?.resume(returning: delivery?.1)
    }

    func next(isolation actor: isolated (any Actor)? = #isolation) async -> (any News)? {
        if Task.isCancelled { finish() }
        if let answer = lock.withLock(on: CurrentThread(), { $0.takeAnswer() }) { return answer }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { loop in
                let answer = lock.withLock(on: CurrentThread()) { locked in
                    precondition(locked.loop == nil, "Two tasks wait on copies of one iterator.")
                    let answer = locked.takeAnswer()
                    if case .none = answer { locked.loop = loop }
                    return answer
                }
                if let answer { loop.resume(returning: answer) }
            }
        } onCancel: {
            finish()
        }
    }

    /// Ends the loop and frees the waiting news. A second call does nothing.
    func finish() {
        let thread = CurrentThread()
        let (detach, loop, left) = lock.withLock(on: thread) { locked in
            (locked.detach.take(), locked.loop.take(), locked.queue.removeAll())
        }
        loop?.resume(returning: nil)
        if let detach { thread.afterLocks { detach(self) } }
        withExtendedLifetime(left) {}
    }
}
