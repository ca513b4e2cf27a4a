import Essentials
import MemoCore

/// The subject of a mail: one line, without control characters, of bounded length.
struct MailSubject: Hashable, Sendable {
    /// The longest subject: in characters as a person counts them, and in bytes of UTF-8.
    static let maximumCharacters = 120
    static let maximumBytes = 480

    let text: String

    /// The requested subject, else the memo's first line that is not blank, else `Memo`.
    init(asked: String?, memo: String) {
        for candidate in [(asked ?? "").unicodeScalars[...], Self.firstLine(of: memo)] {
            let line = Self.cut(Self.cleaned(candidate))
            if !line.isEmpty {
                text = line
                return
            }
        }
        text = "Memo"
    }

    /// The header field with its name, folded, ended by CR LF.
    ///
    /// A short and unambiguous subject is written plainly. Any other subject becomes a row of
    /// encoded words of at most 75 characters in lines of at most 76, each with whole characters
    /// only ([RFC 2047](https://www.rfc-editor.org/rfc/rfc2047#section-2)).
    var header: String {
        let name = "Subject: "
        let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
        if isPlain, name.utf8.count + text.utf8.count <= 76 { return name + text + "\r\n" }
        var header = name
        var word: [UInt8] = []
        var room = Self.bytesOfWord(after: name.utf8.count)
        func endWord() {
            header += "=?utf-8?B?" + Data(word).base64EncodedString() + "?=\r\n"
        }
        for piece in Self.unbreakablePieces(of: text, longest: Self.bytesOfWord(after: 1)) {
            if word.count + piece.count > room, !word.isEmpty {
                endWord()
                header += " "
                word = []
                room = Self.bytesOfWord(after: 1)
            }
            word += piece
        }
        endWord()
        return header
    }

    /// The subject of a field that ``header`` has written, whose folds are spaces.
    ///
    /// - Returns: `nil` for encoded words of another form.
    static func text(ofField value: String) -> String? {
        let (begin, end) = ("=?utf-8?B?", "?=")
        guard value.hasPrefix(begin) else { return value }
        var bytes: [UInt8] = []
        for word in value.split(separator: " ") {
            guard word.hasPrefix(begin), word.hasSuffix(end) else { return nil }
            let letters = word.dropFirst(begin.count).dropLast(end.count)
            guard let decoded = Data(base64Encoded: String(letters)) else { return nil }
            bytes += decoded
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The number of bytes that fit in base64 into an encoded word at a column.
    private static func bytesOfWord(after column: Int) -> Int {
        (min(75, 76 - column) - 12) / 4 * 3
    }

    /// The grapheme clusters of a text; a cluster longer than a word is split into its scalars.
    private static func unbreakablePieces(of text: String, longest: Int) -> [[UInt8]] {
        text.flatMap { character -> [[UInt8]] in
            let bytes = Array(character.utf8)
            if bytes.count <= longest { return [bytes] }
            return character.unicodeScalars.map { Array(String($0).utf8) }
        }
    }

    private static func firstLine(of memo: String) -> Substring.UnicodeScalarView {
        let scalars = memo.unicodeScalars[...]
        let visible = scalars.firstIndex { !$0.properties.isWhitespace && !isControl($0) }
        guard let visible else { return scalars[scalars.endIndex...] }
        let before = scalars[..<visible].lastIndex(where: isLineBreak)
        let start = before.map { scalars.index(after: $0) } ?? scalars.startIndex
        return scalars[
            start..<(scalars[visible...].firstIndex(where: isLineBreak) ?? scalars.endIndex)
        ]
    }

    /// A line without control characters and without spaces at its ends. Of a long line, as much as
    /// a subject may have.
    private static func cleaned(_ line: Substring.UnicodeScalarView) -> String {
        let begun = line.drop { $0 == " " || isControl($0) }
        // A subject ends before a scalar that belongs to its last character: that one counts, too.
        var rest = begun.prefix(maximumBytes + 2)
        if rest.endIndex == begun.endIndex {
            let last = rest.lastIndex { $0 != " " && !isControl($0) }
            rest = rest[..<(last.map { rest.index(after: $0) } ?? rest.startIndex)]
        }
        var scalars = String.UnicodeScalarView()
        for scalar in rest { scalars.append(isControl(scalar) ? " " : scalar) }
        return String(scalars)
    }

    private static func cut(_ line: String) -> String {
        let bytes = SubjectRule.cut(
            Array(line.utf8),
            characters: maximumCharacters,
            bytes: maximumBytes,
            characterEnds: SubjectRule.characterEnds
        )
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        return scalar.properties.generalCategory == .control || isLineBreak(scalar)
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
