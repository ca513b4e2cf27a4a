import MemoTexts
import RelayRules
import Testing

@testable import RelayServer

@Suite("The mail that brings a code")
struct VerificationMailTests {
    private func mail(_ language: String?) -> VerificationMail {
        VerificationMail(
            code: VerificationCode("012345"),
            longCode: Array("0123456789ABCDEFGHJK".utf8),
            rules: VerificationRules(),
            language: Language(asked: language)
        )
    }

    @Test("speaks the language asked for", arguments: Language.allCases)
    func language(language: Language) {
        let mail = mail(language.tag.description)
        #expect(mail.subject == language.text(MailText.subject).description)
        let lines = mail.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 10)
        #expect(lines[0] == language.text(MailText.introduction).description)
        #expect(lines[2] == "012345")
        #expect(lines[4].contains("10") && !lines[4].contains("{"))
        #expect(lines[6].contains("24") && !lines[6].contains("{"))
        #expect(lines[8] == "0123-4567-89AB-CDEF-GHJK")
    }

    @Test("has a long code alone where there is no other", arguments: Language.allCases)
    func longCode(language: Language) {
        let mail = VerificationMail(
            code: nil,
            longCode: Array("0123456789ABCDEFGHJK".utf8),
            rules: VerificationRules(),
            language: language
        )
        let lines = mail.text.split(separator: "\n")
        #expect(lines.count == 2 && lines[1] == "0123-4567-89AB-CDEF-GHJK")
    }

    @Test("knows regions", arguments: [("pt-BR", Language.portuguese), ("JA-jp", .japanese)])
    func regions(tag: String, language: Language) {
        #expect(mail(tag).subject == language.text(MailText.subject).description)
    }

    @Test(
        "is English for any other, whatever it is",
        arguments: [
            nil, "", "nl", "zh-TW", "\r\nBcc: x@y.example", String(repeating: "a", count: 4000),
        ]
    )
    func others(tag: String?) {
        let (asked, english) = (mail(tag), mail("en"))
        #expect(asked.subject == english.subject && asked.text == english.text)
    }
}
