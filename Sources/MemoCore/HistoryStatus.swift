public import MemoTexts
public import OutboxCore
import WireCore

/// The last known state of a memo on its way to the inbox.
public enum HistoryStatus: Hashable, Sendable {
    /// The outbox holds the memo; the relay has not accepted the memo yet.
    case queued
    /// The outbox holds bytes of the memo that cannot be read. They are kept, and are sent if they
    /// can be read again and a person asks for it.
    case quarantined(ReasonCode)
    /// The relay has stored the memo durably.
    case sent
    /// The mail server accepted the mail.
    case delivered
    /// The mail server refused the mail for good.
    case bounced(ReasonCode)
    /// The relay could not deliver the mail in the days for which the relay tries.
    case expired(ReasonCode)
    /// The relay refused the memo for good. A memo that the relay did not accept waits in the
    /// outbox for a person. A reason that begins with `quarantine.` means that the relay accepted
    /// the memo and then could not read its own copy: only the history has that memo.
    case refused(ReasonCode)
    /// A person deleted it from the outbox before it was sent.
    case deleted
    /// The memo did not arrive, and a person sent its text again, as a memo of its own.
    case resent
    /// A status that a newer build wrote; the value is the status's name.
    case unknown([UInt8])

    /// A stable name, for storage and for scripts: `queued`, `quarantined`, `sent`, `delivered`,
    /// `bounced`, `expired`, `refused`, `deleted` or `resent`.
    public var name: [UInt8] {
        switch self {
        case .queued: StaticString("queued").bytes
        case .quarantined: StaticString("quarantined").bytes
        case .sent: StaticString("sent").bytes
        case .delivered: StatusName.delivered.bytes
        case .bounced: StatusName.bounced.bytes
        case .expired: StatusName.expired.bytes
        case .refused: StatusName.refused.bytes
        case .deleted: StaticString("deleted").bytes
        case .resent: StaticString("resent").bytes
        case .unknown(let name): name
        }
    }

    /// The reason for which the memo did not arrive.
    public var reason: ReasonCode? {
        switch self {
        case .quarantined(let reason), .bounced(let reason), .expired(let reason),
            .refused(let reason):
            reason
        case .queued, .sent, .delivered, .deleted, .resent, .unknown: nil
        }
    }

    /// Makes the status of a stored ``name``, or of the relay's name: the relay's `accepted` is
    /// ``sent``.
    public init(name: some Collection<UInt8>, reason: ReasonCode? = nil) {
        let reason = reason ?? ReasonCode(utf8: [])
        if name.isEqual(to: "queued") {
            self = .queued
        } else if name.isEqual(to: "quarantined") {
            self = .quarantined(reason)
        } else if name.isEqual(to: "sent") || name.isEqual(to: StatusName.accepted) {
            self = .sent
        } else if name.isEqual(to: StatusName.delivered) {
            self = .delivered
        } else if name.isEqual(to: StatusName.bounced) {
            self = .bounced(reason)
        } else if name.isEqual(to: StatusName.expired) {
            self = .expired(reason)
        } else if name.isEqual(to: StatusName.refused) {
            self = .refused(reason)
        } else if name.isEqual(to: "deleted") {
            self = .deleted
        } else if name.isEqual(to: "resent") {
            self = .resent
        } else {
            self = .unknown(Array(name))
        }
    }

    /// The word that a person reads.
    public var text: AppText {
        switch self {
        case .queued: .statusQueued
        case .quarantined: .statusUnreadable
        case .sent: .statusSent
        case .delivered: .statusDelivered
        case .bounced: .statusBounced
        case .expired: .statusExpired
        case .refused: .statusRefused
        case .deleted: .statusDeleted
        case .resent: .statusResent
        case .unknown: .statusUnknown
        }
    }

    /// Whether the memo did not arrive, and only a person can change that.
    public var isFailure: Bool {
        switch self {
        case .quarantined, .bounced, .expired, .refused: true
        case .queued, .sent, .delivered, .deleted, .resent, .unknown: false
        }
    }

    /// The sentence that explains the word of a failure.
    public var explanation: ReasonWords? { ReasonWords(self) }
}
