import MemoTexts
import Store
import StoreKit
import UIKit

/// The screens of one window, of which one is shown. The compose screen keeps its text meanwhile.
@MainActor
final class Screens {
    /// The seconds in which one language passes into another.
    private static let dissolveTime = 0.25

    let compose: ComposeModel
    private let parts: AppParts
    private let window: UIWindow
    private lazy var composing = ComposeViewController(
        model: compose,
        doors: ComposeViewController.Doors(
            history: { [weak self] in self?.showHistory() },
            settings: { [weak self] in self?.showSettings() }
        )
    )
    private lazy var rating = RatingModel(
        parts,
        compose: compose.store,
        isComposing: { [weak self] in
            if let self { window.rootViewController === composing } else { false }
        },
        review: { [scene] in AppStore.requestReview(in: scene) }
    )
    private let scene: UIWindowScene
    /// The screen on the window, where it is one into which a person types.
    private var shown: Typed?
    /// The screens that a door has taken from a person who typed.
    private var left: [Typed.Screen: UIViewController] = [:]
    private var subscriptions: [Subscription] = []

    /// A screen beside the compose screen into which a person types.
    private struct Typed {
        enum Screen: Hashable {
            case text(MailText)
            case signIn
            case erase
        }

        let screen: Screen
        let controller: UIViewController
    }

    /// Shows the compose screen.
    ///
    /// - Parameters:
    ///   - note: Remembers the window's draft.
    ///   - start: The time at which the app started, on the clock of the parts.
    init(
        _ parts: AppParts,
        in window: UIWindow,
        of scene: UIWindowScene,
        note: WindowNote,
        start: Int64
    ) {
        self.parts = parts
        self.window = window
        self.scene = scene
        compose = ComposeModel(
            box: parts.box,
            note: note,
            language: parts.language.state,
            clock: parts.clock,
            start: start,
            memoStored: parts.memoStored
        )
        window.rootViewController = composing
        subscriptions = [
            parts.language.sinkState { [weak self] changes in
                MainActor.assumeIsolated { self?.compose.speak(changes.current) }
            },
            parts.isConnected.sinkState { [weak self] changes in
                MainActor.assumeIsolated { self?.compose.network(isConnected: changes.current) }
            },
            rating.store.sinkState { [weak self] changes in
                MainActor.assumeIsolated { self?.showRating(changes) }
            },
            parts.changes.sinkState(on: MainActor.shared, backlog: .merged) { [weak self] _ in
                self?.compose.lookForFailures()
            },
        ]
    }

    private func showRating(_ changes: Changes<RatingState>) {
        let isAsked = changes.current.step != .none
        guard isAsked != ((changes.previous?.step ?? .none) != .none) else { return }
        if isAsked {
            let question = RatingViewController(model: rating, language: parts.language.state)
            composing.present(question, animated: true)
        } else {
            composing.dismiss(animated: true)
        }
    }

    private func showCompose() {
        shown = nil
        window.rootViewController = composing
    }

    /// Shows the field with the keyboard, for a door. What is typed stays: the memo in the field, and a text
    /// on another screen, which the person finds there again.
    func showField() {
        if window.rootViewController === composing {
            rating.dismissed()
        } else {
            keepTyped()
            showCompose()
        }
        composing.takeKeyboard()
    }

    /// Shows the history, for a notification. What is typed stays, as for ``showField()``.
    func showHistoryFromOutside() {
        rating.dismissed()
        keepTyped()
        showHistory()
    }

    /// Keeps the screen into which a person types, for when the person goes there again.
    private func keepTyped() {
        if let shown { left[shown.screen] = shown.controller }
    }

    private func showHistory() {
        show(HistoryModel(parts)) { $0.showCompose() }
    }

    private func showSettings() {
        let doors = SettingsModel.Doors(
            signIn: { [weak self] in self?.showSignIn() },
            edit: { [weak self] text in self?.edit(text) },
            languages: { [weak self] in self?.showLanguages() },
            devices: { [weak self] in self?.showDevices() },
            erase: { [weak self] in self?.showErasure() },
            diagnostics: { [weak self] in self?.showDiagnostics() }
        )
        show(SettingsModel(parts, doors: doors)) { $0.showCompose() }
    }

    private func showLanguages() {
        let model = LanguagesModel(parts) { [window] change in
            UIView.transition(
                with: window,
                duration: Self.dissolveTime,
                options: .transitionCrossDissolve,
                animations: change
            )
        }
        show(model) { $0.showSettings() }
    }

    private func showDevices() {
        show(DevicesModel(parts)) { $0.showSettings() }
    }

    private func showDiagnostics() {
        show(DiagnosticsModel(parts)) { $0.showSettings() }
    }

    private func edit(_ text: MailText) {
        guard !goBack(to: .text(text)) else { return }
        let model = MailTextModel(text, parts) { [weak self] in self?.compose.text ?? "" }
        let editor = MailTextViewController(
            model: model,
            language: parts.language.state
        ) { [weak self] in
            self?.showSettings()
        }
        show(editor, as: .text(text))
    }

    private func showSignIn() {
        guard !goBack(to: .signIn) else { return }
        let model = SignInModel(
            box: parts.box,
            client: parts.client,
            relay: parts.relay,
            language: parts.language.state,
            signedIn: parts.deliveries.called
        )
        let screen = SignInViewController(model: model) { [weak self] in
            self?.showSettings()
        }
        show(screen, as: .signIn)
    }

    private func showErasure() {
        guard !goBack(to: .erase) else { return }
        let model = EraseModel(
            box: parts.box,
            client: parts.client,
            language: parts.language.state
        ) { [changes = parts.changes] in
            changes.commit { $0 += 1 }
        }
        let screen = EraseViewController(model: model) { [weak self] in self?.showSettings() }
        show(screen, as: .erase)
    }

    /// Shows a screen into which a person types.
    private func show(_ controller: UIViewController, as screen: Typed.Screen) {
        shown = Typed(screen: screen, controller: controller)
        window.rootViewController = controller
    }

    /// Shows the screen that a door took from a person who typed, as it was.
    ///
    /// - Returns: `false` where no door has done so on this screen.
    private func goBack(to screen: Typed.Screen) -> Bool {
        guard let controller = left.removeValue(forKey: screen) else { return false }
        show(controller, as: screen)
        return true
    }

    /// Shows a list.
    ///
    /// - Parameter close: Shows the screen before.
    private func show(_ model: some ListModel, close: @escaping @MainActor (Screens) -> Void) {
        shown = nil
        window.rootViewController = ListViewController(
            model: model,
            language: parts.language
        ) { [weak self] in
            if let self { close(self) }
        }
    }
}
