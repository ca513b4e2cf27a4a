import OutboxCore

/// The text of an event in a log, the same for every log.
extension OutboxEvent {
    /// The importance of an event for the reader of a log.
    public enum Severity: String, Hashable, Sendable {
        /// The course of things.
        case info
        /// Something that a person asked for, or a wait.
        case notice
        /// A person has to decide.
        case warning
        /// Something is damaged, or could not be stored.
        case error
    }

    /// The importance of the event.
    public var severity: Severity {
        switch change {
        case .enqueued, .attempting, .delivered: .info
        case .waiting, .waitEnded, .waitCut, .requeued, .deleted: .notice
        case .parked: .warning
        case .quarantined, .outcomeNotStored, .leftAlone, .queueNotRead, .damaged: .error
        }
    }

    /// The event's parts by their names, ordered by name: identifier, kind, state, type of error;
    /// never content.
    public var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        switch change {
        case .attempting(let number): fields.append(("attempt", "\(number)"))
        case .waiting(let cause, let wait), .waitCut(let cause, let wait):
            fields.append(("for", "\(cause)"))
            fields.append(("milliseconds", "\(wait.count)"))
        case .waitEnded(let cause): fields.append(("for", "\(cause)"))
        case .quarantined(let reason): fields.append(("error", reason.rawValue))
        case .enqueued, .delivered, .parked, .requeued, .deleted, .outcomeNotStored, .leftAlone,
            .queueNotRead, .damaged:
            break
        }
        if let id { fields.append(("id", "\(id)")) }
        if let kind { fields.append(("kind", "\(kind)")) }
        if let reason { fields.append(("error", "\(reason)")) }
        fields.append(("state", state))
        return fields.sorted { $0.name < $1.name }
    }

    private var state: String {
        switch change {
        case .enqueued: "queued"
        case .attempting: "attempting"
        case .delivered: "delivered"
        case .waiting: "waiting"
        case .waitEnded: "wait-ended"
        case .waitCut: "wait-cut"
        case .parked: "parked"
        case .requeued: "requeued"
        case .deleted: "deleted"
        case .quarantined: "quarantined"
        case .outcomeNotStored: "outcome-not-stored"
        case .leftAlone: "left-alone"
        case .queueNotRead: "queue-not-read"
        case .damaged: "damaged"
        }
    }
}
