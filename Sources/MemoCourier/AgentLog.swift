public import Logging
import MemoKit

/// A swift-log handler for the log of a data folder, ``/MemoKit/DataFolder/log``.
public struct AgentLog: LogHandler {
    public var logLevel: Logger.Level = .info
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let file: LogFile

    /// Makes a handler that appends to a file.
    ///
    /// - Parameters:
    ///   - label: The name that each line carries.
    ///   - path: The log's file, which is made where it is missing. Failures to write are ignored.
    public init(label: String, path: String) {
        self.label = label
        file = LogFile(path: path)
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        file.append(
            "\(event.level)",
            label: label,
            "\(event.message)",
            fields.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        )
    }
}
