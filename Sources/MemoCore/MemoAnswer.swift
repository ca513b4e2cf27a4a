public import OutboxCore

/// A problem that the relay reports, with a code that this build knows.
public struct RelayProblem: Hashable, Sendable {
    /// The problem's `code`, as docs/wire-format.md lists it.
    public let code: [UInt8]
    /// Whether the same request may succeed later.
    public let isRetryable: Bool

    /// - Returns: `nil` for a code that this build does not know: it may be another service's.
    public init?(code: [UInt8], isRetryable: Bool) {
        let known: [StaticString] = [
            "malformed-body", "invalid-address", "empty-memo", "idempotency-key-missing",
            "idempotency-key-malformed", "unauthorized", "token-revoked", "code-rejected",
            "not-found", "too-slow", "too-large", "idempotency-key-reused", "too-many-requests",
            "quota-exceeded", "cross-origin", "internal-error", "unavailable",
        ]
        guard known.contains(where: { code == $0 }) else { return nil }
        self.code = code
        self.isRetryable = isRetryable
    }

    /// Whether the problem says that the token is not valid, or not valid any more.
    public var refusesToken: Bool { code == "unauthorized" || code == "token-revoked" }
}

/// The parts of an answer to a memo's PUT that decide the outcome. Terminal and web app each read
/// the parts from HTTP.
public struct MemoAnswer: Hashable, Sendable {
    /// The HTTP status.
    public var status: Int
    /// The identifier, in its text form, of the memo that the relay says it holds; `nil` for an
    /// answer that is not a success of the relay's own.
    public var held: [UInt8]?
    /// The problem that the relay states; `nil` for an answer that is not the relay's own.
    public var problem: RelayProblem?
    /// The wait that the answer asks for; see ``RetryAfter``.
    public var wait: Milliseconds?

    /// Makes an answer. The answer says nothing beside the given parts.
    public init(
        status: Int,
        held: [UInt8]? = nil,
        problem: RelayProblem? = nil,
        wait: Milliseconds? = nil
    ) {
        self.status = status
        self.held = held
        self.problem = problem
        self.wait = wait
    }

    /// The outcome of the attempt that got this answer.
    ///
    /// Only the relay can accept a memo, or refuse a memo for good, and does both in its own
    /// formats. Every other answer, whatever its status, leads to another attempt: a proxy or a
    /// captive portal may have sent it.
    public func outcome(for id: OperationID) -> DeliveryMachine.Outcome {
        if let held { return held == id.text ? .done : .retry(.notOurAnswer) }
        switch status {
        case 200..<400:
            return .retry(.notOurAnswer)
        case 429, 503:
            return .retryAfter(wait, .relay(status: status))
        case 409 where wait != nil:
            return .retryAfter(wait, .relay(status: status))
        case 400, 401, 403, 413, 422:
            guard let problem else { return .retry(.notOurAnswer) }
            if status == 401 || status == 403 {
                // Another 403 is about how the request came here, not about the memo.
                return problem.refusesToken
                    ? .park(.unauthorized) : .retry(.relay(status: status))
            }
            if problem.isRetryable { return .retry(.relay(status: status)) }
            return .park(ReasonCode(utf8: StaticString("relay.").bytes + problem.code))
        default:
            return .retry(.relay(status: status))
        }
    }
}

extension ReasonCode {
    /// The token is not valid, or not valid any more: sign in again.
    public static let unauthorized: ReasonCode = "unauthorized"
    /// The answer is not from the relay.
    public static let notOurAnswer: ReasonCode = "relay.not-our-answer"

    static func relay(status: Int) -> ReasonCode {
        ReasonCode(utf8: StaticString("relay.http.").bytes + decimal(Int64(status)))
    }
}
