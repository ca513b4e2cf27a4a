public import OutboxCore

/// A memo that was sent from this device, and what became of it.
public struct HistoryEntry: Sendable {
    public let id: OperationID
    /// When the memo was sent, as the device's clock had it.
    public let createdAt: WallTime
    public let status: HistoryStatus
    /// The memo, `nil` when the entry does not open under the present key. It is kept as it is.
    public let text: String?
}

/// What became of a memo, as far as this device knows.
public enum HistoryStatus: Hashable, Sendable {
    /// In the outbox: stored, not yet taken by the relay.
    case queued
    /// The relay holds it durably.
    case sent
    /// Refused for good, for this reason; it waits in the outbox for a person.
    case refused(ReasonCode)
    /// A person deleted it from the outbox before it was sent.
    case deleted
    /// A status that a newer build wrote.
    case unknown(String)

    /// A stable name for scripts: `queued`, `sent`, `refused` or `deleted`.
    public var name: String {
        switch self {
        case .queued: "queued"
        case .sent: "sent"
        case .refused: "refused"
        case .deleted: "deleted"
        case .unknown(let name): name
        }
    }

    /// Why the memo was refused.
    public var reason: ReasonCode? {
        guard case .refused(let reason) = self else { return nil }
        return reason
    }

    init(name: String, reason: String?) {
        self =
            switch name {
            case "queued": .queued
            case "sent": .sent
            case "refused": .refused(ReasonCode(utf8: Array((reason ?? "").utf8)))
            case "deleted": .deleted
            default: .unknown(name)
            }
    }
}
