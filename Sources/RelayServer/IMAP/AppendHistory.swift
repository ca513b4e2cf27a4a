import OutboxCore

/// What the earlier attempts at a mail have left in doubt about its mailbox.
///
/// IMAP has no command that ends an append of another connection: an append whose answer was lost may
/// still be running, and may put the mail into the mailbox after a search has not found it. So a mail
/// that was appended while another append of it may be running is looked after
/// (``AppendHistory/settling(look:)``) until a server that is left alone has given the old connection
/// up.
///
/// The history is kept in the reason of the mail's last failure.
enum AppendHistory: Hashable, Sendable {
    /// No append of the mail was left without an answer.
    case none
    /// One append of the mail was left without an answer.
    case unanswered
    /// More than one append of the mail may have been left without an answer.
    case severalUnanswered
    /// The mail is in the mailbox. A copy of it may still arrive: the look of this number is due,
    /// counted from 1.
    case settling(look: Int)

    /// The number of looks for late copies. With the usual first wait the waits are 1, 2, 4, 8 and 16
    /// minutes, and the last look is more than the 30 minutes after the append for which a server keeps a
    /// connection that has fallen silent
    /// ([RFC 9051, section 5.4](https://www.rfc-editor.org/rfc/rfc9051#section-5.4)).
    static let looks = 5

    private static let settlingPrefix = "imap.settling."

    /// The history that a mail's last failure tells; ``none`` for any other failure.
    init(_ reason: ReasonCode?) {
        switch reason.map({ "\($0)" }) {
        case "imap.unanswered": self = .unanswered
        case "imap.unanswered.again": self = .severalUnanswered
        case let text? where text.hasPrefix(Self.settlingPrefix):
            let look = Int(text.dropFirst(Self.settlingPrefix.count)) ?? 1
            self = .settling(look: min(max(look, 1), Self.looks))
        default: self = .none
        }
    }

    /// The reason that tells this history; `nil` for ``none``.
    var reason: ReasonCode? {
        switch self {
        case .none: nil
        case .unanswered: "imap.unanswered"
        case .severalUnanswered: "imap.unanswered.again"
        case .settling(let look): ReasonCode(utf8: Array("\(Self.settlingPrefix)\(look)".utf8))
        }
    }
}
