import MemoCore
import MemoKit
import MemoSharing
import MemoTexts
import Store

/// The settings without a screen.
@MainActor
final class SettingsModel: ListModel {
    typealias RowID = SettingsState.RowID

    /// What shows another screen in place of this one.
    struct Doors {
        var signIn: @MainActor () -> Void
        var edit: @MainActor (MailText) -> Void
        var languages: @MainActor () -> Void
        var devices: @MainActor () -> Void
        var erase: @MainActor () -> Void
        var diagnostics: @MainActor () -> Void
    }

    /// How many taps on the version open the diagnostics.
    static let tapsToDiagnostics = 7

    let screen: ListScreen
    private let store: Store<SettingsState>
    private let parts: AppParts
    private let doors: Doors
    private var subscription: Subscription?

    init(_ parts: AppParts, doors: Doors) {
        self.parts = parts
        self.doors = doors
        screen = ListScreen(title: .settings, clock: parts.clock)
        store = Store(
            SettingsState(
                chosenLanguage: parts.choices.chosenLanguage,
                coversText: parts.choices.coversText
            )
        )
    }

    // MARK: Rows

    func rows() -> Derived<[RowID]> { store.derived(\.rows) }

    func row(_ id: RowID) -> Derived<ListRow> {
        .combine(store.derived(\.self), parts.language.derived(\.self)) { $0.row(id, in: $1) }
    }

    // MARK: Events

    func begin() {
        // What another device has changed, comes.
        subscription = parts.changes.sinkState(on: MainActor.shared, backlog: .merged) {
            [weak self] _ in
            self?.read()
        }
        read()
    }

    private func read() {
        parts.box.later { box throws(MemoError) in
            // Where the relay refuses the token, the person signs in anew.
            let isSignedIn = try box.accountStanding() == .signedIn
            let address = isSignedIn ? try box.account()?.address : nil
            return (address, try box.settings(), try box.sharedView())
        } then: { [weak self] read in
            guard let self else { return }
            switch read {
            case .success(let (address, mails, shared)):
                parts.choices.adopt()
                store.commit { state in
                    (state.address, state.mails, state.shared) = (address, mails, shared)
                    state.chosenLanguage = parts.choices.chosenLanguage
                    state.coversText = parts.choices.coversText
                }
            case .failure(let error): screen.say(.device(error))
            }
        }
    }

    func tapped(_ id: RowID) {
        switch id {
        case .account: doors.signIn()
        case .subject: doors.edit(.subject)
        case .signature: doors.edit(.signature)
        case .language: doors.languages()
        case .devices: doors.devices()
        case .erase: doors.erase()
        case .cover, .synced, .question: break
        case .version:
            store.commit { $0.taps += 1 }
            if store.state.taps == Self.tapsToDiagnostics { doors.diagnostics() }
        }
    }

    func take(_ offer: ListOffer, of id: RowID) {
        guard case .question(let setting) = id,
            let asked = store.state.shared?.questions.first(where: { $0.setting == setting })
        else { return }
        switch offer {
        case .keepMine: parts.deliveries.choose(.mine, of: asked) {}
        case .takeTheirs: parts.deliveries.choose(.theirs, of: asked) {}
        case .edit:
            if let text = MailText(setting: setting) { doors.edit(text) }
        case .delete, .copy, .resend, .retry, .revoke: break
        }
    }

    func switched(_ id: RowID, to isOn: Bool) {
        store.commit { $0.coversText = isOn }
        do {
            try parts.choices.coverText(isOn)
            parts.deliveries.sharedChanged()
        } catch {
            // The switch goes back: the row changes once more.
            store.commit { $0.coversText = !isOn }
            screen.say(.text(.settingsNotSaved))
        }
    }
}
