package import OutboxCore
package import RelayAPI
import SQLite

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

extension Connection {
    /// Records a memo's fate as its latest change. Does nothing for a mail that is no memo's.
    func record(_ fate: MemoFate, of mail: OperationID, at now: WallTime) throws {
        try run(
            """
            UPDATE memo SET status = ?, reason = ?, changed_at = ?,
                change = \(RelaySchema.nextChange)
            WHERE operation = ?
            """,
            .text(fate.status.rawValue),
            fate.reason.map { .text($0.description) } ?? .null,
            .integer(now.millisecondsSinceEpoch),
            .blob(mail.bytes)
        )
    }

    /// Records a bounce, once.
    func record(_ bounce: MailBounce) throws -> MailBounceResult {
        let status = try first(
            "SELECT status FROM memo WHERE operation = ?",
            .blob(bounce.mail.bytes)
        ) { DeliveryStatus(rawValue: $0.text(0)) }
        let result = MailBounceResult(status)
        if result == .recorded { try record(bounce.fate, of: bounce.mail, at: bounce.now) }
        return result
    }
}
