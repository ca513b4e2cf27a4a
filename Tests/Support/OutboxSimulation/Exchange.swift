import MemoCore
import OutboxCore
import OutboxTesting

/// One request of a process, which waits for whatever comes first: an answer, or the certainty that
/// none comes.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class Exchange: @unchecked Sendable {
    typealias Result = Swift.Result<RelayAnswer, RelayFailure>

    let process: DeviceProcess
    private var continuation: CheckedContinuation<Result, Never>?
    private var result: Result?
    private var timers: [SimulatedTimer] = []

    init(process: DeviceProcess) {
        self.process = process
    }

    /// Runs `body`, which is to see to an end, and waits for it, or for the task's being cancelled.
    func result(of body: () -> Void) async -> Result {
        process.device.began(self)
        defer { process.device.ended(self) }
        return await withTaskCancellationHandler {
            body()
            return await withCheckedContinuation { continuation in
                if let result {
                    continuation.resume(returning: result)
                } else {
                    self.continuation = continuation
                }
            }
        } onCancel: {
            end(.failure(.cancelled))
        }
    }

    /// Ends it so, unless something else has.
    func end(_ result: Result) {
        guard self.result == nil else { return }
        self.result = result
        for timer in timers { timer.cancel() }
        continuation?.resume(returning: result)
        continuation = nil
    }

    /// Ends it so after `wait`, unless something else has.
    func end(_ result: Result, after wait: Milliseconds, by scheduler: SimulatedScheduler) {
        timers.append(scheduler.after(wait) { self.end(result) })
    }
}
