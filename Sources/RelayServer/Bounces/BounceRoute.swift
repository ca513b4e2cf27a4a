import OutboxCore

/// The way by which the bounce of a memo's mail finds its memo. The mark of a mail is the same at every
/// attempt.
package enum BounceRoute: Sendable {
    /// A mail server returns the mail to an address of its own.
    case returnPath(ReturnPath)
    /// A provider's events have the mail's tag. The tag is made with the secret: no other use of the
    /// provider's account can name a memo.
    case tag(RelaySecret)

    /// The mail with its mark. Its bytes stay.
    func marked(_ mail: QueuedMail, of operation: OperationID) -> QueuedMail {
        switch self {
        case .returnPath(let path):
            return path.addressed(mail, of: operation)
        case .tag(let secret):
            var mail = mail
            mail.tag = secret.bounceTag(of: operation)
            return mail
        }
    }
}
