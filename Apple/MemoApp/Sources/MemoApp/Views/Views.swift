import UIKit

/// Distances that all screens have, in points.
enum Metrics {
    /// Between views, and around them.
    static let gap = 12.0
    /// The smallest height of what is touched.
    static let target = 44.0
}

extension UILabel {
    /// A label of as many lines as its text needs, which grows with the person's text size.
    convenience init(_ style: UIFont.TextStyle) {
        self.init()
        font = .preferredFont(forTextStyle: style)
        textColor = .label
        numberOfLines = 0
        adjustsFontForContentSizeCategory = true
    }
}

extension UITextView {
    /// Makes the text grow with the person's text size.
    func setUpForText() {
        font = .preferredFont(forTextStyle: .body)
        textColor = .label
        adjustsFontForContentSizeCategory = true
    }
}

/// A line for a sentence, which VoiceOver speaks when it comes. Beside a field and a keyboard there is no
/// room for one in the largest text sizes.
final class NoticeLabel: UILabel {
    /// - Parameter sentence: `nil` for none.
    func show(_ sentence: String?) {
        maximumContentSizeCategory = .accessibilityMedium
        text = sentence
        guard let sentence else { return }
        UIAccessibility.post(notification: .announcement, argument: sentence)
    }
}
