public import Logging
public import Outbox
import OutboxCore

extension Logger {
    /// One line for one transition of an outbox: identifier, kind, state, type of error; never
    /// content. Give the logger the label `outbox`.
    ///
    /// ```swift
    /// let logger = Logger(label: "outbox")
    /// let outbox = Outbox(storage: storage, keys: keys, log: { logger.log($0) })
    /// ```
    public func log(_ event: OutboxEvent) {
        var fields: Metadata = [:]
        if let id = event.id { fields["id"] = "\(id)" }
        if let kind = event.kind { fields["kind"] = "\(kind)" }
        if let reason = event.reason { fields["error"] = "\(reason)" }
        let level: Level
        switch event.change {
        case .enqueued:
            level = .info
            fields["state"] = "queued"
        case .attempting(let number):
            level = .info
            fields["state"] = "attempting"
            fields["attempt"] = "\(number)"
        case .delivered:
            level = .info
            fields["state"] = "delivered"
        case .waiting(let cause, let wait):
            level = .notice
            fields["state"] = "waiting"
            fields["for"] = "\(cause)"
            fields["milliseconds"] = "\(wait.count)"
        case .parked:
            level = .warning
            fields["state"] = "parked"
        case .requeued:
            level = .notice
            fields["state"] = "requeued"
        case .deleted:
            level = .notice
            fields["state"] = "deleted"
        case .quarantined(let reason):
            level = .error
            fields["state"] = "quarantined"
            fields["error"] = "\(reason.rawValue)"
        case .outcomeNotStored:
            level = .error
            fields["state"] = "outcome-not-stored"
        case .leftAlone:
            level = .error
            fields["state"] = "left-alone"
        case .queueNotRead:
            level = .error
            fields["state"] = "queue-not-read"
        case .damaged:
            level = .error
            fields["state"] = "damaged"
        }
        log(level: level, "operation", metadata: fields)
    }
}
