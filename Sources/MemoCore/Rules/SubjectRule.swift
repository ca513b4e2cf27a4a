public import OutboxCore
import WireCore

/// The subject of a memo's mail: the person's template, filled in and made fit for a mail header.
///
/// One rule for all faces: the same memo, template, day and identifier give the same subject
/// everywhere. It works on UTF-8. Where a line is too long it has to know where characters as a
/// person counts them end, which needs tables that a browser has and a small program should not
/// carry; the face supplies them.
public struct SubjectRule: Sendable {
    /// The longest subject, in characters as a person counts them, the ellipsis included.
    public static let maximumLength = 78

    /// The most bytes of UTF-8 in a subject: a character may be a letter with a thousand marks.
    public static let maximumBytes = 312

    /// How much of the memo's identifier a subject shows.
    static let idLength = 6

    /// The three bytes of an ellipsis.
    private static let ellipsis: [UInt8] = [0xE2, 0x80, 0xA6]

    /// The template of the subjects.
    public let template: SubjectTemplate

    /// Makes the rule of one template.
    public init(template: SubjectTemplate = .standard) {
        self.template = template
    }

    /// The subject of a memo.
    ///
    /// The line is the first one with anything visible in it, trimmed. Controls, line and paragraph
    /// separators and runs of white space become one space each; invisible formatting characters
    /// stay, because joined emoji and right-to-left text need them, except the overrides that would
    /// turn the rest of a mail list around. A line that would make the subject longer than
    /// ``maximumLength`` or ``maximumBytes`` is cut between characters, so that no emoji and no
    /// letter with its marks is split, and ends in an ellipsis; what the template adds stays whole.
    ///
    /// - Parameters:
    ///   - text: The memo, as UTF-8.
    ///   - day: The day that `{date}` names.
    ///   - id: The memo's identifier, for `{id}`.
    ///   - characterEnds: Given a line in UTF-8, answers the offsets at which its characters (extended
    ///     grapheme clusters) end, ascending, the last one being the line's length. Called only for a
    ///     line that may be too long and is not ASCII, at most once, with fewer than 400 bytes.
    /// - Returns: UTF-8 in one line; empty for a text without a visible character and the standard
    ///   template.
    /// - Complexity: O(length of the blank lines before the first line, plus ``maximumBytes``).
    public func subject(
        of text: some Sequence<UInt8>,
        day: CalendarDay,
        id: OperationID,
        characterEnds: ([UInt8]) -> [Int]
    ) -> [UInt8] {
        var subject: [UInt8] = []
        for part in template.parts {
            switch part {
            case .literal(let literal): Self.append(literal, to: &subject)
            case .line:
                let line = Self.cut(
                    Self.line(of: text),
                    characters: Self.maximumLength - template.fixed.scalars,
                    bytes: Self.maximumBytes - template.fixed.bytes,
                    characterEnds: characterEnds
                )
                Self.append(line, to: &subject)
            case .date: Self.append(day.text, to: &subject)
            case .id: Self.append(id.text.suffix(Self.idLength), to: &subject)
            }
        }
        while subject.last == 0x20 { subject.removeLast() }
        return subject
    }

    /// White space of the template meets that of its neighbours.
    private static func append(_ part: some Sequence<UInt8>, to subject: inout [UInt8]) {
        for byte in part {
            if byte == 0x20, subject.isEmpty || subject.last == 0x20 { continue }
            subject.append(byte)
        }
    }

    /// Whether a memo has a line for a subject: one with anything visible in it.
    static func hasLine(_ text: [UInt8]) -> Bool {
        !line(of: text).isEmpty
    }

    /// The first visible line, and no more of it than tells that there is a cut to make.
    private static func line(of text: some Sequence<UInt8>) -> [UInt8] {
        var line: [UInt8] = []
        var isSpacePending = false
        for scalar in UTF8Scalars(text) {
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
                line.append(0x20)
                isSpacePending = false
            }
            line.appendUTF8(scalar)
            if line.count > maximumBytes + 64 { break }
        }
        return line
    }

    /// Text of a template, without what would not be fit for a header.
    static func cleaned(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in UTF8Scalars(text) where !isDropped(scalar) {
            if !isLineEnd(scalar), !isSpace(scalar) {
                result.appendUTF8(scalar)
            } else if result.last != 0x20 {
                result.append(0x20)
            }
        }
        return result
    }

    static func scalarCount(of text: [UInt8]) -> Int {
        text.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }

    /// Cuts a line that is too long for a subject between two characters, drops the white space
    /// before the cut, and ends the line in an ellipsis. Device and relay cut by this rule, each to
    /// its own length.
    ///
    /// - Parameters:
    ///   - line: UTF-8.
    ///   - length: The most characters of the result, the ellipsis included.
    ///   - bytes: The most bytes of the result, the ellipsis included.
    ///   - characterEnds: As for ``subject(of:day:id:characterEnds:)``; gets no more of the line than
    ///     64 bytes beyond `bytes`.
    /// - Returns: The line, if it is not too long; an ellipsis alone where no character fits.
    public static func cut(
        _ line: [UInt8],
        characters length: Int,
        bytes: Int,
        characterEnds: ([UInt8]) -> [Int]
    ) -> [UInt8] {
        var line = line
        if line.count > bytes + 64 {
            var end = bytes + 64
            while line[end] & 0xC0 == 0x80 { end -= 1 }
            line.removeSubrange(end...)
        }
        // There are never more characters than code points.
        if line.count <= bytes, scalarCount(of: line) <= length { return line }
        let isASCII = line.allSatisfy { $0 < 0x80 }
        let ends = isASCII ? Array(1...line.count) : characterEnds(line)
        precondition(ends.last == line.count, "characters end where the line ends")
        if line.count <= bytes, ends.count <= length { return line }
        var end = 0
        for next in ends.prefix(length - 1) where next + ellipsis.count <= bytes { end = next }
        while end > 0, line[end - 1] == 0x20 { end -= 1 }
        return line[..<end] + ellipsis
    }

    private static func isLineEnd(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func isSpace(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x00...0x20, 0x7F...0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    /// Directional overrides and embeddings, which reach beyond the subject, and a byte order mark.
    private static func isDropped(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    private static func isInvisible(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAD, 0x034F, 0x061C, 0x180E, 0x200B...0x200F, 0x2060...0x2064, 0xFE00...0xFE0F: true
        default: false
        }
    }
}

#if !hasFeature(Embedded)
    extension SubjectRule {
        /// The subject of a memo. Swift's `Character` decides where a line may be cut.
        public func subject(of text: String, day: CalendarDay, id: OperationID) -> String {
            let bytes = subject(
                of: text.utf8,
                day: day,
                id: id,
                characterEnds: Self.characterEnds
            )
            return String(decoding: bytes, as: UTF8.self)
        }

        /// The offsets at which the characters of a line end, as Swift's `Character` tells.
        ///
        /// - Parameter line: UTF-8.
        public static func characterEnds(of line: [UInt8]) -> [Int] {
            let string = String(decoding: line, as: UTF8.self)
            return string.indices.map { index in
                string.utf8.distance(from: string.startIndex, to: string.index(after: index))
            }
        }
    }
#endif
