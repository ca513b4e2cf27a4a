import MemoKit
import MemoTexts
import Store
import UIKit

/// The question for a rating, over the compose screen: five stars, and a button that dismisses it.
final class RatingViewController: ScreenController {
    private static let most = 5

    private let model: RatingModel
    private let language: Language
    private let question = UILabel(.headline)
    private lazy var stars = (1...Self.most).map { star($0) }
    private lazy var dismissing = UIButton(
        configuration: .plain(),
        primaryAction: UIAction { [weak self] _ in self?.model.dismissed() }
    )
    private var subscription: Subscription?

    init(model: RatingModel, language: Language) {
        self.model = model
        self.language = language
        super.init()
        // A pull would dismiss it without a word to the model.
        isModalInPresentation = true
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        traitOverrides.layoutDirection = language.isRightToLeft ? .rightToLeft : .leftToRight
        dismissing.configuration?.title = language.string(.ratingDismiss)
        setUpViews()
        subscription = model.store.sinkState { [weak self] changes in
            MainActor.assumeIsolated { self?.draw(changes.current.step) }
        }
    }

    // MARK: Views

    private func star(_ number: Int) -> UIButton {
        let button = UIButton(
            configuration: .plain(),
            primaryAction: UIAction { [weak self] _ in self?.model.rated(number) }
        )
        button.accessibilityLabel = language.string(AppText.ratingStars, "\(number)")
        // Five of them have to fit side by side.
        button.maximumContentSizeCategory = .accessibilityMedium
        return button
    }

    private func setUpViews() {
        let safe = view.safeAreaLayoutGuide
        var constraints: [NSLayoutConstraint] = []
        // VoiceOver goes through them in this order.
        for part in [question] + stars + [dismissing] {
            part.translatesAutoresizingMaskIntoConstraints = false
            part.accessibilityLanguage = language.tag.description
            view.addSubview(part)
        }
        for part in [question, dismissing] {
            constraints += [
                part.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: Metrics.gap),
                part.trailingAnchor.constraint(
                    equalTo: safe.trailingAnchor,
                    constant: -Metrics.gap
                ),
            ]
        }
        var before = (edge: safe.leadingAnchor, gap: Metrics.gap)
        for star in stars {
            constraints += [
                star.topAnchor.constraint(equalTo: question.bottomAnchor, constant: Metrics.gap),
                star.leadingAnchor.constraint(equalTo: before.edge, constant: before.gap),
                star.widthAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
                star.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
            ]
            before = (star.trailingAnchor, 0)
        }
        constraints += [
            question.topAnchor.constraint(equalTo: safe.topAnchor, constant: Metrics.gap),
            dismissing.topAnchor.constraint(
                equalTo: stars[0].bottomAnchor,
                constant: Metrics.gap
            ),
            dismissing.heightAnchor.constraint(greaterThanOrEqualToConstant: Metrics.target),
        ]
        NSLayoutConstraint.activate(constraints)
    }

    // MARK: Drawing

    private func draw(_ step: RatingState.Step) {
        let given: Int
        switch step {
        case .none: return
        case .asks:
            given = 0
            question.text = language.string(.ratingQuestion)
        case .thanks(let stars):
            given = stars
            let thanks = language.string(AppText.ratingThanks)
            question.text = thanks
            UIAccessibility.post(notification: .announcement, argument: thanks)
        }
        for (number, star) in stars.enumerated() {
            star.configuration?.image = UIImage(systemName: number < given ? "star.fill" : "star")
        }
    }
}
