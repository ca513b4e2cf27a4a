package import OutboxCore
internal import RelayAPI

extension RelayReply {
    /// What this answer to a memo's PUT means for its operation.
    ///
    /// Only the relay itself can say that a memo is taken or refused for good, and it says so in its
    /// own formats. Whatever else answers, with whatever status, is weather: tried again.
    package func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        if let acceptance = success(MemoAcceptance.self) {
            return acceptance.id == id.description ? .done : .retry(.notOurAnswer)
        }
        let asked = retryAfter.flatMap { RetryAfter.parse($0, date: date, now: now) }
        switch status {
        case 200..<400:
            return .retry(.notOurAnswer)
        case 429, 503:
            return .retryAfter(asked, .relay(status: status))
        case 409 where asked != nil:
            return .retryAfter(asked, .relay(status: status))
        case 401, 403:
            switch problem?.code {
            case nil: return .retry(.notOurAnswer)
            case .unauthorized?, .tokenRevoked?: return .park(.unauthorized)
            default: return .retry(.relay(status: status))
            }
        case 400, 413, 422:
            guard let problem else { return .retry(.notOurAnswer) }
            if problem.retryable { return .retry(.relay(status: status)) }
            return .park(ReasonCode(utf8: Array("relay.\(problem.code.rawValue)".utf8)))
        default:
            return .retry(.relay(status: status))
        }
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

extension ReasonCode {
    /// The token is not, or no longer, valid: sign in again.
    static let unauthorized: ReasonCode = "unauthorized"
    /// Something answered that is not the relay.
    static let notOurAnswer: ReasonCode = "relay.not-our-answer"

    static func relay(status: Int) -> ReasonCode {
        ReasonCode(utf8: Array("relay.http.\(status)".utf8))
    }
}
