import LibC
package import Outbox
import OutboxCore
import Synchronization

/// A log in one file of mode 0600 that never grows far beyond a limit, and that several processes
/// may write at once.
///
/// A log beyond the limit is emptied: it serves to find out why a memo waits. A line holds
/// identifiers, kinds, states and types of errors, never content.
package final class LogFile: Sendable {
    /// The length beyond which a log is emptied, in bytes.
    package static let maximumLength: Int64 = 1 << 20

    private let path: String
    private let maximumLength: Int64
    /// The file, once a line was written; -1 for a file that cannot be opened.
    private let descriptor = Mutex<Int32?>(nil)

    /// - Parameter path: The log's file. The first line makes it where it is missing. Failures to
    ///   write are ignored.
    package init(path: String, maximumLength: Int64 = LogFile.maximumLength) {
        self.path = path
        self.maximumLength = maximumLength
    }

    deinit {
        descriptor.withLock { if let file = $0, file >= 0 { close(file) } }
    }

    /// Writes one line: the present time, a severity, a label, and the message with its fields.
    package func append(
        _ severity: String,
        label: String,
        _ message: String,
        _ fields: [(name: String, value: String)]
    ) {
        let time = Dates.utc(OutboxClock.system.wallTime())
        let pairs = fields.map { " \($0.name)=\($0.value)" }.joined()
        write("\(time) \(severity) \(label): \(message)\(pairs)\n")
    }

    /// Writes one line for one transition of an outbox.
    package func append(_ event: OutboxEvent) {
        append(event.severity.rawValue, label: "outbox", "operation", event.fields)
    }

    private func write(_ line: String) {
        descriptor.withLock { descriptor in
            let file = descriptor ?? opened()
            descriptor = file
            guard file >= 0 else { return }
            var status = stat()
            if fstat(file, &status) == 0, status.st_size > maximumLength { ftruncate(file, 0) }
            var line = line
            // One call of the system: lines of several processes do not mix.
            line.withUTF8 { _ = LibC.write(file, $0.baseAddress, $0.count) }
        }
    }

    private func opened() -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600 as mode_t)
    }
}
