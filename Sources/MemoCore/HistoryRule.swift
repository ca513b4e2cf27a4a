public import OutboxCore
import WireCore

/// The state of a memo's operation on the device, as the outbox tells it.
public enum OperationStanding: Hashable, Sendable {
    /// The operation will be attempted.
    case queued
    /// The relay has accepted the memo; the operation is, or is about to be, removed.
    case accepted
    /// The operation waits for a person, or for a new sign-in; the reason of the last failure.
    case parked(ReasonCode?)
    /// The operation's bytes cannot be read, and are kept; the type of damage.
    case quarantined(ReasonCode)
    /// A person deleted the operation.
    case deleted
}

/// The rule of a memo's history: what the outbox and the relay make of a status. Terminal and web
/// app both use it.
extension HistoryStatus {
    /// The status of a memo that had this status, and whose operation is in `standing`.
    ///
    /// The relay's word stands above the device's: a memo that the relay holds is sent, whatever
    /// happens to the rest of its operation. An operation that waits for a sign-in, or for a build
    /// that knows its kind, is queued for the person. An operation that can be read again is queued
    /// again.
    public func following(_ standing: OperationStanding) -> HistoryStatus {
        switch self {
        case .delivered, .bounced, .expired, .resent, .unknown: return self
        case .queued, .sent, .refused, .quarantined, .deleted: break
        }
        if standing == .accepted { return .sent }
        if self == .sent { return self }
        switch standing {
        case .accepted: return .sent
        case .queued, .parked(nil): return .queued
        case .parked(let reason?):
            let waits = reason == .unauthorized || reason == .noHandler
            return waits ? .queued : .refused(reason)
        case .quarantined(let reason): return .quarantined(reason)
        case .deleted: return .deleted
        }
    }

    /// Whether the relay may have news of a memo with this status, so that a request is worth its
    /// cost.
    ///
    /// A sent memo gets its end from the relay within five days; a memo of another relay never gets
    /// one. So sent memos are asked about for thirty days. A delivered memo may bounce while the mail
    /// server tries, which takes five days as well
    /// ([RFC 5321, section 4.5.4.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.4.1)), after
    /// at most five days at the relay. So delivered memos are asked about for fourteen days.
    ///
    /// - Parameters:
    ///   - sentAt: The time of sending, by the device's clock.
    ///   - now: The present.
    public func awaitsNews(sentAt: WallTime, now: WallTime) -> Bool {
        newsPeriod.map { now < sentAt.advanced(by: $0) } ?? false
    }

    /// The time after a memo's sending in which the relay may have news of it; `nil` for none.
    public var newsPeriod: Milliseconds? {
        switch self {
        case .sent: .seconds(30 * 86_400)
        case .delivered: .seconds(14 * 86_400)
        case .queued, .quarantined, .bounced, .expired, .refused, .deleted, .resent, .unknown: nil
        }
    }

    /// Whether the memo did not arrive and will not, and no outbox holds it: only the history has
    /// its text. When a person sends the text again, this memo is ``resent``.
    ///
    /// A memo that the relay did not accept waits in the outbox, and leaves from there.
    public var isReplacedByResending: Bool {
        switch self {
        case .bounced, .expired: true
        case .refused(let reason): reason.utf8.isPrefixed(by: "quarantine.")
        case .queued, .quarantined, .sent, .delivered, .deleted, .resent, .unknown: false
        }
    }

    /// Whether the outbox still holds the memo.
    public var isInOutbox: Bool {
        switch self {
        case .queued, .quarantined: true
        case .refused: !isReplacedByResending
        case .sent, .delivered, .bounced, .expired, .deleted, .resent, .unknown: false
        }
    }

    /// The status that stays whatever the relay tells: a relay may tell the bounce again of a memo
    /// that was sent again since.
    public static var keptWhenTold: HistoryStatus { .resent }

    /// The status of a memo that had this status, and of which the relay tells `told`.
    public func following(told: HistoryStatus) -> HistoryStatus {
        self == .keptWhenTold ? self : told
    }

    /// The longest name of a status, and the longest reason, that a relay may tell, in bytes.
    private static let longestTold = 64

    /// Makes the status that a relay tells of a memo.
    ///
    /// - Parameters:
    ///   - name: The relay's name of the status. A name that this build does not know is kept.
    ///   - reason: The relay's reason.
    /// - Returns: `nil` for a name that only a device can give, and for a name or a reason that is
    ///   empty, longer than 64 bytes, or not of printable ASCII characters without spaces.
    public init?(told name: [UInt8], reason: [UInt8]?) {
        guard Self.isCode(name), reason.map({ Self.isCode($0) }) ?? true else { return nil }
        let status = HistoryStatus(name: name, reason: reason.map { ReasonCode(utf8: $0) })
        switch status {
        case .queued, .quarantined, .deleted, .resent: return nil
        case .sent, .delivered, .bounced, .expired, .refused, .unknown: self = status
        }
    }

    private static func isCode(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.count <= longestTold && bytes.allSatisfy { 0x21...0x7E ~= $0 }
    }
}
