public import OutboxCore

/// The relay's names for the statuses of a memo. Later relays may have more.
public enum StatusName {
    /// The relay holds the memo and goes on trying.
    public static let accepted: StaticString = "accepted"
    /// The mail server accepted the mail.
    public static let delivered: StaticString = "delivered"
    /// The mail server refused the mail for good.
    public static let bounced: StaticString = "bounced"
    /// The relay could not deliver the mail in five days.
    public static let expired: StaticString = "expired"
    /// The relay refused the memo for good.
    public static let refused: StaticString = "refused"
}

/// The kinds of what a device seals. Only memos are operations of the outbox.
extension OperationKind {
    /// A memo on its way to the relay; the payload is the body of the request.
    public static let memo: OperationKind = "memo"
    /// A memo in the history.
    public static let history: OperationKind = "memo.history"
    /// A text that has not been sent.
    public static let draft: OperationKind = "memo.draft"
    /// The account and its token.
    public static let account: OperationKind = "memo.account"
    /// The person's settings.
    public static let settings: OperationKind = "memo.settings"
    /// What the device last knew of the things that all devices share.
    public static let sharedView: OperationKind = "memo.shared-view"
}
