import ArgumentParser
import LibC

/// A secret on standard input, which no other program of the machine sees.
enum SecretLine {
    /// Longer lines are refused.
    private static let longest = 4_096

    /// Reads one line. At a terminal, asks for it.
    ///
    /// - Parameters:
    ///   - name: The secret, as a person at a terminal is asked for it.
    ///   - echoes: Whether a terminal shows what is typed.
    /// - Returns: The line without its end; empty at the end of the input.
    /// - Throws: An exit code, when the line cannot be read, is too long, or is not UTF-8.
    static func read(_ name: String, echoes: Bool) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else { return try line(name) }
        show("\(name): ")
        guard !echoes else { return try line(name) }
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return try line(name) }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            show("\n")
        }
        return try line(name)
    }

    /// Byte by byte, so that the next line is left for the next call.
    private static func line(_ name: String) throws -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = LibC.read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw complain("standard input cannot be read. Nothing was changed.")
            }
            guard count > 0, byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
            guard bytes.count <= longest else {
                throw complain("\(name): the line is too long. Nothing was changed.")
            }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw complain("\(name): the line is not UTF-8. Nothing was changed.")
        }
        return text
    }

    private static func show(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
