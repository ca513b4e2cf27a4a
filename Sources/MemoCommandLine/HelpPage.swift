import MemoKit
public import MemoTexts

/// A parser's page of help in a person's language.
///
/// The commands are defined in English. The page is translated line by line: a line that ``HelpText``
/// has in English becomes the line of the language. An explanation that ``HelpText`` has not is left
/// out, and the page names the manual, which has it.
public struct HelpPage {
    /// The width of a screen at which the parser breaks no line.
    public static let unbroken = 1_000_000
    /// The column at which the parser, and this page, begins the explanation of an option.
    private static let column = 26

    private let lines: [Substring]
    private let program: String

    /// - Parameters:
    ///   - english: The parser's page, whose lines are not broken.
    ///   - program: The program's name, which is that of its manual page.
    public init(english: String, program: String) {
        var lines = english.split(separator: "\n", omittingEmptySubsequences: false)
        while lines.last == "" { lines.removeLast() }
        self.lines = lines
        self.program = program
    }

    /// The page, with a newline at its end.
    ///
    /// - Parameter columns: The width of the screen; at least 40 are used.
    public func text(in language: Language, columns: Int) -> String {
        var page = WrappedLines(columns: max(columns, 40))
        let usage = lines.firstIndex { $0.hasPrefix("USAGE: ") } ?? lines.endIndex
        let isWhole = addOverview(lines[..<usage], in: language, to: &page)
        let rest = lines[usage...]
        let end = rest.firstIndex(of: "") ?? lines.endIndex
        page.add(language.string(.helpUsage))
        for line in rest[..<end] {
            addUsage(line.dropFirst("USAGE: ".count), in: language, to: &page)
        }
        addEntries(rest[end...], in: language, to: &page)
        if !isWhole {
            page.addEmptyLine()
            page.add(language.string(.helpManual, "man \(program)"))
        }
        return page.text
    }

    /// - Returns: Whether nothing is left out.
    private func addOverview(
        _ lines: ArraySlice<Substring>,
        in language: Language,
        to page: inout WrappedLines
    ) -> Bool {
        var isWhole = true
        for line in lines where !line.isEmpty {
            let words = line.hasPrefix("OVERVIEW: ") ? line.dropFirst("OVERVIEW: ".count) : line
            if let translation = language.translation(ofHelp: words) {
                page.add(translation)
                page.addEmptyLine()
            } else {
                isWhole = false
            }
        }
        return isWhole
    }

    /// Adds words of a command line, and what they do where it is said, behind two spaces.
    private func addUsage(
        _ line: Substring,
        in language: Language,
        to page: inout WrappedLines
    ) {
        var words = line
        while let gap = words.indices.first(where: { words[$0...].hasPrefix("  ") }) {
            words = words[..<gap]
        }
        let meaning = line.dropFirst(words.count).drop { $0 == " " }
        page.add(translated(meaning, in: language), behind: "  " + words, at: Self.column)
    }

    private func addEntries(
        _ lines: ArraySlice<Substring>,
        in language: Language,
        to page: inout WrappedLines
    ) {
        let margin = String(repeating: " ", count: Self.column)
        var lines = lines
        while let line = lines.popFirst() {
            switch line {
            case "": page.addEmptyLine()
            case "ARGUMENTS:": page.add(language.string(.helpArguments))
            case "OPTIONS:": page.add(language.string(.helpOptions))
            case "SUBCOMMANDS:": page.add(language.string(.helpSubcommands))
            case _ where line.hasPrefix("  See '"):
                let command = line.dropFirst("  See '".count).prefix { $0 != "'" }
                page.add(language.string(.helpSee, String(command)))
            case _ where lines.first?.hasPrefix(margin) == true:
                let words = lines.removeFirst().dropFirst(Self.column)
                page.add(explained(words, in: language), behind: String(line), at: Self.column)
            default:
                var label = line.prefix(Self.column)
                while label.last == " " { label.removeLast() }
                let mark = " (default)"
                if label.hasSuffix(mark) {
                    label = label.dropLast(mark.count) + " " + language.string(.helpStandard)
                }
                let words = line.dropFirst(Self.column)
                page.add(explained(words, in: language), behind: String(label), at: Self.column)
            }
        }
    }

    /// The explanation of an entry, at whose end the parser says the default.
    private func explained(_ words: Substring, in language: Language) -> String {
        let lead = " (default: "
        guard words.hasSuffix(")"),
            let start = words.indices.first(where: { words[$0...].hasPrefix(lead) })
        else { return translated(words, in: language) }
        let value = words[start...].dropFirst(lead.count).dropLast()
        return translated(words[..<start], in: language) + " "
            + language.string(.helpDefault, String(value))
    }

    private func translated(_ words: Substring, in language: Language) -> String {
        language.translation(ofHelp: words) ?? String(words)
    }
}

extension Language {
    /// The words of this language for words that a command is defined with; `nil` for words that no
    /// ``HelpText`` has.
    fileprivate func translation(ofHelp words: Substring) -> String? {
        // The definitions have the apostrophe of a keyboard.
        let words = words.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "’")
        let text = HelpText.allCases.first { Language.english.text($0).description == words }
        return text.map { self.text($0).description }
    }
}

/// Lines that are broken at the width of a screen.
private struct WrappedLines {
    let columns: Int
    private(set) var text = ""

    init(columns: Int) {
        self.columns = columns
    }

    mutating func addEmptyLine() { text += "\n" }

    /// Adds a paragraph, whose lines begin at a column, the first one behind a label.
    ///
    /// A label that reaches the column has a line of its own.
    mutating func add(_ words: String, behind label: String = "", at column: Int = 0) {
        var line = label
        var width = Self.columns(of: label)
        guard !words.isEmpty else {
            text += line + "\n"
            return
        }
        if width >= column, !label.isEmpty {
            text += line + "\n"
            (line, width) = ("", 0)
        }
        line += String(repeating: " ", count: column - width)
        width = column
        for piece in Self.pieces(of: words) {
            let needed = Self.columns(of: piece)
            if width + needed > columns, width > column {
                while line.last == " " { line.removeLast() }
                text += line + "\n"
                line = String(repeating: " ", count: column)
                width = column
                if piece == " " { continue }
            }
            line += piece
            width += needed
        }
        text += line + "\n"
    }

    /// The parts between which a line may be broken: words, spaces, and each ideograph with the
    /// punctuation behind it.
    private static func pieces(of words: String) -> [String] {
        var pieces: [String] = []
        for character in words {
            let isOpen = pieces.last.map { last in
                last != " " && character != " "
                    && (!isWide(character) && !isWide(last.last ?? " ")
                        || isClosing(character) || isOpening(last.last ?? " "))
            }
            if isOpen == true {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
        }
        return pieces
    }

    private static func isClosing(_ character: Character) -> Bool {
        "、。，．：；）」』？！ー,.:;)".contains(character)
    }

    private static func isOpening(_ character: Character) -> Bool { "（「『(".contains(character) }

    /// The columns of a terminal that a text of ours takes: it has no emoji and no controls.
    private static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + (isWide($1) ? 2 : 1) }
    }

    /// Whether a character is East Asian wide or fullwidth (UAX #11), of those that our texts have.
    private static func isWide(_ character: Character) -> Bool {
        switch character.unicodeScalars.first?.value ?? 0 {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6:
            true
        default: false
        }
    }
}
