package import OutboxCore
package import RelayAPI

/// The fate of a memo: the outcome of its mail's last attempt. Pure.
///
/// The handler of the mail answers with ``outcome``. A store reads the fate again from the change
/// that this outcome makes to the queue, and records the fate in the transaction that makes the
/// change. So a mail leaves the queue exactly when its memo's fate is stored.
///
/// | fate | change of the queue | reason of a parked mail |
/// |---|---|---|
/// | delivered | removed | |
/// | bounced | parked | the reason |
/// | expired | parked | `expired.` and the last failure |
/// | malformed | parked | `mail.malformed` |
package enum MemoFate: Hashable, Sendable {
    /// The mail server has taken the mail.
    case delivered
    /// The mail server will never take the mail.
    case bounced(ReasonCode)
    /// The mail has waited for its whole lifetime; with the last failure.
    case expired(ReasonCode)
    /// The stored mail is not one that this relay writes.
    case malformed

    /// - Returns: `nil` for a mail that is not decided: it stays queued, or waits for a build that
    ///   has its handler.
    package init?(_ transition: DeliveryMachine.Transition) {
        switch transition {
        case .remove:
            self = .delivered
        case .reschedule:
            return nil
        case .park(let envelope):
            guard let reason = envelope.lastError, reason != .noHandler else { return nil }
            if reason == Self.malformedReason {
                self = .malformed
            } else if reason.utf8.starts(with: Self.expiredPrefix) {
                self = .expired(ReasonCode(utf8: Array(reason.utf8[Self.expiredPrefix.count...])))
            } else {
                self = .bounced(reason)
            }
        }
    }

    /// The answer of the mail's handler.
    package var outcome: DeliveryMachine.Outcome {
        switch self {
        case .delivered: .done
        case .bounced(let reason): .park(reason)
        case .expired(let reason): .park(ReasonCode(utf8: Self.expiredPrefix + reason.utf8))
        case .malformed: .park(Self.malformedReason)
        }
    }

    /// The memo's status.
    package var status: DeliveryStatus {
        switch self {
        case .delivered: .delivered
        case .bounced: .bounced
        case .expired: .expired
        case .malformed: .refused
        }
    }

    /// The reason that the memo's sender is told.
    package var reason: ReasonCode? {
        switch self {
        case .delivered: nil
        case .bounced(let reason), .expired(let reason): reason
        case .malformed: Self.malformedReason
        }
    }

    private static let malformedReason: ReasonCode = "mail.malformed"
    private static let expiredPrefix = Array("expired.".utf8)
}
