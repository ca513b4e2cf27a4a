// What the sources use of UIKit's alerts, and of controllers that are shown over others.

@MainActor
open class UIAlertController: UIViewController {
    public enum Style: Sendable {
        case alert
    }

    private(set) var question: (title: String, message: String) = ("", "")
    private(set) var offered: [UIAlertAction] = []

    public convenience init(
        title: String?,
        message: String?,
        preferredStyle: UIAlertController.Style
    ) {
        self.init(nibName: nil, bundle: nil)
        question = (title ?? "", message ?? "")
    }

    open func addAction(_ action: UIAlertAction) {
        offered.append(action)
    }
}

@MainActor
open class UIAlertAction: NSObject {
    public enum Style: Sendable {
        case `default`, cancel, destructive
    }

    private(set) var name = ""
    private(set) var act: ((UIAlertAction) -> Void)?

    public convenience init(
        title: String?,
        style: UIAlertAction.Style,
        handler: ((UIAlertAction) -> Void)? = nil
    ) {
        self.init()
        (name, act) = (title ?? "", handler)
    }
}

open class UIPasteboard: NSObject {
    private nonisolated(unsafe) static let shared = UIPasteboard()

    open class var general: UIPasteboard { shared }

    open var string: String?
}
