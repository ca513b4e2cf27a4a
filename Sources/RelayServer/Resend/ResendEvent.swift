import Essentials
import MemoCore
import OutboxCore
import RelayRules

/// An event of Resend (<https://resend.com/docs/webhooks/event-types>), as far as the relay uses it.
/// Pure.
struct ResendEvent: Hashable {
    /// The path at which Resend brings events.
    static let path = "\(RelayPath.apiPrefix)webhooks/resend"
    /// The longest event that is read, in bytes.
    static let longestBody = 32 * 1024
    /// The name of the tag whose value tells the mail.
    static let tagName = "memo"

    /// The value of the mail's tag; `nil` for a mail of no memo.
    let tag: String?
    /// The mail's fate; `nil` where the event tells no last news.
    let fate: MemoFate?

    /// - Returns: `nil` for a body that is no event.
    init?(_ body: some Sequence<UInt8>) {
        guard let event = try? JSONDecoder().decode(Body.self, from: Data(body)) else { return nil }
        tag = event.data?.tags?.values[Self.tagName]
        fate = Self.fate(event)
    }

    /// | event | fate |
    /// |---|---|
    /// | `email.bounced`, type `Transient` | expired: the cause was not permanent |
    /// | `email.bounced`, any other type | bounced |
    /// | `email.suppressed` | bounced: an earlier mail had bounced, or was called spam |
    /// | `email.failed` | bounced: Resend could not send it |
    /// | any other | none |
    ///
    /// `email.delivered` changes nothing: a mail is delivered when Resend has taken it. A complaint
    /// is of a mail that arrived.
    private static func fate(_ event: Body) -> MemoFate? {
        switch event.type {
        case "email.bounced":
            switch event.data?.bounce?.type {
            case "Transient": .expired("resend.bounced.transient")
            case "Permanent": .bounced("resend.bounced.permanent")
            default: .bounced("resend.bounced")
            }
        case "email.suppressed": .bounced("resend.suppressed")
        case "email.failed": .bounced("resend.failed")
        default: nil
        }
    }

    private struct Body: Decodable {
        let type: String
        let data: Content?

        private enum CodingKeys: CodingKey {
            case type, data
        }

        init(from decoder: any Decoder) throws {
            let body = try decoder.container(keyedBy: CodingKeys.self)
            type = try body.decode(String.self, forKey: .type)
            // Events of other things than mails have other contents.
            data = type.hasPrefix("email.") ? try body.decode(Content.self, forKey: .data) : nil
        }
    }

    private struct Content: Decodable {
        let tags: Tags?
        let bounce: Bounce?
    }

    private struct Bounce: Decodable {
        let type: String?
    }

    /// An object; in older events a list of names and values.
    private struct Tags: Decodable {
        let values: [String: String]

        private struct Tag: Decodable {
            let name: String
            let value: String
        }

        init(from decoder: any Decoder) throws {
            let content = try decoder.singleValueContainer()
            if let values = try? content.decode([String: String].self) {
                self.values = values
            } else {
                let tags = try content.decode([Tag].self)
                values = Dictionary(tags.map { ($0.name, $0.value) }) { first, _ in first }
            }
        }
    }
}
