import MemoKit
import MemoTexts
import Store
import UIKit

/// The compose screen: one field, one button, one line for a sentence; above the field the doors to other screens, and
/// between them a word while there is no network, which has its room there always.
final class ComposeViewController: ScreenController, UITextViewDelegate {
    /// The seconds in which a sent text is seen leaving.
    private static let leavingTime = 0.25
    /// The points between a text view's edges and its text, as UIKit has them.
    private static let inset = (top: 8.0, leading: 5.0)

    private let model: ComposeModel
    private let field = MemoTextView()
    private let hint = UILabel(.body)
    private let notice = NoticeLabel(.footnote)
    private let offline = UILabel(.footnote)
    private let doors: Doors
    private lazy var history = door("clock") { [weak self] in self?.doors.history() }
    private lazy var settings = door("gearshape") { [weak self] in self?.doors.settings() }
    private lazy var button = UIButton(
        configuration: .filled(),
        primaryAction: UIAction { [weak self] _ in self?.model.send() }
    )
    private var subscription: Subscription?

    /// What shows another screen in place of this one.
    struct Doors {
        var history: @MainActor () -> Void
        var settings: @MainActor () -> Void
    }

    init(model: ComposeModel, doors: Doors) {
        self.model = model
        self.doors = doors
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
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

    /// Gives the field the keyboard, where the screen is in its window.
    func takeKeyboard() {
        field.becomeFirstResponder()
    }

    func textViewDidChange(_ textView: UITextView) {
        model.edited(textView.text)
    }

    // MARK: Views

    /// A button with a symbol: two titles side by side have no room at the largest text sizes.
    private func door(_ symbol: String, _ open: @escaping @MainActor () -> Void) -> UIButton {
        var configuration = UIButton.Configuration.plain()
        configuration.image = UIImage(systemName: symbol)
        return UIButton(configuration: configuration, primaryAction: UIAction { _ in open() })
    }

    private func setUpViews() {
        field.setUpForText()
        hint.textColor = .secondaryLabel
        hint.maximumContentSizeCategory = .accessibilityMedium
        offline.textColor = .secondaryLabel
        offline.maximumContentSizeCategory = .accessibilityMedium
        offline.numberOfLines = 1
        // VoiceOver goes through them in this order.
        for part in [field, hint, notice, button, history, offline, settings] {
            part.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(part)
        }
    }

    private func constrain() {
        let safe = view.safeAreaLayoutGuide
        let keyboard = view.keyboardLayoutGuide
        var constraints = [
            history.topAnchor.constraint(equalTo: safe.topAnchor, constant: 0),
            history.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
            history.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: Metrics.gap),
            settings.topAnchor.constraint(equalTo: safe.topAnchor, constant: 0),
            settings.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
            settings.trailingAnchor.constraint(
                equalTo: safe.trailingAnchor,
                constant: -Metrics.gap
            ),
            offline.topAnchor.constraint(equalTo: history.topAnchor, constant: 0),
            offline.bottomAnchor.constraint(equalTo: history.bottomAnchor, constant: 0),
            offline.leadingAnchor.constraint(equalTo: history.trailingAnchor, constant: Metrics.gap),
            field.topAnchor.constraint(equalTo: settings.bottomAnchor, constant: 0),
            hint.topAnchor.constraint(equalTo: field.topAnchor, constant: Self.inset.top),
            notice.topAnchor.constraint(equalTo: field.bottomAnchor, constant: 0),
            button.topAnchor.constraint(equalTo: notice.bottomAnchor, constant: Metrics.gap),
            button.bottomAnchor.constraint(equalTo: keyboard.topAnchor, constant: -Metrics.gap),
            button.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
            button.trailingAnchor.constraint(equalTo: safe.trailingAnchor, constant: -Metrics.gap),
        ]
        for (part, inset) in [(field, 0), (hint, Self.inset.leading), (notice, 0)] {
            let gap = Metrics.gap + inset
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
        changes.ifChanged({ $0.isOffline }) { offline.isHidden = !$0 }
        changes.ifChanged({ $0.notice }, { $0.language }) { notice, language in
            self.notice.show(notice?.sentence(in: language))
        }
    }

    private func translate(to language: Language) {
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        field.accessibilityLabel = language.string(.memo)
        hint.text = language.string(AppText.firstHint)
        button.configuration?.title = language.string(.send)
        history.accessibilityLabel = language.string(.history)
        settings.accessibilityLabel = language.string(.settings)
        offline.text = language.string(AppText.offline)
        for part in [field, hint, notice, button, history, offline, settings] {
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
