import MemoCore

/// The text of the mail that brings a code.
struct VerificationMail: Sendable {
    let subject: String
    let text: String

    /// - Parameters:
    ///   - minutes: The code's lifetime.
    ///   - language: A BCP 47 tag from a request, not checked; `nil` for none.
    init(code: VerificationCode, minutes: Int64, language: String?) {
        let language = language.flatMap { Language(tag: $0.utf8) } ?? .english
        let validity = language.text(MailText.validity).filled(with: [decimal(minutes)])
        subject = language.text(MailText.subject).description
        text = """
            \(language.text(MailText.introduction))

            \(code.digits)

            \(String(decoding: validity, as: UTF8.self))

            """
    }
}
