import MemoKit
import MemoTexts
import Store
import UIKit

/// The screen for erasing the account: what will be erased, and a field for the code.
final class EraseViewController: ScreenController {
    private let model: EraseModel
    private let close: @MainActor () -> Void
    private let heading = UILabel(.headline)
    private let label = UILabel(.body)
    private let field = UITextField()
    private let notice = NoticeLabel(.body)
    private lazy var closing = button { [weak self] in self?.close() }
    private lazy var asking = button { [weak self] in self?.model.askCode() }
    private lazy var erasing = button { [weak self] in
        self?.model.erase(code: self?.field.text ?? "")
    }
    private var subscription: Subscription?

    /// - Parameter close: Shows the screen before.
    init(model: EraseModel, close: @escaping @MainActor () -> Void) {
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
        let language = model.store.state.language
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        heading.text = language.string(CommandText.eraseAccount)
        field.accessibilityLabel = language.string(AppText.code)
        field.textContentType = .oneTimeCode
        closing.configuration?.title = language.string(.close)
        asking.configuration?.title = language.string(AppText.askCode)
        erasing.configuration?.title = language.string(CommandText.eraseAccount)
        let parts: [UIView] = [closing, heading, label, asking, field, erasing, notice]
        for part in parts { part.accessibilityLanguage = language.tag.description }
        var constraints = stack(parts)
        for part in [closing, asking, field, erasing] {
            constraints.append(
                part.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target)
            )
        }
        NSLayoutConstraint.activate(constraints)
    }

    // MARK: Drawing

    private func draw(_ changes: Changes<EraseState>) {
        let language = changes.current.language
        changes.ifChanged({ $0.step }) { draw($0, in: language) }
        changes.ifChanged({ $0.isBusy }) { isBusy in
            asking.isEnabled = !isBusy
            erasing.isEnabled = !isBusy
        }
        changes.ifChanged({ $0.notice }) { notice.show($0?.sentence(in: language)) }
    }

    private func draw(_ step: EraseState.Step, in language: Language) {
        asking.isHidden = true
        field.isHidden = true
        erasing.isHidden = true
        switch step {
        case .reading: break
        case .warning(let address):
            label.text = language.string(CommandText.eraseWarning, address)
            asking.isHidden = false
        case .code(let address):
            label.text = language.string(CommandText.eraseWarning, address)
            asking.isHidden = false
            field.isHidden = false
            erasing.isHidden = false
        case .erased: label.text = language.string(CommandText.accountErased)
        }
    }
}
