import Logging
import Synchronization

/// Everything that was logged at the level `info`, the default of `memo-relay serve`, or above.
final class RecordedLog: Sendable {
    struct Line: Sendable {
        let label: String
        let message: String
        let metadata: Logger.Metadata

        subscript(_ field: String) -> String? { metadata[field].map { "\($0)" } }
    }

    private let storage = Mutex<[Line]>([])

    var lines: [Line] { storage.withLock { $0 } }

    func logger(_ label: String) -> Logger {
        Logger(label: label) { Handler(log: self, label: $0) }
    }

    private struct Handler: LogHandler {
        let log: RecordedLog
        let label: String
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(label: label, message: "\(event.message)", metadata: fields)
            log.storage.withLock { $0.append(line) }
        }
    }
}
