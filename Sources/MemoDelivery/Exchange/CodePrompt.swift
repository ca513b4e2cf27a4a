import LibC
public import MemoCourier
import MemoKit
import MemoProcesses
public import MemoTexts

/// Asks for the mailed code. Reads a line of standard input, or of the terminal when standard input
/// has ended.
public enum CodePrompt {
    /// Asks once.
    ///
    /// - Parameters:
    ///   - complaint: The complaint about the former code; `nil` at the first question.
    ///   - language: The language of the question.
    /// - Returns: The line; `nil` when standard input has ended and there is no terminal.
    public static func ask(after complaint: SignIn.Complaint?, in language: Language) -> String? {
        if let complaint { StandardError.write(complaint.sentence(in: language) + "\n") }
        StandardError.write(language.string(.codePrompt) + " ")
        if let line = line(from: STDIN_FILENO) { return line }
        // The person who would answer is the one who sees the question.
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        return line(from: terminal)
    }

    /// Byte by byte, so that nothing behind the line is taken. Bounded.
    private static func line(from descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        while bytes.count < 256 {
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return bytes.isEmpty ? nil : decoded(bytes) }
            if byte == 0x0A { return decoded(bytes) }
            bytes.append(byte)
        }
        return decoded(bytes)
    }

    private static func decoded(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
