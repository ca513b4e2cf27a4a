import MemoKit
import MemoTexts
import Store
import UIKit

/// The screen for signing in and out: one field, for the address and then for the code.
final class SignInViewController: ScreenController {
    private let model: SignInModel
    private let close: @MainActor () -> Void
    private let label = UILabel(.body)
    private let field = UITextField()
    private let notice = NoticeLabel(.body)
    private lazy var closing = button { [weak self] in self?.close() }
    private lazy var primary = button { [weak self] in self?.press() }
    private lazy var again = button { [weak self] in self?.model.askCodeAgain() }
    private var subscription: Subscription?

    /// - Parameter close: Shows the screen before.
    init(model: SignInModel, close: @escaping @MainActor () -> Void) {
        self.model = model
        self.close = close
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        setUpViews()
        subscription = model.store.sinkState { [weak self] changes in
            MainActor.assumeIsolated { self?.draw(changes) }
        }
        model.begin()
    }

    // MARK: Views

    private func button(_ act: @escaping @MainActor () -> Void) -> UIButton {
        UIButton(configuration: .filled(), primaryAction: UIAction { _ in act() })
    }

    private func setUpViews() {
        var constraints = stack([closing, label, field, primary, again, notice])
        for part in [closing, field, primary, again] {
            constraints.append(
                part.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target)
            )
        }
        NSLayoutConstraint.activate(constraints)
    }

    private func press() {
        switch model.store.state.step {
        case .reading: break
        case .address: model.askCode(for: field.text ?? "")
        case .code: model.confirm(field.text ?? "")
        case .signedIn: model.signOut()
        }
    }

    // MARK: Drawing

    private func draw(_ changes: Changes<SignInState>) {
        changes.ifChanged({ $0.step }, { $0.language }) { step, language in
            draw(step, in: language)
        }
        changes.ifChanged({ $0.isBusy }) { isBusy in
            primary.isEnabled = !isBusy
            again.isEnabled = !isBusy
        }
        changes.ifChanged({ $0.notice }, { $0.language }) { notice, language in
            self.notice.show(notice?.sentence(in: language))
        }
    }

    private func draw(_ step: SignInState.Step, in language: Language) {
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        closing.configuration?.title = language.string(.close)
        again.configuration?.title = language.string(AppText.askCode)
        again.isHidden = true
        field.isHidden = false
        primary.isHidden = false
        field.text = ""
        switch step {
        case .reading:
            field.isHidden = true
            primary.isHidden = true
        case .address:
            label.text = language.string(AppText.addressHint)
            ask(for: language.string(AppText.address), .emailAddress)
            primary.configuration?.title = language.string(AppText.askCode)
        case .code(let address):
            label.text = address
            ask(for: language.string(AppText.code), .oneTimeCode)
            primary.configuration?.title = language.string(AppText.confirmCode)
            again.isHidden = false
        case .signedIn(let address):
            label.text = language.string(AppText.signedInAs, address)
            field.isHidden = true
            primary.configuration?.title = language.string(AppText.signOut)
        }
        for part in [closing, label, field, primary, again, notice] {
            part.accessibilityLanguage = language.tag.description
        }
    }

    private func ask(for name: String, _ content: UITextContentType) {
        field.accessibilityLabel = name
        field.textContentType = content
    }
}
