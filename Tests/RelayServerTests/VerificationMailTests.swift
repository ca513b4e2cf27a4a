import MemoTexts
import Testing

@testable import RelayServer

@Suite("The mail that brings a code")
struct VerificationMailTests {
    private func mail(_ language: String?) throws -> VerificationMail {
        VerificationMail(
            code: try #require(VerificationCode("012345")),
            minutes: 10,
            language: Language(asked: language)
        )
    }

    @Test("speaks the language asked for", arguments: Language.allCases)
    func language(language: Language) throws {
        let mail = try mail(language.tag.description)
        #expect(mail.subject == language.text(MailText.subject).description)
        let lines = mail.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 6)
        #expect(lines[0] == language.text(MailText.introduction).description)
        #expect(lines[2] == "012345")
        #expect(lines[4].contains("10") && !lines[4].contains("{"))
    }

    @Test("knows regions", arguments: [("pt-BR", Language.portuguese), ("JA-jp", .japanese)])
    func regions(tag: String, language: Language) throws {
        #expect(try mail(tag).subject == language.text(MailText.subject).description)
    }

    @Test(
        "is English for any other, whatever it is",
        arguments: [
            nil, "", "nl", "zh-TW", "\r\nBcc: x@y.example", String(repeating: "a", count: 4000),
        ]
    )
    func others(tag: String?) throws {
        let (asked, english) = (try mail(tag), try mail("en"))
        #expect(asked.subject == english.subject && asked.text == english.text)
    }
}
