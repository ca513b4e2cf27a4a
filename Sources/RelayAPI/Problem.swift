/// The body of every answer that is not a success
/// ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)). It never quotes the request.
public struct Problem: Codable, Hashable, Sendable {
    /// A URI that names the type of problem; `about:blank` when ``code`` says everything.
    public var type: String
    /// A short English sentence for a person, the same for every problem of this code.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// The stable name of the problem, for a program.
    public var code: ProblemCode
    /// Whether the same request may succeed later.
    public var retryable: Bool
    /// The names of the limits that are used up; only with ``ProblemCode/quotaExceeded``.
    public var violatedPolicies: [String]?

    private enum CodingKeys: String, CodingKey {
        case type, title, status, code, retryable
        case violatedPolicies = "violated-policies"
    }

    public init(
        type: String = "about:blank",
        title: String,
        status: Int,
        code: ProblemCode,
        retryable: Bool,
        violatedPolicies: [String]? = nil
    ) {
        self.violatedPolicies = violatedPolicies
        self.type = type
        self.title = title
        self.status = status
        self.code = code
        self.retryable = retryable
    }
}

/// The name of a ``Problem``, for a program. Later versions may add names.
public struct ProblemCode: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// 400: the body is not the JSON that this request takes.
    public static let malformedBody = ProblemCode(rawValue: "malformed-body")
    /// 400: mail cannot be sent to the address.
    public static let invalidAddress = ProblemCode(rawValue: "invalid-address")
    /// 400: the memo has no text.
    public static let emptyMemo = ProblemCode(rawValue: "empty-memo")
    /// 400: `POST /v1/send` without an `Idempotency-Key`.
    public static let idempotencyKeyMissing = ProblemCode(rawValue: "idempotency-key-missing")
    /// 400: an `Idempotency-Key`, or a memo's path, that is not a UUID.
    public static let idempotencyKeyMalformed = ProblemCode(rawValue: "idempotency-key-malformed")
    /// 401: the request has no token, or a token that was never valid.
    public static let unauthorized = ProblemCode(rawValue: "unauthorized")
    /// 401: the token was revoked. Sign in again.
    public static let tokenRevoked = ProblemCode(rawValue: "token-revoked")
    /// 403: the code is wrong, expired or used up. Ask for a new one.
    public static let codeRejected = ProblemCode(rawValue: "code-rejected")
    /// 403: another site's page asked for something that only the relay's own may ask for.
    public static let crossOrigin = ProblemCode(rawValue: "cross-origin")
    /// 404: there is no such resource.
    public static let notFound = ProblemCode(rawValue: "not-found")
    /// 408: the request took too long to arrive.
    public static let tooSlow = ProblemCode(rawValue: "too-slow")
    /// 413: the body or the memo is too long.
    public static let tooLarge = ProblemCode(rawValue: "too-large")
    /// 422: the key was used for another memo.
    public static let idempotencyKeyReused = ProblemCode(rawValue: "idempotency-key-reused")
    /// 429: too many requests of this kind; `Retry-After` says how long to wait.
    public static let tooManyRequests = ProblemCode(rawValue: "too-many-requests")
    /// 429: the device's allowance is used up; `Retry-After` says how long to wait.
    public static let quotaExceeded = ProblemCode(rawValue: "quota-exceeded")
    /// 500: the relay failed. Nothing was accepted.
    public static let internalError = ProblemCode(rawValue: "internal-error")
    /// 503: the relay cannot store anything just now. Nothing was accepted.
    public static let unavailable = ProblemCode(rawValue: "unavailable")
}
