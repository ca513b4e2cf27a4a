import MemoCommandLine
import MemoTexts
import Testing

@Suite("A page of help")
struct HelpPageTests {
    private static let english = """
        OVERVIEW: Show an entry and its memo.

        An explanation that only the manual has.

        USAGE: memo outbox show <id> [--json]
               memo TEXT ...           send the words, joined by spaces

        ARGUMENTS:
          <id>                    The entry's identifier, or entry:NUMBER.

        OPTIONS:
          --subject-template <subject-template>
                                  How subjects are made.
          --limit <limit>         The most memos to list. (default: 50)

          See 'memo help <subcommand>' for detailed help.
        """

    private func page(_ language: Language, columns: Int = 80) -> String {
        HelpPage(english: Self.english, program: "memo").text(in: language, columns: columns)
    }

    @Test("is translated line by line, and names the manual for the rest")
    func translation() {
        #expect(
            page(.german) == """
                Zeigt einen Eintrag und seine Notiz.

                Aufruf:
                  memo outbox show <id> [--json]
                  memo TEXT ...           sendet die Wörter, durch Leerzeichen verbunden

                Argumente:
                  <id>                    Die Kennung des Eintrags oder entry:NUMBER.

                Optionen:
                  --subject-template <subject-template>
                                          Wie Betreffzeilen gebildet werden.
                  --limit <limit>         So viele Notizen werden höchstens gezeigt. (Vorgabe:
                                          50)

                Mehr zu einem Befehl: memo help <subcommand>

                Formate, Exit-Codes und Umgebung erklärt auf Englisch: man memo

                """
        )
    }

    @Test("breaks lines of ideographs, and no line begins with a closing mark", arguments: 40...60)
    func ideographs(columns: Int) {
        let lines = page(.japanese, columns: columns).split(separator: "\n")
        for line in lines where !line.contains("<") && !line.contains("memo") {
            let width = line.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
            #expect(width <= columns, "\(line)")
            #expect(line.drop { $0 == " " }.first.map { !"。、）".contains($0) } ?? true, "\(line)")
        }
    }

    @Test("has no line of English words in any other language", arguments: Language.allCases)
    func complete(language: Language) {
        guard language != .english else { return }
        for words in ["Show an entry", "identifier, or", "subjects", "default", "detailed"] {
            #expect(!page(language).contains(words), "\(words)")
        }
    }
}
