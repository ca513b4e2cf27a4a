import MemoKit
import MemoTexts
import Store
import UIKit

/// The compose screen: one field, one button, one line for a sentence.
final class ComposeViewController: UIViewController, UITextViewDelegate {
    /// The seconds in which a sent text is seen leaving.
    private static let leavingTime = 0.25
    /// The points between views, and around them.
    private static let gap = 12.0
    /// The points between a text view's edges and its text, as UIKit has them.
    private static let inset = (top: 8.0, leading: 5.0)
    /// The smallest height of a button, in points.
    private static let target = 44.0

    private let model: ComposeModel
    private let field = MemoTextView()
    private let hint = UILabel()
    private let notice = UILabel()
    private let openSettings: @MainActor () -> Void
    private lazy var settings = UIButton(
        configuration: .plain(),
        primaryAction: UIAction { [weak self] _ in self?.openSettings() }
    )
    private lazy var button = UIButton(
        configuration: .filled(),
        primaryAction: UIAction { [weak self] _ in self?.model.send() }
    )
    private var subscription: Subscription?

    /// - Parameter openSettings: Shows the settings in place of this screen.
    init(model: ComposeModel, openSettings: @escaping @MainActor () -> Void) {
        self.model = model
        self.openSettings = openSettings
        super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) {
        fatalError("the app has no storyboard")
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        setUpViews()
        constrain()
        field.delegate = self
        field.send = { [weak self] in self?.model.send() }
        // At once, not on the next turn of the main thread: a key that comes between a send and the
        // emptying of the field would be lost. All commits are made on the main thread.
        subscription = model.store.sinkState { [weak self] changes in
            MainActor.assumeIsolated { self?.draw(changes) }
        }
        model.begin()
    }

    /// The view is in its window, and nothing of it has been shown yet.
    override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        if field.becomeFirstResponder() { model.fieldIsReady() }
    }

    func textViewDidChange(_ textView: UITextView) {
        model.edited(textView.text)
    }

    // MARK: Views

    private func setUpViews() {
        field.font = .preferredFont(forTextStyle: .body)
        field.textColor = .label
        field.adjustsFontForContentSizeCategory = true
        hint.font = .preferredFont(forTextStyle: .body)
        hint.textColor = .secondaryLabel
        hint.numberOfLines = 0
        hint.adjustsFontForContentSizeCategory = true
        notice.font = .preferredFont(forTextStyle: .footnote)
        notice.textColor = .label
        notice.numberOfLines = 0
        notice.adjustsFontForContentSizeCategory = true
        // VoiceOver goes through them in this order.
        for part in [field, hint, notice, button, settings] {
            part.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(part)
        }
    }

    private func constrain() {
        let safe = view.safeAreaLayoutGuide
        let keyboard = view.keyboardLayoutGuide
        var constraints = [
            settings.topAnchor.constraint(equalTo: safe.topAnchor, constant: 0),
            settings.heightAnchor.constraint(greaterThanOrEqualToConstant: Self.target),
            settings.trailingAnchor.constraint(equalTo: safe.trailingAnchor, constant: -Self.gap),
            field.topAnchor.constraint(equalTo: settings.bottomAnchor, constant: 0),
            hint.topAnchor.constraint(equalTo: field.topAnchor, constant: Self.inset.top),
            notice.topAnchor.constraint(equalTo: field.bottomAnchor, constant: 0),
            button.topAnchor.constraint(equalTo: notice.bottomAnchor, constant: Self.gap),
            button.bottomAnchor.constraint(equalTo: keyboard.topAnchor, constant: -Self.gap),
            button.heightAnchor.constraint(greaterThanOrEqualToConstant: Self.target),
            button.trailingAnchor.constraint(equalTo: safe.trailingAnchor, constant: -Self.gap),
        ]
        for (part, inset) in [(field, 0), (hint, Self.inset.leading), (notice, 0)] {
            let gap = Self.gap + inset
            constraints += [
                part.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: gap),
                part.trailingAnchor.constraint(equalTo: safe.trailingAnchor, constant: -gap),
            ]
        }
        NSLayoutConstraint.activate(constraints)
    }

    // MARK: Drawing

    private func draw(_ changes: Changes<ComposeState>) {
        changes.ifChanged({ $0.language }) { translate(to: $0) }
        if let before = changes.previous, before.sent != changes.current.sent { showLeaving() }
        changes.ifChanged({ $0.placed }) { field.text = $0.text }
        changes.ifChanged({ $0.canSend }) { button.isEnabled = $0 }
        changes.ifChanged({ $0.showsHint }) { hint.isHidden = !$0 }
        changes.ifChanged({ $0.notice }, { $0.language }) { notice, language in
            let sentence = notice?.sentence(in: language)
            self.notice.text = sentence
            guard let sentence else { return }
            UIAccessibility.post(notification: .announcement, argument: sentence)
        }
    }

    private func translate(to language: Language) {
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        field.accessibilityLabel = language.string(.memo)
        hint.text = language.string(AppText.firstHint)
        button.configuration?.title = language.string(.send)
        settings.configuration?.title = language.string(.settings)
        for part in [field, hint, notice, button, settings] {
            part.accessibilityLanguage = language.tag.description
        }
    }

    /// Shows a picture of the text leaving. The field itself is empty by then, and takes typing.
    private func showLeaving() {
        UINotificationFeedbackGenerator(view: view).notificationOccurred(.success)
        guard !UIAccessibility.isReduceMotionEnabled,
            let picture = field.snapshotView(afterScreenUpdates: false)
        else { return }
        picture.frame = field.frame
        view.addSubview(picture)
        UIView.animate(withDuration: Self.leavingTime) {
            picture.alpha = 0
            picture.frame.origin.y -= picture.frame.size.height / 4
        } completion: { _ in
            picture.removeFromSuperview()
        }
    }
}
