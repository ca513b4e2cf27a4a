import Essentials

/// The request that hands one mail to Resend
/// (<https://resend.com/docs/api-reference/emails/send-email>). The same mail has the same bytes at
/// every attempt, because Resend refuses a key that comes with others.
struct ResendRequest {
    /// The field of the same name: Resend sends one mail for a key, for 24 hours
    /// (<https://resend.com/docs/dashboard/emails/idempotency-keys>).
    let idempotencyKey: String
    /// The JSON.
    let body: [UInt8]

    /// - Returns: `nil` for a mail of which Resend cannot be told the parts.
    init?(_ mail: QueuedMail) {
        guard let rendered = RenderedMail(mail),
            let body = try? Self.encoder.encode(Body(rendered, tag: mail.tag))
        else { return nil }
        // Without the domain, which may be longer than Resend lets a key be. The rest is unguessable.
        let token = mail.messageID.prefix { $0 != "@" }
        idempotencyKey = "memo-relay/\(token)"
        self.body = Array(body)
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    private struct Tag: Encodable {
        let name: String
        let value: String
    }

    private struct Body: Encodable {
        let from: String
        let to: [String]
        let replyTo: [String]?
        let subject: String
        let text: String
        let headers: [String: String]
        let tags: [Tag]?

        init(_ mail: RenderedMail, tag: String?) {
            from = mail.from
            to = [mail.to]
            replyTo = mail.replyTo.map { [$0] }
            subject = mail.subject
            text = mail.text
            headers = mail.fields
            tags = tag.map { [Tag(name: ResendEvent.tagName, value: $0)] }
        }

        private enum CodingKeys: String, CodingKey {
            case from, to, subject, text, headers, tags
            case replyTo = "reply_to"
        }
    }
}
