package import OutboxCore
package import RelayAPI

/// The fate of a mail after a mail server had taken it, as that server, or the provider, tells.
public struct MailBounce: Hashable, Sendable {
    /// The mail's identifier in the queue.
    package let mail: OperationID
    package let fate: MemoFate
    package let now: WallTime

    package init(of mail: OperationID, _ fate: MemoFate, at now: WallTime) {
        self.mail = mail
        self.fate = fate
        self.now = now
    }
}

/// The answer of a store to a ``MailBounce``.
public enum MailBounceResult: Hashable, Sendable {
    /// The memo has this fate now.
    case recorded
    /// The memo had its last fate before: a repetition, or a mail that expired or was refused.
    case settledBefore
    /// The memo is accepted: that its mail was taken is not stored yet, or the mail waits.
    case undecided
    /// No memo has this mail.
    case noMemo

    /// The rule for a memo with this status; `nil` where there is no memo.
    package init(_ status: DeliveryStatus?) {
        switch status {
        case nil: self = .noMemo
        case .accepted?: self = .undecided
        case .delivered?: self = .recorded
        default: self = .settledBefore
        }
    }
}
