import MemoCore
import MemoKit
import MemoTexts

/// What the settings screen knows.
struct SettingsState: Hashable, Sendable {
    enum RowID: Hashable, Sendable {
        case account, subject, signature, language, devices, cover, version
        /// Erases the account at the relay.
        case erase
        /// What the relay has of the settings.
        case synced
        /// A setting that two devices have changed, of which the person chooses one.
        case question(String)
    }

    /// The address to which memos go; `nil` while nobody is signed in.
    var address: String?
    var mails = MemoSettings()
    /// The language that was chosen in the app.
    var chosenLanguage: Language?
    var coversText: Bool
    /// What this device last knew of the things that devices share.
    var shared: SharedView?
    /// How often the version was tapped.
    var taps = 0

    var rows: [RowID] {
        let all: [RowID] = [
            .account, .subject, .signature, .language, .devices, .cover, .erase, .version,
        ]
        guard address != nil else { return all.filter { $0 != .devices && $0 != .erase } }
        let questions = shared?.questions.map { RowID.question($0.setting) } ?? []
        // Before the first synchronisation there is nothing to tell.
        let isTold = shared.map { $0.pending > 0 || $0.lastSynced != nil } ?? false
        return questions + all.dropLast() + (isTold ? [.synced] : []) + [.version]
    }

    /// What stands in the row of a question: this device's version, and the other one.
    private func question(_ setting: String, in language: Language) -> ListRow {
        guard let asked = shared?.questions.first(where: { $0.setting == setting }) else {
            return ListRow(title: "")
        }
        let name = MailText(setting: setting)?.title
        return ListRow(
            title: name.map { language.string($0) } ?? setting,
            detail: asked.mine + "\n"
                + (asked.isRefused
                    ? language.string(AppText.changeRefused)
                    : language.string(AppText.changeMet, asked.theirs)),
            offers: [.takeTheirs, .edit, .keepMine]
        )
    }

    private func synced(in language: Language) -> ListRow {
        let pending = shared?.pending ?? 0
        let time = shared?.lastSynced.map { language.string(AppText.syncedAt, Dates.local($0)) }
        guard pending > 0 else { return ListRow(title: time ?? language.string(AppText.syncing)) }
        let title = language.string(AppText.changesUnconfirmed, "\(pending)")
        return ListRow(title: title, detail: time ?? "")
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
        case .erase: ListRow(title: language.string(CommandText.eraseAccount), mark: .opens)
        case .cover:
            ListRow(title: language.string(.privacyOverlay), mark: .isOn(coversText))
        case .synced: synced(in: language)
        case .question(let setting): question(setting, in: language)
        case .version: ListRow(title: "Simple Memo", detail: ProgramVersion.text.description)
        }
    }
}
