public import MemoTexts
public import OutboxCore
import WireCore

/// A failure that a person meets who waits for the relay at sign-in.
@nonexhaustive public enum RelayTrouble: Error, Hashable, Sendable {
    /// The relay cannot be reached.
    case unreachable
    /// The relay's certificate is not to be trusted.
    case untrusted
    /// The answer is not from a relay, but perhaps from a captive portal.
    case notARelay
    /// Mail cannot be sent to the address.
    case invalidAddress
    /// The code is wrong, expired or used up.
    case codeRejected
    /// The relay takes a code only with a handle, and this program has none.
    case handleMissing
    /// The relay asks to wait. The number of seconds is `nil` where the relay names none, or more
    /// than anybody waits for.
    case tooManyRequests(seconds: Int64?)
    /// The relay failed, with this status.
    case relayFailed(status: Int)

    /// The meaning of an answer that is not the success that was asked for.
    public init(_ answer: RelayAnswer, now: WallTime) {
        let problem = answer.problem
        switch problem?.code {
        case .invalidAddress: self = .invalidAddress
        case .codeRejected: self = .codeRejected
        case .handleMissing: self = .handleMissing
        default:
            if answer.status == 429 {
                let wait = answer.wait(now: now).flatMap { $0 <= RelayLimits.codeWait ? $0 : nil }
                self = .tooManyRequests(seconds: wait.map { RetryAfter.seconds(of: $0) })
            } else if problem != nil || answer.status >= 500 {
                self = .relayFailed(status: answer.status)
            } else {
                self = .notARelay
            }
        }
    }

    /// The meaning of no answer.
    public init(_ failure: RelayFailure) {
        switch failure {
        case .unreachable, .timedOut, .connectionLost, .cancelled: self = .unreachable
        case .untrusted: self = .untrusted
        case .answerTooLong: self = .notARelay
        }
    }

    /// The sentence that a person reads.
    public var text: AppText {
        switch self {
        case .unreachable, .untrusted: .relayUnreachable
        case .notARelay: .notARelay
        case .invalidAddress: .addressInvalid
        case .codeRejected: .codeRejected
        case .handleMissing: .handleMissing
        case .tooManyRequests(nil): .tooManyRequestsLater
        case .tooManyRequests: .tooManyRequests
        case .relayFailed: .relayFailed
        }
    }

    /// The values for `{1}`, `{2}` … of ``text``.
    public var values: [[UInt8]] {
        switch self {
        case .tooManyRequests(let seconds?): [decimal(seconds)]
        case .relayFailed(let status): [decimal(Int64(status))]
        default: []
        }
    }
}
