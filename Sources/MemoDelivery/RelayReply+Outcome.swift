import MemoCore
package import OutboxCore
import RelayAPI

extension RelayReply {
    /// What this answer to a memo's PUT means for its operation.
    package func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        MemoAnswer(
            status: status,
            held: success(MemoAcceptance.self).map { Array($0.id.utf8) },
            problem: problem.flatMap(RelayProblem.init),
            wait: wait(now: now)
        ).outcome(for: id)
    }

    /// How long the answer asks to wait.
    func wait(now: WallTime) -> Milliseconds? {
        retryAfter.flatMap {
            RetryAfter.parse(Array($0.utf8), date: Array((date ?? "").utf8), now: now)
        }
    }
}

extension RelayProblem {
    /// - Returns: `nil` for a code that this build does not know.
    init?(_ problem: Problem) {
        self.init(code: Array(problem.code.rawValue.utf8), isRetryable: problem.retryable)
    }
}

extension RelayFailure {
    /// What having no answer means for an operation.
    package var outcome: DeliveryMachine.Outcome {
        switch self {
        case .unreachable: .retryOnNetwork("network.unreachable")
        case .timedOut: .retry("network.timed-out")
        case .connectionLost: .retry("network.connection-lost")
        case .untrusted: .retry("relay.untrusted-certificate")
        case .answerTooLong: .retry(.notOurAnswer)
        case .cancelled: .retry("cancelled")
        }
    }
}
