public import OutboxCore

/// Runs Swift's tasks, and events at virtual times, one step at a time. A seed determines the order
/// of the steps: the same seed repeats the same run.
///
/// ```swift
/// let scheduler = SimulatedScheduler(seed: seed)
/// scheduler.after(.seconds(1)) { Task { await send() } }
/// scheduler.run(until: .seconds(3600))
/// ```
///
/// - A step is an event, or the part of a task up to the point at which the task waits. A call of
///   an async function that does not wait is no step, and builds with and without optimization take
///   the same steps.
/// - Steps that are ready at the same moment run in any order. Virtual time passes only while no
///   step is ready, and passes at once: an hour of waiting costs nothing.
/// - Every task that is made inside ``run(until:while:)``, also by the code under test, belongs to
///   the scheduler, and so does every task that it resumes. The scheduler does not touch tasks of
///   other threads: other tests, and other schedulers on other threads, may run at the same time.
/// - A task is resumed and cancelled only inside ``run(until:while:)``, by another task or an event
///   of ``after(_:_:)``: a task that is cancelled between two runs continues outside the
///   simulation, on another thread.
/// - A step must not wait for another thread: dispatch queues, `Task.sleep`, actors with executors
///   of their own and the main actor are outside the simulation. Time comes from a
///   ``SimulatedClock``.
/// - The runtime does not say when a task that was begun at once, on the thread that made it, as an
///   outbox begins its handlers, calls `Task.yield` before it has waited for anything else: such
///   a task goes on outside. ``sleep(_:)``, of any duration, does not have that effect.
///
/// A scheduler is confined to the thread that runs it. It is `Sendable` for this reason only.
public final class SimulatedScheduler: @unchecked Sendable {
    private enum Step {
        case job(UnownedJob)
        case event(SimulatedTimer)
    }

    /// The virtual time since the scheduler was made.
    public private(set) var now = Milliseconds(0)
    /// The number of steps that have run.
    public private(set) var steps = 0
    /// A function that runs before each step.
    public var beforeStep: (() -> Void)?

    private var random: SeededRandom
    private var ready: [Step] = []
    /// The timers, with the earliest one at the end.
    private var timers: [SimulatedTimer] = []
    private var madeTimers: UInt64 = 0
    private var running: UnownedJob?
    private var isRunningOn = false

    /// Makes a scheduler. All its choices follow from `seed`.
    public init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// Runs `body` once `wait` has passed.
    ///
    /// - Returns: A timer that can cancel the call.
    /// - Complexity: O(number of timers).
    @discardableResult
    public func after(_ wait: Milliseconds, _ body: @escaping () -> Void) -> SimulatedTimer {
        madeTimers += 1
        let timer = SimulatedTimer(
            time: Milliseconds(now.count + max(0, wait.count)),
            number: madeTimers,
            body: body
        )
        if timer.time == now {
            ready.append(.event(timer))
            return timer
        }
        var (low, high) = (0, timers.count)
        while low < high {
            let middle = (low + high) / 2
            if timer.isBefore(timers[middle]) { low = middle + 1 } else { high = middle }
        }
        timers.insert(timer, at: low)
        return timer
    }

    /// Returns when `duration` has passed or the task is cancelled.
    public func sleep(_ duration: Milliseconds) async {
        let waiter = SimulatedWaiter()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard waiter.waits(continuation) else { return }
                waiter.timer = after(duration) { waiter.end() }
            }
        } onCancel: {
            waiter.end()
        }
    }

    /// Runs steps until none is left before `end`, or until `isWanted` returns `false`. Virtual
    /// time then stands at the last step.
    public func run(until end: Milliseconds, while isWanted: () -> Bool = { true }) {
        TaskCapture.begin(self)
        defer { TaskCapture.end() }
        while isWanted() {
            guard !ready.isEmpty else {
                guard advance(until: end) else { return }
                continue
            }
            let index = ready.count == 1 ? 0 : Int.random(in: 0..<ready.count, using: &random)
            let step = ready[index]
            ready.swapAt(index, ready.count - 1)
            ready.removeLast()
            steps += 1
            beforeStep?()
            switch step {
            case .job(let job): run(job)
            case .event(let timer): timer.fire()
            }
        }
    }

    /// Takes a ready job, or the running job if its task is enqueued again in place of going on at
    /// once. The compiler decides how often that happens, for example where a call returns or is
    /// optimized away. So it is no step: else one seed would give different runs in different
    /// builds.
    func enqueue(_ job: UnownedJob) {
        if running?.isSame(as: job) == true {
            isRunningOn = true
        } else {
            ready.append(.job(job))
        }
    }

    /// Runs a job up to the point at which its task waits.
    private func run(_ job: UnownedJob) {
        running = job
        repeat {
            isRunningOn = false
            TaskCapture.run(job)
        } while isRunningOn
        running = nil
    }

    /// Lets virtual time pass until a step is ready.
    private func advance(until end: Milliseconds) -> Bool {
        while let next = timers.last, next.isCancelled { timers.removeLast() }
        guard let next = timers.last, next.time <= end else { return false }
        now = next.time
        while let timer = timers.last, timer.time <= now {
            timers.removeLast()
            ready.append(.event(timer))
        }
        return true
    }
}

extension UnownedJob {
    /// Whether both are the same job, or jobs of the same task.
    fileprivate func isSame(as other: UnownedJob) -> Bool {
        unsafeBitCast(self, to: UnsafeRawPointer.self)
            == unsafeBitCast(other, to: UnsafeRawPointer.self)
    }
}

/// An event planned for a virtual time.
public final class SimulatedTimer {
    let time: Milliseconds
    private let number: UInt64
    private var body: (() -> Void)?

    init(time: Milliseconds, number: UInt64, body: @escaping () -> Void) {
        self.time = time
        self.number = number
        self.body = body
    }

    var isCancelled: Bool { body == nil }

    /// Cancels the event if it has not happened yet.
    public func cancel() {
        body = nil
    }

    func fire() {
        let body = body
        cancel()
        body?()
    }

    func isBefore(_ other: SimulatedTimer) -> Bool {
        (time, number) < (other.time, other.number)
    }
}

/// A task that waits for the first of several events. It is confined like its scheduler.
private final class SimulatedWaiter: @unchecked Sendable {
    var timer: SimulatedTimer?
    private var continuation: CheckedContinuation<Void, Never>?
    private var isOver = false

    /// - Returns: `false` when the wait is over already.
    func waits(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if isOver { continuation.resume() } else { self.continuation = continuation }
        return !isOver
    }

    func end() {
        isOver = true
        timer?.cancel()
        continuation?.resume()
        continuation = nil
    }
}
