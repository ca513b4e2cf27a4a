public import OutboxCore

/// The paths of the relay's resources, for both ends.
public enum RelayPath {
    /// `POST` a ``VerificationRequest``: asks for a code by mail.
    public static let verifications = "/v1/verifications"
    /// `POST` a ``ConfirmationRequest``: trades the code for a token.
    public static let confirmations = "/v1/verifications/confirm"
    /// `GET` a ``DeviceList``.
    public static let devices = "/v1/devices"
    /// `DELETE`: revokes the token that the request carries. A ``Device/id`` in place of `current`
    /// revokes that device's, which must be the same person's.
    public static let currentDevice = "/v1/devices/current"
    /// `PUT` a ``MemoRequest`` to a memo's own path below this one, or `GET` its ``MemoStatus``.
    public static let memos = "/v1/memos"
    /// `GET` ``MemoChanges``; with `?after=` and a cursor, the changes after that cursor.
    public static let memoChanges = "/v1/memos/changes"
    /// `POST` a ``MemoRequest`` with a ``RelayHeader/idempotencyKey``.
    public static let send = "/v1/send"
    /// `POST`: takes a text that another app shares with the web app. The web app's service worker
    /// answers. Without a service worker the relay answers, and sends the browser to
    /// ``shareMissed``.
    public static let share = "/share"
    /// Opens the web app, which says that the shared text has to be shared again.
    public static let shareMissed = "/?share=missed"
    /// `GET` a ``ReviewOffer``. Needs no token.
    public static let reviewOffer = "/v1/review"
    /// `GET`: sends the browser to the page on which people review the app, or else to the app.
    public static let review = "/review"
    /// The prefix of all paths of the API.
    public static let apiPrefix = "/v1/"
    /// `GET`: 200 while the relay serves.
    public static let health = "/healthz"

    /// The path of one memo.
    public static func memo(_ id: OperationID) -> String {
        memos + "/" + String(decoding: id.text, as: UTF8.self)
    }
}

/// The answer to `GET` of ``RelayPath/reviewOffer``.
public struct ReviewOffer: Codable, Hashable, Sendable {
    /// Whether ``RelayPath/review`` leads to a page on which people review the app.
    public let page: Bool

    public init(page: Bool) {
        self.page = page
    }
}

/// Header fields that carry meaning between the ends, in lower case.
public enum RelayHeader {
    /// Names the memo in `POST /v1/send`: a UUID, bare or as a quoted structured-field string
    /// (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = "idempotency-key"
    /// `true` on an answer that repeats an earlier one byte for byte.
    public static let idempotentReplayed = "idempotent-replayed"
    /// The limits of a device (draft-ietf-httpapi-ratelimit-headers-10), on the answer to a memo
    /// that counted against the limits, or that a limit refused.
    public static let rateLimitPolicy = "ratelimit-policy"
    /// The rest of the limits.
    public static let rateLimit = "ratelimit"
    /// Seconds to wait, on 409, 429 and 503.
    public static let retryAfter = "retry-after"
    /// `Bearer` and the token.
    public static let authorization = "authorization"
}

/// Media types of the bodies.
public enum RelayMediaType {
    public static let json = "application/json"
    /// [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).
    public static let problem = "application/problem+json"
}

/// The bounds that both ends keep.
public enum RelayLimits {
    /// The longest memo text, in bytes of UTF-8.
    public static let textLength = 1 << 20
    /// The longest subject that a request may carry, in bytes of UTF-8. A mail's subject is cut
    /// shorter still.
    public static let subjectLength = 4096
    /// The longest body of a memo request: every byte of the text may need six in JSON.
    public static let memoBodyLength = 6 * (textLength + subjectLength) + 1024
    /// The longest body of any other request.
    public static let bodyLength = 4096
    /// The most entries of one ``MemoChanges``.
    public static let changesPage = 100
    /// The longest mail address, in bytes
    /// ([RFC 5321, section 4.5.3.1.3](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3)).
    public static let addressLength = 254
    /// The longest name of a device, in bytes of UTF-8. The relay cuts a longer name.
    public static let deviceNameLength = 100
    /// The digits of a verification code.
    public static let codeLength = 6
}

extension StringProtocol {
    /// Whether this host of a URL, a name or an address, is this machine itself.
    package var isLoopbackHost: Bool {
        if ["localhost", "::1", "[::1]"].contains(lowercased()) { return true }
        let numbers = split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil && $0.utf8.first != 0x2B }
    }
}
