import Essentials
import OutboxCore

/// The answer of Resend to a mail, and its meaning for the mail. Pure.
struct ResendAnswer: Hashable {
    /// The longest answer that is read, in bytes. Longer ones come from others.
    static let longestBody = 64 * 1024

    private let status: Int
    private let retryAfter: String?
    private let body: Body

    private struct Body: Hashable, Decodable {
        var id: String?
        var name: String?
        var message: String?
    }

    init(status: Int, retryAfter: String? = nil, body: [UInt8]) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = (try? JSONDecoder().decode(Body.self, from: Data(body))) ?? Body()
    }

    /// The wait that Resend asks for because requests come too quickly, 1 to 10 s; `nil` for any
    /// other answer. Quotas of a day or a month are not meant: see ``outcome``.
    var pause: Milliseconds? {
        guard status == 429, body.name == nil || body.name == "rate_limit_exceeded" else {
            return nil
        }
        return .seconds(min(max(retryAfter.flatMap { Int64($0) } ?? 1, 1), 10))
    }

    /// A refusal is final only where it speaks of this mail's recipient. All others speak of the
    /// relay: of its key, its domain, its quota, its request. A person can mend that while the mail
    /// waits.
    ///
    /// | answer | outcome |
    /// |---|---|
    /// | 2xx with an `id` | accepted |
    /// | 2xx without, 5xx | unknown: Resend, or something before it, may have the mail |
    /// | 400 or 422 `validation_error` about `to` | refused |
    /// | 409 `concurrent_idempotent_requests` | unknown: an earlier attempt is in work |
    /// | 409 `invalid_idempotent_request` | later: another build sent other bytes under this key |
    /// | 429 `daily_quota_exceeded`, `monthly_quota_exceeded` | later |
    /// | anything else | later |
    var outcome: MailOutcome {
        switch status {
        case 200..<300: body.id == nil ? .unknown("resend.answer") : .accepted
        case 400 where isAboutRecipient, 422 where isAboutRecipient: .refused("resend.recipient")
        case 409 where body.name == "concurrent_idempotent_requests": .unknown("resend.concurrent")
        case 500..<600: .unknown(reason("resend"))
        default: .tryLater(knownName ?? reason("resend.relay"))
        }
    }

    /// Whether an attempt that ended for this reason has an ``MailOutcome/unknown(_:)`` outcome.
    static func isUnknown(_ reason: ReasonCode) -> Bool {
        let unknown: [ReasonCode] = ["resend.answer", "resend.concurrent", "resend.unanswered"]
        return unknown.contains(reason) || reason.utf8.starts(with: Array("resend.5".utf8))
    }

    /// Resend names the field in its sentence alone.
    private var isAboutRecipient: Bool {
        body.name == "validation_error" && body.message?.contains("`to`") == true
    }

    /// A word of an answer may come from anybody, and is not repeated unless it is one of these.
    private var knownName: ReasonCode? {
        switch body.name {
        case "rate_limit_exceeded": "resend.rate"
        case "daily_quota_exceeded": "resend.relay.daily-quota"
        case "monthly_quota_exceeded": "resend.relay.monthly-quota"
        case "invalid_idempotent_request": "resend.relay.key-reused"
        case "missing_api_key", "invalid_api_key", "restricted_api_key": "resend.relay.api-key"
        case "invalid_from_address": "resend.relay.sender"
        default: nil
        }
    }

    private func reason(_ prefix: String) -> ReasonCode {
        ReasonCode(utf8: Array("\(prefix).\(status)".utf8))
    }
}
