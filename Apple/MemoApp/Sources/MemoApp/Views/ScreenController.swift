import UIKit

/// A screen whose views are made in code, on the system's background.
class ScreenController: UIViewController {
    init() {
        super.init(nibName: nil, bundle: nil)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) {
        fatalError("the app has no storyboard")
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
    }

    /// Adds parts to the screen, each below the one before, from edge to edge. VoiceOver goes through
    /// the parts in this order.
    ///
    /// - Returns: The constraints that place the parts, not active yet.
    func stack(_ parts: [UIView]) -> [NSLayoutConstraint] {
        let safe = view.safeAreaLayoutGuide
        var above = safe.topAnchor
        var constraints: [NSLayoutConstraint] = []
        for part in parts {
            part.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(part)
            constraints += [
                part.topAnchor.constraint(equalTo: above, constant: Metrics.gap),
                part.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: Metrics.gap),
                part.trailingAnchor.constraint(
                    equalTo: safe.trailingAnchor,
                    constant: -Metrics.gap
                ),
            ]
            above = part.bottomAnchor
        }
        return constraints
    }
}
