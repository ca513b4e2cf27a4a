import ConcurrencyShims
import LibC

/// Hands jobs of Swift's tasks to the scheduler of the thread that they are made on.
///
/// Uses the hook of the concurrency runtime,
/// [`swift_task_enqueueGlobal_hook`](https://github.com/swiftlang/swift/blob/main/include/swift/Runtime/Concurrency.h),
/// which is set once and stays; on threads without a scheduler it changes nothing.
enum TaskCapture {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The key under which a thread keeps its scheduler.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "no key for a thread's scheduler")
        return key
    }()

    /// Sets the hook, once in a process.
    private static let hook: Void = {
        _ = key
        outbox_enqueue_global_hook().assumingMemoryBound(to: Hook?.self).pointee = {
            job,
            original in
            if let scheduler = TaskCapture.scheduler {
                scheduler.enqueue(job)
            } else {
                original(job)
            }
        }
    }()

    private static var scheduler: SimulatedScheduler? {
        pthread_getspecific(key).map {
            Unmanaged<SimulatedScheduler>.fromOpaque($0).takeUnretainedValue()
        }
    }

    static func begin(_ scheduler: SimulatedScheduler) {
        _ = hook
        precondition(self.scheduler == nil, "a scheduler runs inside another one")
        pthread_setspecific(key, Unmanaged.passUnretained(scheduler).toOpaque())
    }

    static func end() {
        pthread_setspecific(key, nil)
    }

    static func run(_ job: UnownedJob) {
        job.runSynchronously(on: executor.asUnownedTaskExecutor())
    }

    private static let executor = Executor()

    /// Runs captured jobs on their scheduler's thread.
    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            guard let scheduler = TaskCapture.scheduler else {
                preconditionFailure("a captured task goes on outside of its scheduler")
            }
            scheduler.enqueue(UnownedJob(job))
        }
    }
}
