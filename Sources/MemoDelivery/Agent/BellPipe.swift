import Dispatch
import LibC
import MemoKit
import MemoProcesses

/// The agent's end of the bell: a named pipe, open for reading until ``close()``.
///
/// While the pipe is open, ``MemoProcesses/Bell/ring(_:for:)`` returns `true`.
final class BellPipe: Sendable {
    /// Safe to use from any thread, as all of Dispatch is.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    private let descriptor: Int32
    let path: String

    /// Opens the pipe, and makes it where it is missing.
    ///
    /// - Parameter rung: Called after each byte, or once for several, with their reasons.
    /// - Returns: `nil` when the pipe can neither be made nor opened, as on a file system without
    ///   named pipes.
    init?(path: String, rung: @escaping @Sendable (Set<Bell.Call>) -> Void) {
        guard mkfifo(path, 0o600) == 0 || errno == EEXIST else { return nil }
        // Open for writing as well, so that the pipe does not read as ended between two rings.
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            LibC.close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "bell")
        )
        source.setEventHandler {
            var rings = [UInt8](repeating: 0, count: 512)
            var calls: Set<Bell.Call> = []
            while true {
                let count = read(descriptor, &rings, rings.count)
                // A later version may have more reasons: an unknown one is a call like any other.
                calls.formUnion(
                    rings.prefix(max(0, count)).map { Bell.Call(rawValue: $0) ?? .outbox }
                )
                guard count == rings.count else { break }
            }
            rung(calls)
        }
        source.activate()
        self.descriptor = descriptor
        self.path = path
    }

    /// Closes the pipe. After the return `rung` is not called any more.
    func close() async {
        let descriptor = descriptor
        await withCheckedContinuation { closed in
            source.setCancelHandler {
                LibC.close(descriptor)
                closed.resume()
            }
            source.cancel()
        }
    }
}
