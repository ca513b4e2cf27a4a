import HTTPTypes
import MemoCore
package import OutboxCore
package import RelayAPI
import RelayRules

/// The reason why a request is not granted, for its sender. Never quotes the request.
package struct Refusal: Error, Hashable, Sendable {
    package private(set) var problem: Problem
    /// The wait after which the same request may be granted.
    package let retryAfter: Milliseconds?
    /// The methods that the resource has, where the method is the reason.
    private(set) var allowedMethods: [String] = []
    /// The use of the limits, where a limit is the reason.
    private(set) var usages: [LimitUsage] = []
    /// The names of the limits that are the reason, for the operator: those of ``limitNames``.
    private(set) var limits: [String] = []

    /// The names of all limits: those of memos, and those that a sender of memos is not told.
    static let limitNames =
        (MemoLimits().published + [MemoLimits().serviceLimit, MemoLimits().youngLimit]).map(\.name)
        + CodeLimitName.allCases.map(\.rawValue)
        + ["bodies", "disk", "requests", "settings-hour", "sign-ins-day", "slots"]

    private init(
        _ code: ProblemCode,
        _ detail: String,
        type: ProblemType = .status,
        retryAfter: Milliseconds? = nil,
        limits: [String] = []
    ) {
        self.limits = limits
        problem = Problem(
            code,
            title: type.title ?? code.httpStatus.reasonPhrase,
            detail: detail,
            type: type.uri
        )
        self.retryAfter = retryAfter
    }

    static let malformedBody = Refusal(
        .malformedBody,
        "The body is not the JSON that this request takes."
    )
    static let notSigned = Refusal(
        .malformedBody,
        "The event is not signed with the relay's webhook secret, or its time is not now."
    )
    static let eventTooEarly = Refusal(
        .unavailable,
        "The relay has not stored yet that the mail was taken. Bring the event again.",
        retryAfter: .seconds(5)
    )
    static let malformedRequest = Refusal(
        .malformedBody,
        "The request is not well-formed."
    )
    static let unconditional = Refusal(
        .preconditionRequired,
        "A change of the settings says its version by If-Match, or If-None-Match: *."
    )
    static let invalidAddress = Refusal(
        .invalidAddress,
        "The address is not one that mail can be sent to."
    )
    static let emptyMemo = Refusal(.emptyMemo, "The memo has no text.")
    static let keyMissing = Refusal(
        .idempotencyKeyMissing,
        "The request needs an Idempotency-Key, see \(RelayPath.description)."
    )
    static let keyMalformed = Refusal(
        .idempotencyKeyMalformed,
        "The memo's identifier is not a UUID."
    )
    static let unauthorized = Refusal(
        .unauthorized,
        "The request needs a valid token. Sign in."
    )
    static let tokenRevoked = Refusal(
        .tokenRevoked,
        "The token was revoked. Sign in again."
    )
    static let codeRejected = Refusal(
        .codeRejected,
        "The code is wrong, expired or used up. Ask for a new one."
    )
    static let handleMissing = Refusal(
        .handleMissing,
        "A code needs the handle that came when it was asked for. Update the client, ask again."
    )
    static let crossOrigin = Refusal(
        .crossOrigin,
        "Another site's page may not ask for this."
    )
    package static let notFound = Refusal(.notFound, "There is nothing here.")
    static let cursorForgotten = Refusal(
        .cursorForgotten,
        "The relay does not know the cursor any more. Read all changes from the beginning."
    )
    package static let tooLarge = Refusal(.tooLarge, "The request is too large.")
    static let tooSlow = Refusal(
        .tooSlow,
        "The request took too long to arrive."
    )
    static let stillStoring = Refusal(
        .inProgress,
        "An earlier request with the same memo is being stored. Send the memo again.",
        retryAfter: .seconds(5)
    )
    static let keyReused = Refusal(
        .idempotencyKeyReused,
        "The memo's identifier was used for another memo, see \(RelayPath.description)."
    )
    package static let internalError = Refusal(
        .internalError,
        "The relay failed. Nothing was accepted."
    )
    package static let unavailable = Refusal(
        .unavailable,
        "The relay cannot store anything just now. Nothing was accepted.",
        retryAfter: .seconds(30)
    )
    static let diskReserved = Refusal(
        .unavailable,
        "The relay's disk is almost full. Nothing was accepted.",
        retryAfter: .seconds(60),
        limits: ["disk"]
    )
    static let busy = Refusal(
        .unavailable,
        "The relay has too many memos in work just now. Nothing was accepted.",
        retryAfter: .seconds(2),
        limits: ["slots"]
    )

    static let tooFast = Refusal(
        .tooManyRequests,
        "Too many requests came from this network. Wait, then ask again.",
        retryAfter: .seconds(2),
        limits: ["requests"]
    )

    static let wasteful = Refusal(
        .tooManyRequests,
        "This device has sent too many long bodies that are no memos. Wait, then send again.",
        retryAfter: .seconds(60),
        limits: ["bodies"]
    )

    static func methodNotAllowed(_ allowed: [String]) -> Refusal {
        var refusal = Refusal(.methodNotAllowed, "The resource does not have this method.")
        refusal.allowedMethods = allowed
        return refusal
    }

    /// - Parameter limits: The reasons, for the operator. The sender is not told them: they would
    ///   tell of other people's requests.
    static func tooManyRequests(
        retryAfter: Milliseconds,
        limits: Set<CodeLimitName>
    ) -> Refusal {
        Refusal(
            .tooManyRequests,
            "Too many codes were asked for. Wait, then ask again.",
            retryAfter: retryAfter,
            limits: limits.map(\.rawValue)
        )
    }

    /// The refusal of a right code whose address has signed in as many devices as it may.
    static func tooManySignIns(retryAfter: Milliseconds) -> Refusal {
        Refusal(
            .tooManyRequests,
            "The address has signed in as many devices as it may in a day. Wait, then sign in.",
            retryAfter: retryAfter,
            limits: ["sign-ins-day"]
        )
    }

    /// The refusal of a change of the settings beyond ``SettingsRate/perHour``.
    static func tooManyChanges(retryAfter: Milliseconds) -> Refusal {
        Refusal(
            .tooManyRequests,
            "The account has changed its settings as often as it may in an hour. Wait, then ask.",
            retryAfter: retryAfter,
            limits: ["settings-hour"]
        )
    }

    /// The refusal of a memo that exceeds a limit.
    ///
    /// Only where the limit of the whole service is the one reason, the relay is at fault, not the
    /// sender.
    ///
    /// - Parameters:
    ///   - usages: The use of the limits, at least one of which is exceeded.
    ///   - bytes: The size of the memo's mail.
    static func overLimit(_ usages: [LimitUsage], bytes: Int) -> Refusal {
        let violated = usages.filter { $0.isExceeded(by: bytes) }
        let isOfService = violated.allSatisfy(\.limit.isOfService)
        var refusal =
            isOfService
            ? Refusal(
                .unavailable,
                "The relay has accepted as many memos as it may for now.",
                type: .reducedCapacity,
                retryAfter: violated.map(wait).max()
            )
            : Refusal(
                .quotaExceeded,
                "The device has sent as many memos as it may for now.",
                type: .quotaExceeded,
                retryAfter: violated.map(wait).max()
            )
        refusal.problem.violatedPolicies = violated.map(\.limit.name)
        refusal.limits = violated.map(\.limit.name)
        refusal.usages = usages
        return refusal
    }

    /// Nobody knows when the mail server takes what waits: ten minutes.
    private static func wait(for usage: LimitUsage) -> Milliseconds {
        usage.reset ?? .seconds(600)
    }
}

/// A problem's type, beside its code.
private struct ProblemType {
    let uri: String
    /// `nil` for the phrase of the status.
    var title: String?

    /// The status and the code say everything.
    static let status = ProblemType(uri: "about:blank")
    static let quotaExceeded = registered("quota-exceeded", "Quota Exceeded")
    static let reducedCapacity = registered(
        "temporary-reduced-capacity",
        "Temporary Reduced Capacity"
    )

    /// A type of <https://iana.org/assignments/http-problem-types>.
    private static func registered(_ name: String, _ title: String) -> ProblemType {
        ProblemType(uri: "https://iana.org/assignments/http-problem-types#\(name)", title: title)
    }
}

extension ProblemCode {
    /// The status, with the phrase that RFC 9110 recommends.
    var httpStatus: HTTPResponse.Status {
        let statuses: [HTTPResponse.Status] = [
            .badRequest, .unauthorized, .forbidden, .notFound, .conflict, .gone, .methodNotAllowed,
            .requestTimeout,
            .contentTooLarge, .unprocessableContent, .preconditionRequired, .tooManyRequests,
            .internalServerError, .serviceUnavailable,
        ]
        return statuses.first { $0.code == status } ?? HTTPResponse.Status(code: status)
    }
}
