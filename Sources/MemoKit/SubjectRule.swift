/// The subject of a memo: its first line that is not blank, made fit for a mail header.
///
/// One rule for all faces. It is pure: the same text gives the same subject everywhere.
public enum SubjectRule {
    /// The longest subject, in characters as a person counts them, the ellipsis included.
    public static let maximumLength = 78

    /// The most bytes of UTF-8 in a subject: a character may be a letter with a thousand marks.
    public static let maximumBytes = 312

    /// The subject of `text`.
    ///
    /// The first line with anything visible in it, trimmed. Controls, line and paragraph separators
    /// and runs of white space become one space each; invisible formatting characters stay, because
    /// joined emoji and right-to-left text need them, except the overrides that would turn the rest
    /// of a mail list around. What is longer than ``maximumLength`` is cut between characters, so
    /// that no emoji and no letter with its marks is split, and ends in an ellipsis.
    ///
    /// - Returns: An empty string for a text without a visible character.
    /// - Complexity: O(length of the blank lines before the first line, plus ``maximumBytes``).
    public static func subject(of text: String) -> String {
        var line = String.UnicodeScalarView()
        var isSpacePending = false
        var bytes = 0
        for scalar in text.unicodeScalars {
            if isLineEnd(scalar) {
                if line.isEmpty { continue }
                break
            }
            if isSpace(scalar) {
                isSpacePending = !line.isEmpty
                continue
            }
            if isDropped(scalar) { continue }
            // A joiner or a mark alone is no beginning.
            if line.isEmpty, isInvisible(scalar) { continue }
            if isSpacePending {
                line.append(" ")
                bytes += 1
                isSpacePending = false
            }
            line.append(scalar)
            bytes += UTF8.width(scalar)
            // One character more than fits tells that there is a cut to make.
            if bytes > maximumBytes + 64 { break }
        }
        return cut(String(line))
    }

    private static func cut(_ line: String) -> String {
        var kept = 0
        var bytes = 0
        var end = line.startIndex
        var endWithEllipsis = line.startIndex
        while end < line.endIndex {
            let next = line.index(after: end)
            let width = line.utf8.distance(from: end, to: next)
            kept += 1
            bytes += width
            guard kept <= maximumLength, bytes <= maximumBytes else {
                return trimmingEnd(line[..<endWithEllipsis]) + "…"
            }
            end = next
            if kept < maximumLength, bytes + 3 <= maximumBytes { endWithEllipsis = end }
        }
        return line
    }

    private static func trimmingEnd(_ line: Substring) -> String {
        var line = line
        while line.utf8.last == 0x20 { line = line.dropLast() }
        return String(line)
    }

    private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x20, 0x7F...0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    /// Directional overrides and embeddings, which reach beyond the subject, and a byte order mark.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x034F, 0x061C, 0x180E, 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F: true
        default: false
        }
    }
}
