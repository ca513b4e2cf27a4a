import MemoCore
import MemoKit
import MemoTexts

/// A text that shapes the mails of memos.
enum MailText: Hashable, Sendable {
    case subject, signature

    /// The text of a shared setting's name; `nil` for a setting that is no text.
    init?(setting: String) {
        switch setting {
        case "subject": self = .subject
        case "signature": self = .signature
        default: return nil
        }
    }

    var title: AppText {
        switch self {
        case .subject: .subjectTemplate
        case .signature: .signature
        }
    }

    var hint: AppText {
        switch self {
        case .subject: .subjectTemplateHint
        case .signature: .signatureHint
        }
    }

    func text(of settings: MemoSettings) -> String {
        switch self {
        case .subject: settings.templateSource ?? ""
        case .signature: String(decoding: settings.signature.text, as: UTF8.self)
        }
    }

    /// The text, with a sentence that says what it is for.
    func detail(of settings: MemoSettings, in language: Language) -> String {
        let text = text(of: settings)
        return (text.isEmpty ? "" : text + "\n") + language.string(hint)
    }

    /// - Throws: ``MemoKit/MemoError``, for a text that is not taken.
    func set(_ text: String, in settings: inout MemoSettings) throws(MemoError) {
        switch self {
        case .subject: try settings.setSubjectTemplate(text)
        case .signature: try settings.setSignature(text)
        }
    }
}

/// What the screen for one text shows. The text itself is in the field.
struct MailTextState: Hashable, Sendable {
    /// The stored text, once it was read.
    var placed: String?
    /// A subject that the text would make.
    var preview: String?
    /// Why the text is not taken, or not stored.
    var complaint: Sentence?

    /// A text was stored: that an earlier one was not stored matters no more.
    mutating func stored() {
        if complaint == .text(.settingsNotSaved) { complaint = nil }
    }
}
