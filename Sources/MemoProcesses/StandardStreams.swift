import LibC
import MemoKit
public import MemoTexts

/// Standard output, for a command's result.
public enum StandardOutput {
    /// Writes the whole text: unchanged for a program, and for a terminal without the control
    /// characters that a terminal obeys. SIGPIPE ends the process when nobody reads any more.
    ///
    /// A text that cannot be written ends the process, with ``ExitStatus/ioError`` and a sentence: a
    /// result that is cut off is no result.
    ///
    /// - Parameter failure: The sentence, with the system's words for the error in the place of `{1}`.
    public static func write(_ text: String, orSay failure: CommandText = .outputFailed) {
        guard let code = writeShown(text, to: STDOUT_FILENO) else { return }
        StandardError.complain(Language.ofThisProcess.string(failure, systemMessage(code)))
        Ending.exit(.ioError)
    }
}

/// Standard error, for messages to the person beside the result.
public enum StandardError {
    public static var isTerminal: Bool { isatty(STDERR_FILENO) != 0 }

    /// Writes the whole text, with the same care for terminals as ``StandardOutput``. A text that
    /// cannot be written is given up: there is no other place to say so.
    public static func write(_ text: String) { _ = writeShown(text, to: STDERR_FILENO) }

    /// Writes a line that says what is wrong.
    public static func complain(_ message: String) { write("memo: \(message)\n") }
}

/// Ends the process.
public enum Ending {
    public static func exit(_ status: ExitStatus) -> Never { sysexit(status.rawValue) }

    /// Writes the error's sentence in the person's language, and ends the process.
    public static func fail(_ error: some EndingError) -> Never {
        StandardError.complain(error.sentence(in: .ofThisProcess))
        exit(error.exitStatus)
    }
}

private func sysexit(_ code: Int32) -> Never { exit(code) }

/// Writes text that may hold what a person, a storage or another program wrote.
///
/// - Returns: The `errno` of a failure.
private func writeShown(_ text: String, to descriptor: Int32) -> Int32? {
    var text = isatty(descriptor) != 0 ? withoutControls(text) : text
    return text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
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

/// Writes all of `bytes`, and waits for a slow reader.
///
/// - Returns: The `errno` of a failure; some of the bytes may be written.
@discardableResult
package func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
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
            return errno
        }
    }
    return nil
}
