public import OutboxCore

/// Hands mails on towards their inboxes.
public protocol MailTransport: Sendable {
    /// Hands a mail over. May be called again with the same mail after any outcome.
    ///
    /// Returns early if the task is cancelled before the outcome is decided.
    func deliver(_ mail: QueuedMail) async -> MailOutcome

    /// The time for which the other side recognises the repetition of a mail of which it is unknown
    /// whether it was taken; `nil` where no time ends that, or the mailbox recognises it.
    var repetitionWindow: Milliseconds? { get }

    /// Whether an attempt of this transport had an ``MailOutcome/unknown(_:)`` or
    /// ``MailOutcome/settling(_:after:)`` outcome.
    func isUnknown(_ reason: ReasonCode) -> Bool
}

extension MailTransport {
    public var repetitionWindow: Milliseconds? { nil }
    public func isUnknown(_ reason: ReasonCode) -> Bool { false }
}

/// The outcome of handing a mail over.
public enum MailOutcome: Hashable, Sendable {
    /// The other side has taken responsibility for the mail.
    case accepted
    /// The other side will never take this mail.
    case refused(ReasonCode)
    /// The other side did not take the mail, but may take it later.
    case tryLater(ReasonCode)
    /// The other side may or may not have taken the mail: the connection was lost after the final
    /// dot ([RFC 1047](https://www.rfc-editor.org/rfc/rfc1047)). The same bytes must be sent again.
    case unknown(ReasonCode)
    /// The other side has the mail. The transport has to look after the mail again, because a copy of
    /// it may arrive late: after a wait, or, where there is none, after that of a failure. Where the
    /// queue keeps the mail no longer, the mail has been handed over.
    case settling(ReasonCode, after: Milliseconds?)
}
