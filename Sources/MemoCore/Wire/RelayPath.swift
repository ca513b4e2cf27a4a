public import OutboxCore

/// The paths of the relay's resources, for both ends.
public enum RelayPath {
    /// `POST` an address: asks for a code by mail.
    public static let verifications: StaticString = "/v1/verifications"
    /// `POST` a code: trades the code for a token.
    public static let confirmations: StaticString = "/v1/verifications/confirm"
    /// `GET` the devices of the person. `DELETE` of a device's own path below this one revokes the
    /// token of that device, which must be the same person's.
    public static let devices: StaticString = "/v1/devices"
    /// `DELETE`, with a code: erases the account of the request's token.
    public static let account: StaticString = "/v1/account"
    /// `GET` the changes of the account: of its memos, devices and settings; with ``cursorQuery`` and a
    /// cursor, the changes after it.
    public static let changes: StaticString = "/v1/changes"
    /// `GET` the settings that all devices of the person share. `PUT` changes them.
    public static let settings: StaticString = "/v1/settings"
    /// `POST` the identity of a change of the settings: gets its answer again.
    public static let settingsAnswer: StaticString = "/v1/settings/answer"
    /// `DELETE`: revokes the token that the request carries.
    public static let currentDevice: StaticString = "/v1/devices/current"
    /// Below it are the pages that sign a device out, for whoever has the link of a mail.
    public static let revocation: StaticString = "/revoke"
    /// `PUT` a memo to its own path below this one, or `GET` its status.
    public static let memos: StaticString = "/v1/memos"
    /// `GET` the changes of memos; with ``cursorQuery`` and a cursor, the changes after it.
    public static let memoChanges: StaticString = "/v1/memos/changes"
    /// Stands between ``memoChanges`` and a cursor.
    public static let cursorQuery: StaticString = "?after="
    /// `POST` a memo with a ``RelayHeader/idempotencyKey``.
    public static let send: StaticString = "/v1/send"
    /// `POST`: takes a text that another app shares with the web app. The web app's service worker
    /// answers. Without a service worker the relay answers, and sends the browser to
    /// ``shareMissed``.
    public static let share: StaticString = "/share"
    /// Opens the web app, which says that the shared text has to be shared again.
    public static let shareMissed: StaticString = "/?share=missed"
    /// `GET` whether ``review`` leads to a page for reviews. Needs no token.
    public static let reviewOffer: StaticString = "/v1/review"
    /// `GET`: sends the browser to the page on which people review the app, or else to the app.
    public static let review: StaticString = "/review"
    /// The prefix of all paths of the API.
    public static let apiPrefix: StaticString = "/v1/"
    /// `GET`: 200 while the relay serves.
    public static let health: StaticString = "/healthz"
    /// `GET`, at the port for metrics only: the relay's numbers, for Prometheus.
    public static let metrics: StaticString = "/metrics"
    /// `GET`: 200 while the relay can accept memos and hand them on, else 503.
    public static let readiness: StaticString = "/readyz"
    /// `GET`: the OpenAPI document that describes all of these.
    public static let description: StaticString = "/openapi.json"
}

/// Header fields that carry meaning between the ends, spelled as they are sent.
public enum RelayHeader {
    /// Names the memo in `POST /v1/send`: a UUID, bare or as a quoted structured-field string
    /// (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey: StaticString = "idempotency-key"
    /// `true` on an answer that repeats an earlier one byte for byte.
    public static let idempotentReplayed: StaticString = "idempotent-replayed"
    /// The limits of the caller (draft-ietf-httpapi-ratelimit-headers-10), on every answer below
    /// ``RelayPath/apiPrefix``.
    public static let rateLimitPolicy: StaticString = "ratelimit-policy"
    /// The rest of the limits.
    public static let rateLimit: StaticString = "ratelimit"
    /// Seconds to wait, on 409, 429 and 503.
    public static let retryAfter: StaticString = "Retry-After"
    /// The moment of the answer by the relay's clock, on every answer below ``RelayPath/apiPrefix``:
    /// milliseconds since 1970-01-01T00:00:00Z.
    public static let relayTime: StaticString = "relay-time"
    /// The number of the account's change that a `DELETE` has made.
    public static let relayVersion: StaticString = "relay-version"
    /// With a version as entity tag: the settings are changed only if they have this version.
    public static let ifMatch: StaticString = "If-Match"
    /// With `*`: the settings are made only if there are none.
    public static let ifNoneMatch: StaticString = "If-None-Match"
    /// The moment of the answer, by the clock of its sender.
    public static let date: StaticString = "Date"
    /// ``bearer``, a space and the token.
    public static let authorization: StaticString = "Authorization"
    /// The scheme of ``authorization``.
    public static let bearer: StaticString = "Bearer"
    /// The media type of a body, see ``RelayMediaType``.
    public static let contentType: StaticString = "Content-Type"
}

/// Media types of the bodies.
public enum RelayMediaType {
    /// The type of every body that is no problem.
    public static let json: StaticString = "application/json"
    /// [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457).
    public static let problem: StaticString = "application/problem+json"
}

/// The bounds that both ends keep. The longest memo is ``MemoRule/longest``.
public enum RelayLimits {
    /// The longest subject that a request may carry, in bytes of UTF-8. A mail's subject is cut
    /// shorter still.
    public static let subjectLength = 4096
    /// The longest body of a memo request: every byte of the text may need six in JSON.
    public static let memoBodyLength = 6 * (MemoRule.longest + subjectLength) + 1024
    /// The longest body of any other request.
    public static let bodyLength = 4096
    /// The longest body of a change of the settings: every byte of them may need six in JSON.
    public static let settingsBodyLength = 6 * settingsLength + 4096
    /// The most settings of an account.
    public static let settings = 16
    /// The most bytes of all settings together, names and values, in UTF-8.
    public static let settingsLength = 8192
    /// The longest name of a setting, in bytes of ASCII.
    public static let settingNameLength = 32
    /// The greatest number in the bodies of settings and changes: what every reader of JSON has exactly.
    public static let greatestNumber: Int64 = (1 << 53) - 1
    /// The longest answer that a device reads.
    public static let answerLength = 256 * 1024
    /// The most changes in one answer.
    public static let changesPage = 100
    /// The longest cursor of changes, in bytes.
    public static let cursorLength = 64
    /// The longest mail address, in bytes
    /// ([RFC 5321, section 4.5.3.1.3](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3)).
    public static let addressLength = 254
    /// The longest name of a device, in bytes of UTF-8. The relay cuts a longer name.
    public static let deviceNameLength = 100
    /// The digits of the shortest verification code.
    public static let codeLength = 6
    /// The digits of the longest verification code.
    public static let longestCode = 10
    /// The time during which a verification code can be tried, where the relay is not told
    /// otherwise.
    public static let codeLifetime = Milliseconds.seconds(600)
    /// The number of wrong tries after which the relay rejects a code for good.
    public static let codeTries = 5
    /// The longest time for which the relay lets a person wait for another code.
    public static let codeWait = Milliseconds.seconds(3600)
    /// The longest token, in bytes.
    public static let tokenLength = 256
}
