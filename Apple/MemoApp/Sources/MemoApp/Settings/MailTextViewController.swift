import MemoKit
import MemoTexts
import Store
import UIKit

/// The screen for the template of the subject, or for the signature: one field.
final class MailTextViewController: ScreenController, UITextViewDelegate {
    private let model: MailTextModel
    private let language: Language
    private let close: @MainActor () -> Void
    private let heading = UILabel(.headline)
    private let field = UITextView()
    private let preview = UILabel(.footnote)
    private let complaint = NoticeLabel(.footnote)
    private lazy var closing = UIButton(
        configuration: .plain(),
        primaryAction: UIAction { [weak self] _ in self?.close() }
    )
    private var subscription: Subscription?

    /// - Parameter close: Shows the screen before.
    init(model: MailTextModel, language: Language, close: @escaping @MainActor () -> Void) {
        self.model = model
        self.language = language
        self.close = close
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        setUpViews()
        field.delegate = self
        subscription = model.store.sinkState { [weak self] changes in
            MainActor.assumeIsolated { self?.draw(changes) }
        }
        model.begin()
    }

    override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        field.becomeFirstResponder()
    }

    func textViewDidChange(_ textView: UITextView) {
        model.edited(textView.text)
    }

    // MARK: Views

    private func setUpViews() {
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        field.setUpForText()
        field.accessibilityLabel = language.string(model.text.title)
        for part in [heading, preview] { part.maximumContentSizeCategory = .accessibilityMedium }
        heading.text = language.string(model.text.title)
        closing.configuration?.title = language.string(.close)
        let parts: [UIView] = [closing, heading, field, preview, complaint]
        for part in parts { part.accessibilityLanguage = language.tag.description }
        let constraints = [
            closing.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
            complaint.bottomAnchor.constraint(
                equalTo: view.keyboardLayoutGuide.topAnchor,
                constant: -Metrics.gap
            ),
        ]
        NSLayoutConstraint.activate(stack(parts) + constraints)
    }

    // MARK: Drawing

    private func draw(_ changes: Changes<MailTextState>) {
        changes.ifChanged({ $0.placed }) { placed in
            if let placed { field.text = placed }
        }
        changes.ifChanged({ $0.preview }) { subject in
            preview.text = subject.map { language.string(AppText.subjectPreview, $0) }
        }
        changes.ifChanged({ $0.complaint }) { sentence in
            complaint.show(sentence?.words(in: language))
        }
    }
}
