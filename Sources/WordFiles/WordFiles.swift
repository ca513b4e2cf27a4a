import MemoTexts

/// Prints the texts of one language as a JSON array, in the order of the texts, for the host script.
/// Usage: WordFiles TAG. Without a tag it prints the tags; `WordFiles names` prints the names of the
/// texts in the same order, `WordFiles numbers` the numbers of the border for the host script, and
/// `WordFiles tables` the tables of the border for Web/README.md.
@main struct WordFiles {
    static func main() {
        switch CommandLine.arguments.dropFirst().first {
        case nil: for language in Language.allCases { print(language.tag) }
        case "names": for text in AppText.allCases { print(text.name) }
        case "numbers": for definition in BorderTables.definitions { print(definition) }
        case "tables": for line in BorderTables.documentation { print(line) }
        case let tag?:
            let language = Language(tag: Array(tag.utf8))
            let texts = AppText.allCases.map { text in
                language.map { quoted("\($0.text(text))") } ?? ""
            }
            print("[\(texts.joined(separator: ","))]")
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            default: "\(scalar)"
            }
        }
        return "\"\(escaped.joined())\""
    }
}
