import MemoTexts
import Testing
import WireCore

/// What the compiler cannot see about the texts: it only sees that none is missing.
@Suite("The texts")
struct TextTests {
    struct Text: Sendable, CustomTestStringConvertible {
        var name: String
        var words: String
        var english: String
        var testDescription: String { name }
    }

    static func all(in language: Language) -> [Text] {
        func text(_ name: String, _ words: StaticString, _ english: StaticString) -> Text {
            Text(name: name, words: words.description, english: english.description)
        }
        return AppText.allCases.map { text("\($0)", language.text($0), Language.english.text($0)) }
            + CommandText.allCases.map {
                text("\($0)", language.text($0), Language.english.text($0))
            }
            + HelpText.allCases.map {
                text("\($0)", language.text($0), Language.english.text($0))
            }
            + MailText.allCases.map {
                text("\($0)", language.text($0), Language.english.text($0))
            }
    }

    /// What is in braces, in the order of the alphabet.
    static func placeholders(of words: String) -> [String] {
        words.matches(of: /\{[0-9a-z]+\}/).map { String($0.output) }.sorted()
    }

    @Test("none is empty, begins or ends with a space, or holds two", arguments: Language.allCases)
    func spaces(language: Language) {
        for text in Self.all(in: language) {
            #expect(!text.words.isEmpty, "\(text.name)")
            #expect(text.words.first?.isWhitespace == false, "\(text.name)")
            #expect(text.words.last?.isWhitespace == false, "\(text.name)")
            #expect(!text.words.contains("  ") && !text.words.contains("\n"), "\(text.name)")
        }
    }

    private static let nothingStored: [Language: String] = [
        .japanese: "何も保存していません", .english: "Nothing was stored",
        .spanish: "No se ha guardado nada", .french: "Rien n’a été enregistré",
        .german: "Nichts wurde gespeichert", .italian: "Nulla è stato salvato",
        .portuguese: "Nada foi salvo", .korean: "아무것도 저장하지 않았",
        .simplifiedChinese: "没有保存任何内容", .arabic: "لم يُحفظ شيء",
    ]

    @Test("whatever keeps a memo from being stored says so", arguments: Language.allCases)
    func nothingStored(language: Language) throws {
        let words = try #require(Self.nothingStored[language])
        for text: CommandText in [
            .readOnly, .diskFull, .folderUnusable, .busy, .databaseDamaged, .wrongKey,
            .storageFailed,
        ] {
            #expect(language.text(text).description.contains(words), "\(text)")
        }
    }

    @Test("they shout nowhere, and their punctuation is typographic", arguments: Language.allCases)
    func punctuation(language: Language) {
        for text in Self.all(in: language) {
            #expect(!text.words.contains { "!！¡\"`".contains($0) }, "\(text.name)")
            #expect(!text.words.contains("..."), "\(text.name)")
            // The one command line that needs quotes.
            let isCommandLine = text.words.contains("chmod 600 '{1}'")
            #expect(isCommandLine || !text.words.contains("'"), "\(text.name)")
            let isRightToLeft = text.words.contains("؛") || text.words.contains("،")
            #expect(!isRightToLeft || language == .arabic, "\(text.name)")
        }
    }

    @Test("a sentence ends as one in every language", arguments: Language.allCases)
    func sentences(language: Language) {
        for text in Self.all(in: language) where text.english.hasSuffix(".") {
            // The hints of the composer and of the boxes may be shorter than a sentence.
            if text.english == Language.english.text(CommandText.composeHint).description {
                continue
            }
            #expect([".", "。"].contains(text.words.suffix(1)), "\(text.name)")
        }
        for text in Self.all(in: language) where text.english.hasSuffix(":") {
            #expect([":", "："].contains(text.words.suffix(1)), "\(text.name)")
        }
        for text in Self.all(in: language) where text.english.hasSuffix("?") {
            #expect(["?", "？", "؟"].contains(text.words.suffix(1)), "\(text.name)")
        }
    }

    @Test("all languages have the same placeholders", arguments: Language.allCases)
    func placeholders(language: Language) {
        for text in Self.all(in: language) {
            let found = Set(Self.placeholders(of: text.words))
            #expect(found == Set(Self.placeholders(of: text.english)), "\(text.name)")
        }
    }

    @Test("commands, options and addresses are the same everywhere", arguments: Language.allCases)
    func commands(language: Language) {
        let literal = [
            "memo login", "memo outbox", "memo settings", "memo agent", "memo -- ", "… | memo",
            "memo-agent", "chmod 600", "https://relay.example.org", "MEMO_HOME", "UTF-8", "{{",
            "}}", "https", "HTTP", "SQLite", "Simple Memo",
        ]
        for text in Self.all(in: language) {
            for literal in literal where text.english.contains(literal) {
                #expect(text.words.contains(literal), "\(text.name) lacks \(literal)")
            }
        }
    }

    @Test("none but the one that is told the number says how many digits a code has")
    func digits() {
        let six = ["6", "six", "sechs", "seis", "sei ", "六", "여섯", "ستة"]
        for language in Language.allCases {
            for text in [language.text(AppText.code), language.text(HelpText.signInCode)] {
                let words = text.description.lowercased()
                #expect(!six.contains { words.contains($0) }, "\(words)")
            }
            #expect(language.text(AppText.codeInvalid).description.contains("{1}"))
        }
    }

    /// Symbols of units, which languages share.
    static let units: Set<String> = ["seconds", "minutes", "hours", "days"]
    /// Words that are the same in both languages.
    static let loans: [Language: Set<String>] = [
        .french: ["signature"],
        .german: ["offline", "problem", "server"],
        .italian: ["offline", "server"],
    ]

    @Test("none was left in English", arguments: Language.allCases.filter { $0 != .english })
    func translated(language: Language) {
        for text in Self.all(in: language)
        where text.words == text.english && !Self.units.contains(text.name) {
            #expect(Self.loans[language]?.contains(text.name) == true, "\(text.name)")
        }
    }

    @Test(
        "a text in another script has letters of it",
        arguments: [
            (Language.japanese, "[\\u{3040}-\\u{30FF}\\u{4E00}-\\u{9FFF}]"),
            (.korean, "[\\u{AC00}-\\u{D7A3}]"),
            (.simplifiedChinese, "[\\u{4E00}-\\u{9FFF}]"),
            (.arabic, "[\\u{0621}-\\u{064A}]"),
        ]
    )
    func script(language: Language, letters: String) throws {
        let letters = try Regex(letters)
        for text in Self.all(in: language) {
            #expect(text.words.contains(letters), "\(text.name)")
        }
    }

    @Test("no text is so long that it cannot be read at a glance", arguments: Language.allCases)
    func length(language: Language) {
        for text in Self.all(in: language) {
            // A translation may be half as long again as the English; a short text needs more room.
            #expect(text.words.count <= max(60, text.english.count * 8 / 5 + 20), "\(text.name)")
            #expect(text.words.count <= 320, "\(text.name)")
        }
    }

    @Test("a page finds every text by the name of its case, and nothing else")
    func names() {
        var names: Set<String> = []
        for text in AppText.allCases {
            #expect("\(text)" == text.name.description)
            #expect(AppText(name: Array(text.name.description.utf8)) == text)
            #expect(names.insert(text.name.description).inserted)
        }
        for wrong in ["", "sen", "sendd", "Send", "send ", "送信"] {
            #expect(AppText(name: Array(wrong.utf8)) == nil)
        }
    }

    @Test("the verification mail names the minutes")
    func validity() {
        for language in Language.allCases {
            let text = language.text(MailText.validity).filled(with: [decimal(10)])
            #expect(String(decoding: text, as: UTF8.self).contains("10"))
        }
    }
}

@Suite("Filling in a text")
struct FillingTests {
    private func filled(_ text: StaticString, _ values: [String], isolated: Bool = false) -> String
    {
        String(
            decoding: text.filled(with: values.map { Array($0.utf8) }, isolated: isolated),
            as: UTF8.self
        )
    }

    @Test("puts each value where its number stands, as often as it stands there")
    func values() {
        #expect(filled("a {1} b {2} c {1}", ["x", "ÿ"]) == "a x b ÿ c x")
        #expect(filled("{2}{1}", ["1", "2"]) == "21")
        #expect(filled("", ["x"]) == "")
    }

    @Test("leaves everything else in braces alone")
    func others() {
        #expect(filled("{line} {0} {3} {1", ["x", "y"]) == "{line} {0} {3} {1")
        #expect(filled("{{1}}", ["x"]) == "{x}")
    }

    @Test("never looks into a value")
    func injection() {
        #expect(filled("{1} {2}", ["{2}", "{1}"]) == "{2} {1}")
    }

    @Test("isolates a value from a text of the other direction when asked to")
    func isolation() {
        #expect(filled("منذ {1}", ["a@b"], isolated: true) == "منذ \u{2068}a@b\u{2069}")
    }
}
