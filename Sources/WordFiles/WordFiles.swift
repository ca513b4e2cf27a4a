import MemoCore

/// Prints the texts of one language as a JSON object, in the order of the texts: what the host
/// script shows. Usage: WordFiles TAG; without one it prints the tags.
@main struct WordFiles {
    static func main() {
        guard let tag = CommandLine.arguments.dropFirst().first else {
            for language in Language.allCases { print(language.tag) }
            return
        }
        guard let language = Language(tag: Array(tag.utf8)) else {
            return print("{}")
        }
        let members = AppText.allCases.map { text in
            "\(quoted("\(text.name)")):\(quoted("\(language.text(text))"))"
        }
        print("{\(members.joined(separator: ","))}")
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
