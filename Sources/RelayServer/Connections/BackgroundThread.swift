import NIOPosix

/// A thread for what may wait: the requests of ``BackgroundSenders``, and long memos.
///
/// The system gives the processors to the other threads first, and what such a thread asks the database
/// to store waits for what others store (``TransactionSharing``). So a flood takes the time that is left,
/// and the steps of an honest person's request do not wait behind the requests of the flood. A request
/// gets the same answer here as elsewhere, perhaps later.
///
/// The thread holds a lock now and then that another thread wants. The other thread then waits, and
/// leaves its processor to this one.
package final class BackgroundThread: TaskExecutor {
    /// For ``BackgroundSenders``.
    static let senders = BackgroundThread()
    /// For long memos (``MemoWork``).
    static let longMemos = BackgroundThread()

    private final class Mark: Sendable {}

    private static let mark = ThreadSpecificVariable<Mark>()

    /// Whether the caller runs on one.
    package static var isCurrent: Bool { mark.currentValue != nil }

    private let thread: NIOThreadPool

    private init() {
        thread = NIOThreadPool(numberOfThreads: 1)
        thread.start()
        thread.submit { _ in
            Self.mark.currentValue = Mark()
            stepBack(by: 10)
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        thread.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
