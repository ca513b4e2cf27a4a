import MemoCore
import OutboxCore
import OutboxTesting
import RelayRules
import SimulatedBrowser

/// One request of a process, which waits for whatever comes first: an answer, or the certainty that
/// none comes.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class Exchange: @unchecked Sendable {
    typealias Result = Swift.Result<NetworkAnswer, RelayFailure>

    let process: any DeviceProcess
    private var continuation: CheckedContinuation<Result, Never>?
    private var result: Result?
    private var timers: [SimulatedTimer] = []

    init(process: any DeviceProcess) {
        self.process = process
    }

    /// Runs `body`, which is to see to an end, and waits for it, or for the task's being cancelled.
    func result(of body: () -> Void) async -> Result {
        process.connection.began(self)
        defer { process.connection.ended(self) }
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

/// What a device asks the relay.
enum RelayCall: Sendable {
    /// To take a memo.
    case memo(OperationID, [UInt8])
    /// For the changes of memos after this cursor.
    case changes(after: String?)
    /// For the changes of the account after this cursor.
    case accountChanges(after: String?)
    /// To change the settings of the version that the tag names.
    case changeSettings([UInt8], madeOn: Int64)
    /// For the answer to an earlier change of the settings.
    case settingsAnswer([UInt8])
    /// For the devices of the account.
    case devices
    /// To sign a device out.
    case revoke(DeviceID)
}

extension NetworkAnswer {
    /// As terminal and web app read it.
    var meaning: RelayAnswer {
        RelayAnswer(
            status: status,
            contentType: contentType,
            retryAfter: retryAfter,
            rateLimit: rateLimit,
            date: date,
            body: body
        )
    }
}
