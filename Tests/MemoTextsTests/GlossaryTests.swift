import MemoTexts
import Testing

/// One word for one thing, in each language: a person who meets two words looks for two things.
@Suite("The glossary")
struct GlossaryTests {
    /// A language's word for a thing, and other words for it that no text may use.
    struct Word: Sendable {
        /// A regular expression, found in at least one text, whatever the case of its letters.
        let word: String
        /// Regular expressions.
        let others: [String]

        init(_ word: String, not others: String...) {
            self.word = word
            self.others = others
        }
    }

    /// Words that are the same in all languages, and no words of a language.
    private static let literals = [
        "https://relay.example.org", "--relay", "$MEMO_RELAY", "Simple Memo", "memo login",
        "memo logout", "memo outbox", "memo history", "memo settings", "memo agent", "memo doctor",
        "memo-agent", "man memo", "memo --", "memo -", "| memo",
    ]

    static let terms: [(thing: String, words: [Language: Word])] = [
        (
            "memo",
            [
                .english: Word("memo", not: #"\bnotes?\b"#),
                .german: Word("Notiz", not: "Memos", #"\b(das|ein|dem) Memo\b"#),
                .french: Word("mémo", not: #"\bnotes?\b"#),
                .spanish: Word("nota", not: "memos"),
                .italian: Word("nota", not: #"\b(il|i|un|alcuni|tuoi|inviare) memo\b"#),
                .portuguese: Word("nota", not: "memos"),
                .japanese: Word("メモ", not: "ノート"), .korean: Word("메모", not: "노트"),
                .simplifiedChinese: Word("备忘", not: "备忘录", "便笺"),
                .arabic: Word("مذكر", not: "ملاحظة"),
            ]
        ),
        (
            "server",
            [
                .english: Word("server", not: "relay"), .german: Word("Server", not: "Relay"),
                .french: Word("serveur", not: "relais"), .spanish: Word("servidor", not: "relé"),
                .italian: Word("server", not: "relay"),
                .portuguese: Word("servidor", not: "relay"),
                .japanese: Word("サーバー", not: "リレー", "サーバ(?!ー)"),
                .korean: Word("서버", not: "릴레이"),
                .simplifiedChinese: Word("服务器", not: "中继"),
                .arabic: Word("خادم", not: "مرحِّل", "مرحل"),
            ]
        ),
        (
            "to encrypt",
            [
                .english: Word("seal", not: "encrypt"),
                .german: Word("verschlüsselt", not: "versiegel"),
                .french: Word("chiffr", not: "scell"), .spanish: Word("cifr", not: "sell[aeo]"),
                .italian: Word("cifr", not: "sigill"),
                .portuguese: Word("cifr", not: #"\bsela"#, "criptograf"),
                .japanese: Word("暗号化", not: "封印"), .korean: Word("암호화", not: "봉인"),
                .simplifiedChinese: Word("加密", not: "密封", "封存"),
                .arabic: Word("شفّر", not: "يختم", "مختوم"),
            ]
        ),
        (
            "inbox",
            [
                .english: Word("inbox", not: "in-box"),
                .german: Word("Posteingang", not: "Eingangskorb"),
                .french: Word("boîte de réception", not: "courrier"),
                .spanish: Word("bandeja de entrada", not: "buzón"),
                .italian: Word("casella di posta", not: "posta in arrivo"),
                .portuguese: Word("caixa de entrada", not: "caixa postal"),
                .japanese: Word("受信箱", not: "受信トレイ"),
                .korean: Word("받은편지함", not: "받은 편지함"),
                .simplifiedChinese: Word("收件箱", not: "收件匣"),
                .arabic: Word("بريدك", not: "صندوق الوارد", "صندوق بريد"),
            ]
        ),
        (
            "outbox",
            [
                .japanese: Word("送信待ち", not: "送信箱"),
                .korean: Word("보낼편지함", not: "보낼 편지함"),
                .simplifiedChinese: Word("发件箱", not: "寄件箱"),
                .arabic: Word("صندوق الصادر", not: "صندوق الإرسال"),
            ]
        ),
        (
            "entry",
            [
                .spanish: Word("entrada", not: "elemento"),
                .italian: Word("voc[ei]", not: "elemento"),
                .portuguese: Word(
                    #"\bite(m|ns)\b"#,
                    not: "uma entrada",
                    "entradas",
                    "identificador da entrada"
                ),
                .arabic: Word("عنصر", not: "مدخلة", "مدخلات"),
            ]
        ),
        (
            "standard input",
            [
                .italian: Word("input standard", not: "standard input"),
                .arabic: Word("الإدخال القياسي", not: "الدخل القياسي"),
            ]
        ),
        ("command", [.spanish: Word("comando", not: #"\borden\b"#, "órdenes")]),
        ("default", [.spanish: Word("predeterminad", not: "por omisión", "por defecto")]),
        ("owner", [.spanish: Word("propietario", not: "dueño")]),
        (
            "e-mail",
            [
                .german: Word("E-Mail", not: #"(^|[^-])\bMail(?!server)"#),
                .french: Word("e-mail", not: "courriel", "courrier", #"(^|[^-])\bmails?\b"#),
                .italian: Word("e-mail", not: "per posta", "indirizzo di posta"),
                .portuguese: Word("e-mail", not: "correio"),
            ]
        ),
        (
            "to be sent",
            [
                .german: Word("gesendet", not: "gehen ab", "abgehen", "gehen .* ab,"),
                .korean: Word("전송|보내", not: "메모.*나갑니다", "나가게"),
            ]
        ),
        (
            "to delete",
            [
                .spanish: Word("elimin", not: #"\bborr[ae]\b"#),
                .portuguese: Word("exclu", not: #"\bapag"#),
            ]
        ),
        (
            "app",
            [
                .portuguese: Word(#"\bapp\b"#, not: "aplicativo"),
                .german: Word(#"\bApp\b"#, not: "Anwendung"),
                .japanese: Word("アプリ", not: "Webアプリ", "アプリケーション"),
            ]
        ),
        ("device", [.japanese: Word("端末", not: "デバイス", "端末で書")]),
        ("folder", [.japanese: Word("フォルダー", not: "フォルダ(?!ー)")]),
        (
            "to run",
            [
                .japanese: Word("memo ?を実行", not: "memo ?を呼"),
                .korean: Word("실행", not: "memo를 부르"),
            ]
        ),
        ("history", [.simplifiedChinese: Word("历史记录", not: "历史(?!记录)")]),
        ("account", [.simplifiedChinese: Word("账户", not: "帐户")]),
        ("to revoke", [.simplifiedChinese: Word("撤销", not: "吊销")]),
        (
            "you",
            [
                .simplifiedChinese: Word("您", not: "你"), .korean: Word("세요", not: "십시오"),
                .spanish: Word(#"\bsus?\b"#, not: #"\btus?\b"#, #"\b(escríbe|envía)l[ao]\b"#),
                .german: Word(#"\bIhren?\b"#, not: #"\bde?inen?\b"#),
            ]
        ),
        ("the URL", [.portuguese: Word("[aA] URL", not: "[oO] URL")]),
        ("unreadable", [.arabic: Word("تتعذّر قراءته", not: "مقروء")]),
        (
            "punctuation",
            [
                .french: Word("\u{00A0}:", not: " [:;?!]"),
                .japanese: Word("：", not: "[^A-Za-z0-9]: "),
                .simplifiedChinese: Word("：", not: "[^A-Za-z0-9]: "),
            ]
        ),
    ]

    @Test("a language has one word for one thing", arguments: Language.allCases)
    func oneWord(language: Language) throws {
        let texts = TextTests.all(in: language).map { text in
            (text.name, Self.literals.reduce(text.words) { $0.replacing($1, with: "…") })
        }
        for (thing, words) in Self.terms {
            guard let word = words[language] else { continue }
            let used = try Regex(word.word).ignoresCase()
            #expect(
                texts.contains { $0.1.contains(used) },
                "\(language.tag): no text says \(word.word) for \(thing)"
            )
            for other in word.others {
                let second = try Regex(other).ignoresCase()
                for (name, text) in texts where text.contains(second) {
                    Issue.record("\(language.tag) \(name): \(other) for \(thing), not \(word.word)")
                }
            }
        }
    }
}
