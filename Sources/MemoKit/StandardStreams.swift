import LibC
import MemoCore

/// Standard output, for a command's result.
public enum StandardOutput {
    /// Writes the whole text: unchanged for a program, and for a terminal without the control
    /// characters that a terminal obeys. SIGPIPE ends the process when nobody reads any more.
    public static func write(_ text: String) { writeShown(text, to: STDOUT_FILENO) }
}

/// Standard error, for messages to the person beside the result.
public enum StandardError {
    public static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }

    /// Writes the whole text, as ``StandardOutput/write(_:)`` does.
    public static func write(_ text: String) { writeShown(text, to: STDERR_FILENO) }

    /// Writes a line that says what is wrong.
    public static func complain(_ message: String) { write("memo: \(message)\n") }
}

/// Ends the process.
public enum Ending {
    public static func exit(_ status: ExitStatus) -> Never { sysexit(status.rawValue) }

    /// Writes the error's sentence in the person's language, and ends the process.
    public static func fail(_ error: some ExplainedError) -> Never {
        StandardError.complain(error.sentence(in: .ofThisProcess))
        exit(error.exitStatus)
    }
}

private func sysexit(_ code: Int32) -> Never { exit(code) }

/// Writes text that may hold what a person, a storage or another program wrote.
private func writeShown(_ text: String, to descriptor: Int32) {
    var text = isatty(descriptor) != 0 ? withoutControls(text) : text
    text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
}

/// The text with U+FFFD in place of each control character but newline and tab.
private func withoutControls(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let isControl =
            scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
            || (0x7F..<0xA0).contains(scalar.value)
        shown.append(isControl ? "\u{FFFD}" : scalar)
    }
    return String(shown)
}

/// Writes all of `bytes`, and waits for a slow reader. Gives up in silence when the reader is gone.
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = write(
            descriptor,
            UnsafeRawBufferPointer(rebasing: rest).baseAddress,
            rest.count
        )
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&ready, 1, -1)
        } else if errno != EINTR {
            return
        }
    }
}
