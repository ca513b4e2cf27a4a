/// The bytes are no reply of SMTP, or one beyond the limits.
enum SMTPReplyError: Error, Hashable, Sendable {
    /// A line does not begin with a code and a space, a hyphen or its end.
    case malformed
    /// A line is longer than ``SMTPReplyReader/longestLine``.
    case longLine
    /// A reply has more lines than ``SMTPReplyReader/mostLines``.
    case manyLines
}

/// Reads replies out of a server's bytes, one byte after the other.
///
/// At most one line is held, whatever the server sends
/// ([RFC 5321, section 4.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.2)).
struct SMTPReplyReader: Hashable, Sendable {
    /// The longest line, in bytes: eight times that of the standard.
    static let longestLine = 4096
    /// The greatest number of lines of one reply: some five times that of the longest answers to `EHLO`.
    static let mostLines = 128

    private var line: [UInt8] = []
    /// The number of whole lines of the reply that has begun.
    private var lines = 0
    private var extensions = SMTPExtensions()

    /// Reads a byte.
    ///
    /// - Returns: The reply that ends with this byte; `nil` for a byte within a reply.
    /// - Throws: ``SMTPReplyError``. The connection is then of no more use.
    /// - Complexity: O(1); O(length of the line) at its end.
    mutating func read(_ byte: UInt8) throws(SMTPReplyError) -> SMTPReply? {
        guard byte == UInt8(ascii: "\n") else {
            guard line.count < Self.longestLine else { throw .longLine }
            line.append(byte)
            return nil
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line.removeAll(keepingCapacity: true) }
        guard let code = Self.code(of: line) else { throw .malformed }
        if lines > 0 { extensions.note(line.dropFirst(4)) }
        lines += 1
        guard line.count > 3, line[3] == UInt8(ascii: "-") else {
            defer { (lines, extensions) = (0, SMTPExtensions()) }
            return SMTPReply(
                code: code,
                enhancedCode: EnhancedCode(ofLine: line),
                extensions: extensions
            )
        }
        guard lines < Self.mostLines else { throw .manyLines }
        return nil
    }

    private static func code(of line: [UInt8]) -> Int? {
        guard line.count >= 3,
            line.count == 3 || line[3] == UInt8(ascii: " ") || line[3] == UInt8(ascii: "-")
        else { return nil }
        var code = 0
        for byte in line[..<3] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            code = code * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return (200...599).contains(code) ? code : nil
    }
}
