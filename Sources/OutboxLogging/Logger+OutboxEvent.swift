public import Logging
public import Outbox

extension Logger {
    /// One line for one transition of an outbox: identifier, kind, state, type of error; never
    /// content. Give the logger the label `outbox`.
    ///
    /// ```swift
    /// let logger = Logger(label: "outbox")
    /// let outbox = Outbox(storage: storage, keys: keys, log: { logger.log($0) })
    /// ```
    public func log(_ event: OutboxEvent) {
        var metadata: Metadata = [:]
        for field in event.fields { metadata[field.name] = "\(field.value)" }
        log(level: Level(event.severity), "operation", metadata: metadata)
    }
}

extension Logger.Level {
    fileprivate init(_ severity: OutboxEvent.Severity) {
        self =
            switch severity {
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }
}
