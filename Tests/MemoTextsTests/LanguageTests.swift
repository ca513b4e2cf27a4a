import MemoTexts
import Testing
import WireCore

@Suite("Choosing a language")
struct LanguageTests {
    @Test(
        "a tag names a language whatever its region and case",
        arguments: [
            ("ja", Language.japanese), ("JA-jp", .japanese), ("ja_JP.UTF-8", .japanese),
            ("en-GB", .english), ("de_AT@euro", .german), ("pt-BR", .portuguese),
            ("pt_PT", .portuguese), ("es-419", .spanish), ("fr_CA.utf8", .french),
            ("it-CH", .italian), ("ko-KR", .korean), ("ar", .arabic), ("ar-EG", .arabic),
            ("zh", .simplifiedChinese), ("zh-CN", .simplifiedChinese),
            ("zh_SG.UTF-8", .simplifiedChinese), ("zh-Hans-HK", .simplifiedChinese),
            ("zh-Hans", .simplifiedChinese),
        ]
    )
    func tags(tag: String, language: Language) {
        #expect(Language(tag: Array(tag.utf8)) == language)
    }

    @Test(
        "what the faces do not speak is no language",
        arguments: [
            "", "C", "POSIX", "C.UTF-8", "nl", "jav", "j", "zh-TW", "zh_HK.UTF-8", "zh-Hant",
            "zh-Hant-CN", "-", "_JP", "日本語", "en\u{0}",
        ]
    )
    func others(tag: String) {
        #expect(Language(tag: Array(tag.utf8)) == nil)
    }

    @Test("every language is chosen by its own tag", arguments: Language.allCases)
    func ownTag(language: Language) {
        #expect(Language(tag: language.tag.bytes) == language)
        #expect(Language(rawValue: language.rawValue) == language)
    }

    @Test("the first wish that can be granted decides, else English")
    func wishes() {
        func chosen(_ tags: [String]) -> Language {
            Language(preferring: tags.map { Array($0.utf8) })
        }
        #expect(chosen(["nl", "fr-BE", "de"]) == .french)
        #expect(chosen(["zh-TW", "ja"]) == .japanese)
        #expect(chosen(["nl"]) == .english)
        #expect(chosen([]) == .english)
    }

    @Test("LC_ALL is before LC_MESSAGES is before LANG, and an empty one does not count")
    func environment() {
        let values = [nil, "", "ja_JP.UTF-8", "fr_FR", "C", "nl_NL"]
        for all in values {
            for messages in values {
                for lang in values {
                    let decisive = [all, messages, lang].lazy.compactMap { $0 }
                        .first { !$0.isEmpty }
                    let expected: Language =
                        switch decisive {
                        case "ja_JP.UTF-8": .japanese
                        case "fr_FR": .french
                        default: .english
                        }
                    let chosen = Language { name in
                        let value: String? =
                            switch name.description {
                            case "LC_ALL": all
                            case "LC_MESSAGES": messages
                            default: lang
                            }
                        return value.map { Array($0.utf8) }
                    }
                    #expect(chosen == expected)
                }
            }
        }
    }

    @Test("only Arabic is written from right to left")
    func direction() {
        #expect(Language.allCases.filter(\.isRightToLeft) == [.arabic])
    }

    @Test("ten languages, each with its own name and tag")
    func ten() {
        #expect(Set(Language.allCases.map(\.tag.description)).count == 10)
        #expect(Set(Language.allCases.map(\.ownName.description)).count == 10)
    }
}
