import MemoCore
import MemoKit
import MemoTexts

/// What the settings screen knows.
struct SettingsState: Hashable, Sendable {
    enum RowID: Hashable, Sendable {
        case account, subject, signature, language, devices, cover, version
    }

    /// The address to which memos go; `nil` while nobody is signed in.
    var address: String?
    var mails = MemoSettings()
    /// The language that was chosen in the app.
    var chosenLanguage: Language?
    var coversText: Bool
    /// How often the version was tapped.
    var taps = 0

    var rows: [RowID] {
        let all: [RowID] = [
            .account, .subject, .signature, .language, .devices, .cover, .version,
        ]
        return address == nil ? all.filter { $0 != .devices } : all
    }

    func row(_ id: RowID, in language: Language) -> ListRow {
        switch id {
        case .account:
            ListRow(
                title: language.string(.address),
                detail: address.map { language.string(AppText.signedInAs, $0) }
                    ?? language.string(.signIn),
                mark: .opens
            )
        case .subject:
            ListRow(
                title: language.string(.subjectTemplate),
                detail: MailText.subject.detail(of: mails, in: language),
                mark: .opens
            )
        case .signature:
            ListRow(
                title: language.string(.signature),
                detail: MailText.signature.detail(of: mails, in: language),
                mark: .opens
            )
        case .language:
            ListRow(
                title: language.string(.language),
                detail: chosenLanguage?.ownName.description ?? language.string(.languageAutomatic),
                mark: .opens
            )
        case .devices: ListRow(title: language.string(.devices), mark: .opens)
        case .cover:
            ListRow(title: language.string(.privacyOverlay), mark: .isOn(coversText))
        case .version: ListRow(title: "Simple Memo", detail: ProgramVersion.text.description)
        }
    }
}
