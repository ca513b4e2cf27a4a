import WireCore

/// The name of a problem that the relay states, for a program.
///
/// Later relays may have more names: a problem with another name counts as not the relay's.
public enum ProblemCode: Hashable, Sendable, CaseIterable {
    /// The body is not the JSON that this request takes.
    case malformedBody
    /// Mail cannot be sent to the address.
    case invalidAddress
    /// The memo has no text.
    case emptyMemo
    /// `POST /v1/send` without an `Idempotency-Key`.
    case idempotencyKeyMissing
    /// An `Idempotency-Key`, or a memo's path, that is not a UUID.
    case idempotencyKeyMalformed
    /// The request has no token, or a token that was never valid.
    case unauthorized
    /// The token was revoked. Sign in again.
    case tokenRevoked
    /// The code is wrong, expired or used up. Ask for a new one.
    case codeRejected
    /// A code without the handle that the relay gave to whoever asked for the code.
    case handleMissing
    /// Another site's page asked for something that only the relay's own may ask for.
    case crossOrigin
    /// There is no such resource.
    case notFound
    /// The relay does not know the cursor, or has dropped what lies behind it.
    case cursorForgotten
    /// The resource does not have the request's method.
    case methodNotAllowed
    /// The request took too long to arrive.
    case tooSlow
    /// The body or the memo is too long.
    case tooLarge
    /// An earlier request with the same memo is being stored; `Retry-After` says how long to wait.
    case inProgress
    /// The key was used for another memo.
    case idempotencyKeyReused
    /// The request does not say on which version its change was made.
    case preconditionRequired
    /// Too many requests of this kind; `Retry-After` says how long to wait.
    case tooManyRequests
    /// The device's allowance is used up; `Retry-After` says how long to wait.
    case quotaExceeded
    /// The relay failed. Nothing was accepted.
    case internalError
    /// The relay cannot store anything just now. Nothing was accepted.
    case unavailable

    /// The name on the wire.
    public var name: StaticString {
        switch self {
        case .malformedBody: "malformed-body"
        case .invalidAddress: "invalid-address"
        case .emptyMemo: "empty-memo"
        case .idempotencyKeyMissing: "idempotency-key-missing"
        case .idempotencyKeyMalformed: "idempotency-key-malformed"
        case .unauthorized: "unauthorized"
        case .tokenRevoked: "token-revoked"
        case .codeRejected: "code-rejected"
        case .handleMissing: "handle-missing"
        case .crossOrigin: "cross-origin"
        case .notFound: "not-found"
        case .cursorForgotten: "cursor-forgotten"
        case .methodNotAllowed: "method-not-allowed"
        case .tooSlow: "too-slow"
        case .tooLarge: "too-large"
        case .inProgress: "in-progress"
        case .idempotencyKeyReused: "idempotency-key-reused"
        case .preconditionRequired: "precondition-required"
        case .tooManyRequests: "too-many-requests"
        case .quotaExceeded: "quota-exceeded"
        case .internalError: "internal-error"
        case .unavailable: "unavailable"
        }
    }

    /// The HTTP status with which the relay states the problem.
    public var status: Int {
        switch self {
        case .malformedBody, .invalidAddress, .emptyMemo, .idempotencyKeyMissing,
            .idempotencyKeyMalformed, .handleMissing:
            400
        case .unauthorized, .tokenRevoked: 401
        case .codeRejected, .crossOrigin: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .tooSlow: 408
        case .inProgress: 409
        case .cursorForgotten: 410
        case .tooLarge: 413
        case .idempotencyKeyReused: 422
        case .preconditionRequired: 428
        case .tooManyRequests, .quotaExceeded: 429
        case .internalError: 500
        case .unavailable: 503
        }
    }

    /// Whether the same request may succeed later. A device believes the relay's own word of it.
    public var isRetryable: Bool {
        switch self {
        case .tooSlow, .inProgress, .tooManyRequests, .quotaExceeded, .internalError, .unavailable:
            true
        case .malformedBody, .invalidAddress, .emptyMemo, .idempotencyKeyMissing,
            .idempotencyKeyMalformed, .handleMissing, .unauthorized, .tokenRevoked, .codeRejected,
            .crossOrigin, .notFound, .cursorForgotten, .methodNotAllowed, .tooLarge,
            .idempotencyKeyReused,
            .preconditionRequired:
            false
        }
    }

    /// Whether the problem says that the token is not valid, or not valid any more.
    public var refusesToken: Bool { self == .unauthorized || self == .tokenRevoked }

    /// - Returns: `nil` for a name that this build does not know: it may be another service's.
    public init?(name: [UInt8]) {
        for code in Self.allCases where name == code.name {
            self = code
            return
        }
        return nil
    }
}

/// A problem that the relay states in an answer.
public struct RelayProblem: Hashable, Sendable {
    /// The name of the problem.
    public let code: ProblemCode
    /// Whether the relay says that the same request may succeed later.
    public let isRetryable: Bool
}
