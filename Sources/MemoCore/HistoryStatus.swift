public import OutboxCore

/// What became of a memo, as far as the device knows.
public enum HistoryStatus: Hashable, Sendable {
    /// In the outbox: stored, not yet taken by the relay.
    case queued
    /// The relay holds it durably.
    case sent
    /// The mail server took it.
    case delivered
    /// The mail server refused it for good.
    case bounced(ReasonCode)
    /// It could not be delivered in the days that the relay tries.
    case expired(ReasonCode)
    /// Refused by the relay for good. A memo that it did not take waits in the outbox for a person;
    /// one that it took and then could no longer read, whose reason begins with `quarantine.`, is
    /// lost there and left only in the history.
    case refused(ReasonCode)
    /// A person deleted it from the outbox before it was sent.
    case deleted
    /// A status that a newer build wrote, by its name.
    case unknown([UInt8])

    /// A stable name, for storage and for scripts: `queued`, `sent`, `delivered`, `bounced`,
    /// `expired`, `refused` or `deleted`.
    public var name: [UInt8] {
        switch self {
        case .queued: StaticString("queued").bytes
        case .sent: StaticString("sent").bytes
        case .delivered: StaticString("delivered").bytes
        case .bounced: StaticString("bounced").bytes
        case .expired: StaticString("expired").bytes
        case .refused: StaticString("refused").bytes
        case .deleted: StaticString("deleted").bytes
        case .unknown(let name): name
        }
    }

    /// Why the memo did not arrive.
    public var reason: ReasonCode? {
        switch self {
        case .bounced(let reason), .expired(let reason), .refused(let reason): reason
        case .queued, .sent, .delivered, .deleted, .unknown: nil
        }
    }

    /// The status with this stored ``name``, and the relay's words for it: its `accepted` is
    /// ``sent``.
    public init(name: some Collection<UInt8>, reason: ReasonCode? = nil) {
        let reason = reason ?? ReasonCode(utf8: [])
        if name.isEqual(to: "queued") {
            self = .queued
        } else if name.isEqual(to: "sent") || name.isEqual(to: "accepted") {
            self = .sent
        } else if name.isEqual(to: "delivered") {
            self = .delivered
        } else if name.isEqual(to: "bounced") {
            self = .bounced(reason)
        } else if name.isEqual(to: "expired") {
            self = .expired(reason)
        } else if name.isEqual(to: "refused") {
            self = .refused(reason)
        } else if name.isEqual(to: "deleted") {
            self = .deleted
        } else {
            self = .unknown(Array(name))
        }
    }

    /// The word that a person reads.
    public var text: AppText {
        switch self {
        case .queued: .statusQueued
        case .sent: .statusSent
        case .delivered: .statusDelivered
        case .bounced: .statusBounced
        case .expired: .statusExpired
        case .refused: .statusRefused
        case .deleted: .statusDeleted
        case .unknown: .statusUnknown
        }
    }

    /// The sentence that explains the word, where it needs one. `{1}` in it is the ``reason``.
    public var explanation: AppText? {
        switch self {
        case .bounced: .reasonBounced
        case .expired: .reasonExpired
        case .refused(let reason) where reason.utf8.isPrefixed(by: "quarantine."): .reasonLost
        case .refused: .reasonRefused
        case .queued, .sent, .delivered, .deleted, .unknown: nil
        }
    }
}
