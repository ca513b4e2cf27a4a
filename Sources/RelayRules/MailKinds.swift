package import OutboxCore

extension OperationKind {
    /// A memo's mail: a `QueuedMail`.
    package static let memoMail: OperationKind = "mail"
    /// A verification code's mail: a `QueuedMail`.
    package static let verificationMail: OperationKind = "mail.verification"
    /// The kind of the mail about a new device: a `QueuedMail`.
    package static let deviceMail: OperationKind = "mail.device"
}
