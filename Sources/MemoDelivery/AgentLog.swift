import LibC
public import Logging
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A log in one file of mode 0600 that never grows far beyond a limit.
///
/// A log beyond the limit is emptied: it serves to find out why a memo waits. A line holds
/// identifiers, kinds, states and types of errors, never content.
public struct AgentLog: LogHandler {
    public static let maximumLength: Int64 = 1 << 20

    public var logLevel: Logger.Level = .info
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let file: LogFile

    /// - Parameter path: The log's file, which is made where it is missing. Failures to write are
    ///   ignored.
    public init(label: String, path: String, maximumLength: Int64 = Self.maximumLength) {
        self.label = label
        file = LogFile(path: path, maximumLength: maximumLength)
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }
        let pairs = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let time = Date.now.formatted(.iso8601)
        file.append("\(time) \(event.level) \(label): \(event.message)\(pairs)\n")
    }
}

private final class LogFile: Sendable {
    private let descriptor: Int32
    private let maximumLength: Int64
    private let turn = Mutex(())

    init(path: String, maximumLength: Int64) {
        self.maximumLength = maximumLength
        descriptor = open(
            path,
            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
            0o600 as mode_t
        )
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func append(_ line: String) {
        guard descriptor >= 0 else { return }
        turn.withLock { _ in
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_size > maximumLength {
                ftruncate(descriptor, 0)
            }
            var line = line
            line.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
        }
    }
}
