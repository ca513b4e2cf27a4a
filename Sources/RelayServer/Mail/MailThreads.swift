import NIOCore
import NIOPosix
import RelayRules

/// The threads that hand mails over: a memo can wait, and a person who presses send does not.
///
/// The system gives the processors to the threads that answer requests first (``stepBack(by:)``): a request
/// goes through several threads, at each of which it would wait for a processor behind mails under way. A
/// person waits for a code, whose drain does not step back.
enum MailThreads {
    /// The event loop of the sessions with the mail server.
    static let sessions = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        group.any().execute { stepBack(by: steps) }
        return group
    }()

    private static let steps: CInt = 3
    private static let codes = DrainThread()
    private static let memos = DrainThread(steps: steps)

    /// The thread of the drain of a part of the queue.
    static func drain(of part: MailPart) -> DrainThread {
        switch part {
        case .codes: codes
        case .memos: memos
        }
    }
}

/// A thread that a drain has for itself. A drain blocks its thread while the store works, and would keep one
/// of the few threads of Swift's tasks from others.
final class DrainThread: TaskExecutor {
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// - Parameter steps: The steps that the thread steps back (``stepBack(by:)``).
    fileprivate init(steps: CInt = 0) {
        thread.start()
        guard steps > 0 else { return }
        thread.submit { _ in stepBack(by: steps) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        thread.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
