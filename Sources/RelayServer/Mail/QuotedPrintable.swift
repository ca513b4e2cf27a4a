/// Quoted-printable in which no line break carries meaning
/// ([RFC 2045, section 6.7](https://www.rfc-editor.org/rfc/rfc2045#section-6.7)).
///
/// Every byte that a mail server could change is written as `=XX`, the text's line breaks included,
/// and every line ends with a soft break. So the text decodes to the same bytes even if servers
/// rewrite line ends, strip a last newline, or quote `From ` and `.` lines.
enum QuotedPrintable {
    private static let lineLength = 76
    private static let equals = UInt8(ascii: "=")
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// - Returns: Lines of at most 76 characters, each ended by `=` CR LF; nothing for no bytes;
    ///   `nil` if they are longer than `limit`.
    /// - Complexity: O(size); at most six bytes for each, and little more than `limit`.
    static func encode(_ bytes: some Collection<UInt8>, atMost limit: Int) -> [UInt8]? {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(min(limit, bytes.count + bytes.count / 8) + 16)
        var column = 0
        func softBreak() {
            encoded.append(contentsOf: [equals, 0x0D, 0x0A])
            column = 0
        }
        var index = bytes.startIndex
        while index != bytes.endIndex {
            guard encoded.count <= limit else { return nil }
            let byte = bytes[index]
            let isPlain = isPlain(byte) && !(column == 0 && isRiskyAtLineStart(bytes[index...]))
            let width = isPlain ? 1 : 3
            if column + width > lineLength - 1 {
                softBreak()
                continue
            }
            if isPlain {
                encoded.append(byte)
            } else {
                encoded.append(equals)
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 0x0F)])
            }
            column += width
            if byte == 0x0A { softBreak() }
            index = bytes.index(after: index)
        }
        if column > 0 { softBreak() }
        return encoded.count <= limit ? encoded : nil
    }

    /// Reads what ``encode(_:atMost:)`` writes.
    ///
    /// - Returns: `nil` for other lines.
    /// - Complexity: O(size).
    static func decode(_ encoded: some Collection<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(encoded.count)
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            guard byte == equals else {
                guard isPlain(byte) else { return nil }
                decoded.append(byte)
                continue
            }
            guard let first = rest.popFirst(), let second = rest.popFirst() else { return nil }
            if (first, second) == (0x0D, 0x0A) { continue }
            guard let high = digits.firstIndex(of: first), let low = digits.firstIndex(of: second)
            else { return nil }
            decoded.append(UInt8(high << 4 | low))
        }
        return decoded
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != equals
    }

    /// A lone dot ends a mail in SMTP, and `From ` starts a new one in an mbox.
    private static func isRiskyAtLineStart(_ rest: some Collection<UInt8>) -> Bool {
        rest.first == UInt8(ascii: ".") || rest.starts(with: "From ".utf8)
    }
}
