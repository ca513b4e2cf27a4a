public import OutboxCore

/// Runs Swift's tasks, and events at virtual times, one step at a time in an order that a seed
/// chooses: one seed, one run.
///
/// ```swift
/// let scheduler = SimulatedScheduler(seed: seed)
/// scheduler.after(.seconds(1)) { Task { await send() } }
/// scheduler.run(until: .seconds(3600))
/// ```
///
/// - A step is what a task does until it waits, or an event. A call of an async function that does
///   not wait is no step, and builds with and without optimization take the same steps.
/// - Whatever is ready to run at the same moment runs in any order. Virtual time passes only while
///   nothing is ready, at once: an hour of waiting costs nothing.
/// - Every task that is made inside ``run(until:while:)``, also by the code under test, belongs to
///   the scheduler, and so does what it resumes. Tasks of other threads are not touched, so that
///   other tests may run meanwhile, and other schedulers on other threads.
/// - A task is resumed and cancelled only inside ``run(until:while:)``, by another task or an event
///   of ``after(_:_:)``: one that is cancelled between two runs goes on outside of the simulation,
///   on another thread.
/// - What runs must not wait for another thread: dispatch queues, `Task.sleep`, actors with
///   executors of their own and the main actor are outside of the simulation. Time comes from
///   a ``SimulatedClock``.
/// - The runtime does not say when a task that was begun at once, on the thread that made it, as an
///   outbox begins its handlers, calls `Task.yield` before it has waited for anything else: such
///   a task goes on outside. ``sleep(_:)``, of any duration, does not have that effect.
///
/// Confined to the thread that runs it; only therefore `Sendable`.
public final class SimulatedScheduler: @unchecked Sendable {
    private enum Step {
        case job(UnownedJob)
        case event(SimulatedTimer)
    }

    /// Virtual time since the scheduler was made.
    public private(set) var now = Milliseconds(0)
    /// How many steps have run.
    public private(set) var steps = 0
    /// Called before each step.
    public var beforeStep: (() -> Void)?

    private var random: SeededRandom
    private var ready: [Step] = []
    /// The earliest last.
    private var timers: [SimulatedTimer] = []
    private var madeTimers: UInt64 = 0
    private var running: UnownedJob?
    private var isRunningOn = false

    /// A scheduler whose choices all follow from `seed`.
    public init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// Runs `body` once `wait` has passed.
    ///
    /// - Returns: What can call it off.
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

    /// Returns once `duration` has passed, or the task is cancelled.
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

    /// Runs until nothing is left to do before `end`, or `isWanted` is false. Time then stands at
    /// the last step.
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

    /// Takes a job that is ready, or the running one, if its task goes on elsewhere in place of
    /// going on at once. How often it does is the compiler's choice, where a call returns or is
    /// optimized away, for one: that is no step, or one seed would be another run in another build.
    func enqueue(_ job: UnownedJob) {
        if running?.isSame(as: job) == true {
            isRunningOn = true
        } else {
            ready.append(.job(job))
        }
    }

    /// Runs a job until its task waits for something.
    private func run(_ job: UnownedJob) {
        running = job
        repeat {
            isRunningOn = false
            TaskCapture.run(job)
        } while isRunningOn
        running = nil
    }

    /// Lets time pass until something is ready.
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

/// Something that is to happen at a virtual time.
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

    /// Calls it off, if it has not happened yet.
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

/// A task that waits for whatever comes first. Confined like its scheduler.
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
