package import OutboxCore
package import RelayAPI

/// The reason why a request is not granted, for its sender. Never quotes the request.
package struct Refusal: Error, Hashable, Sendable {
    package private(set) var problem: Problem
    /// The wait after which the same request may be granted.
    package let retryAfter: Milliseconds?
    /// The use of the device's limits, where a limit is the reason.
    private(set) var usages: [LimitUsage] = []

    private init(
        _ status: Int,
        _ code: ProblemCode,
        _ title: String,
        isRetryable: Bool = false,
        type: String = "about:blank",
        retryAfter: Milliseconds? = nil
    ) {
        problem = Problem(
            type: type,
            title: title,
            status: status,
            code: code,
            retryable: isRetryable
        )
        self.retryAfter = retryAfter
    }

    static let malformedBody = Refusal(
        400,
        .malformedBody,
        "The body is not the JSON that this request takes."
    )
    static let malformedRequest = Refusal(
        400,
        .malformedBody,
        "The request is not well-formed."
    )
    static let invalidAddress = Refusal(
        400,
        .invalidAddress,
        "The address is not one that mail can be sent to."
    )
    static let emptyMemo = Refusal(400, .emptyMemo, "The memo has no text.")
    static let keyMissing = Refusal(
        400,
        .idempotencyKeyMissing,
        "The request needs an Idempotency-Key."
    )
    static let keyMalformed = Refusal(
        400,
        .idempotencyKeyMalformed,
        "The memo's identifier is not a UUID."
    )
    static let unauthorized = Refusal(
        401,
        .unauthorized,
        "The request needs a valid token. Sign in."
    )
    static let tokenRevoked = Refusal(
        401,
        .tokenRevoked,
        "The token was revoked. Sign in again."
    )
    static let codeRejected = Refusal(
        403,
        .codeRejected,
        "The code is wrong, expired or used up. Ask for a new one."
    )
    static let crossOrigin = Refusal(
        403,
        .crossOrigin,
        "Another site's page may not ask for this."
    )
    static let notFound = Refusal(404, .notFound, "There is nothing here.")
    static let tooLarge = Refusal(413, .tooLarge, "The request is too large.")
    static let tooSlow = Refusal(
        408,
        .tooSlow,
        "The request took too long to arrive.",
        isRetryable: true
    )
    static let keyReused = Refusal(
        422,
        .idempotencyKeyReused,
        "The memo's identifier was used for another memo."
    )
    package static let internalError = Refusal(
        500,
        .internalError,
        "The relay failed. Nothing was accepted.",
        isRetryable: true
    )
    package static let unavailable = Refusal(
        503,
        .unavailable,
        "The relay cannot store anything just now. Nothing was accepted.",
        isRetryable: true,
        retryAfter: .seconds(30)
    )

    static let busy = Refusal(
        503,
        .unavailable,
        "The relay has too many memos in work just now. Nothing was accepted.",
        isRetryable: true,
        retryAfter: .seconds(2)
    )

    static func tooManyRequests(retryAfter: Milliseconds) -> Refusal {
        Refusal(
            429,
            .tooManyRequests,
            "Too many codes were asked for. Wait, then ask again.",
            isRetryable: true,
            retryAfter: retryAfter
        )
    }

    /// The refusal of a device that has used up at least one of its limits.
    static func quotaExceeded(_ usages: [LimitUsage]) -> Refusal {
        let violated = usages.filter { $0.remaining == 0 }
        var refusal = Refusal(
            429,
            .quotaExceeded,
            "The device has sent as many memos as it may for now.",
            isRetryable: true,
            type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
            retryAfter: violated.map(\.reset).max()
        )
        refusal.problem.violatedPolicies = violated.map(\.limit.name)
        refusal.usages = usages
        return refusal
    }
}
