public import OutboxCore

/// Hands one mail to whatever brings it to the inbox.
public protocol MailTransport: Sendable {
    /// Hands over `mail`. May be called again with the same mail after any outcome.
    ///
    /// A cancelled task makes it return early where nothing is decided yet.
    func deliver(_ mail: QueuedMail) async -> MailOutcome
}

/// How handing a mail over ended.
public enum MailOutcome: Hashable, Sendable {
    /// The other side has taken responsibility for the mail.
    case accepted
    /// The other side will never take this mail.
    case refused(ReasonCode)
    /// The mail was not taken; another time it may be.
    case tryLater(ReasonCode)
    /// The other side may or may not have taken the mail: the connection was lost after the final
    /// dot ([RFC 1047](https://www.rfc-editor.org/rfc/rfc1047)). The same bytes must be sent again.
    case unknown(ReasonCode)
}
