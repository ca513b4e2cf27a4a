import MemoCore
import OutboxCore

extension RelayReply {
    /// The relay itself says that the token is not, or no longer, valid.
    var refusesToken: Bool { status == 401 && problem != nil }

    /// What this answer to a memo's PUT means for its operation.
    ///
    /// Only the relay itself can say that a memo is taken or refused for good, and it says so in its
    /// own formats. Whatever else answers, with whatever status, is weather: tried again.
    func outcome(for id: OperationID, now: WallTime) -> DeliveryMachine.Outcome {
        if let acceptance = success, let status = acceptance["status"]?.string, !status.isEmpty {
            return acceptance["id"]?.string == id.text ? .done : .retry(.notOurAnswer)
        }
        let asked = wait(now: now)
        switch status {
        case 200..<400:
            return .retry(.notOurAnswer)
        case 429, 503:
            return .retryAfter(asked, .relay(status: status))
        case 409 where asked != nil:
            return .retryAfter(asked, .relay(status: status))
        case 400, 401, 403, 413, 422:
            guard let problem else { return .retry(.notOurAnswer) }
            if refusesToken { return .park(.unauthorized) }
            if problem.isRetryable { return .retry(.relay(status: status)) }
            return .park(ReasonCode(utf8: utf8("relay.") + problem.code))
        default:
            return .retry(.relay(status: status))
        }
    }
}

extension DeliveryMachine.Outcome {
    /// What having no answer means for an operation.
    ///
    /// - Parameter failure: The name of the host's error.
    init(failure: [UInt8]) {
        self =
            switch failure {
            case "AbortError": .retry("network.timed-out")
            case "RangeError": .retry(.notOurAnswer)
            default: .retryOnNetwork("network.unreachable")
            }
    }
}

extension ReasonCode {
    /// The token is not, or no longer, valid: sign in again.
    static let unauthorized: ReasonCode = "unauthorized"
    /// Something answered that is not the relay.
    static let notOurAnswer: ReasonCode = "relay.not-our-answer"

    static func relay(status: Int) -> ReasonCode {
        ReasonCode(utf8: StaticString("relay.http.").bytes + decimal(Int64(status)))
    }
}
