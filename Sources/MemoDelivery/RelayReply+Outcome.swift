import MemoCore
package import OutboxCore
import RelayAPI

extension RelayReply {
    /// The outcome of an attempt whose PUT got this answer.
    package func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        MemoAnswer(
            status: status,
            held: success(MemoAcceptance.self).map { Array($0.id.utf8) },
            problem: problem.flatMap(RelayProblem.init),
            wait: wait(now: now)
        ).outcome(for: id)
    }

    /// The wait that the answer asks for.
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
    /// The outcome of an attempt without an answer.
    package var outcome: DeliveryMachine.Outcome {
        self == .unreachable ? .retryOnNetwork(reason) : .retry(reason)
    }

    /// The type of the failure, for a log.
    var reason: ReasonCode {
        switch self {
        case .unreachable: "network.unreachable"
        case .timedOut: "network.timed-out"
        case .connectionLost: "network.connection-lost"
        case .untrusted: "relay.untrusted-certificate"
        case .answerTooLong: .notOurAnswer
        case .cancelled: "cancelled"
        }
    }
}
