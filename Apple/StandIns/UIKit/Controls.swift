// What the sources use of UIKit's controls, fonts and colours.

@MainActor
open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static var valueChanged: UIControl.Event { UIControl.Event(rawValue: 1 << 12) }
    }

    private var added: [(action: UIAction, events: UIControl.Event)] = []

    open var isEnabled = true

    open func addAction(_ action: UIAction, for controlEvents: UIControl.Event) {
        added.append((action, controlEvents))
    }

    /// Tells the actions that the value has changed.
    func changeValue() {
        for (action, events) in added where events.contains(.valueChanged) {
            action.handler(action)
        }
    }
}

@MainActor
open class UISwitch: UIControl {
    open var isOn = false

    override var describedContent: String? { isOn ? "on" : "off" }

    /// A finger.
    func toggle() {
        isOn.toggle()
        changeValue()
    }
}

@MainActor
open class UIRefreshControl: UIControl {
    private(set) var isPulled = false

    public convenience init() {
        self.init(frame: .zero)
    }

    open func endRefreshing() {
        isPulled = false
    }

    /// A finger.
    func pull() {
        isPulled = true
        changeValue()
    }
}

@MainActor
open class UIButton: UIControl {
    public struct Configuration: Hashable {
        public static func filled() -> UIButton.Configuration { Configuration() }
        public static func plain() -> UIButton.Configuration { Configuration() }
        public var title: String?
        public var image: UIImage?
    }

    private var action: UIAction?

    public convenience init(
        configuration: UIButton.Configuration,
        primaryAction: UIAction? = nil
    ) {
        self.init(frame: .zero)
        self.configuration = configuration
        action = primaryAction
    }

    open var configuration: UIButton.Configuration? {
        didSet { windowOfResponder?.needsLayout = true }
    }

    override var describedContent: String? {
        configuration?.title ?? configuration?.image.map { "(\($0.name))" }
    }

    /// Apple: a title has as many lines as it needs, and grows with the person's text size.
    override func height(forWidth width: CGFloat) -> CGFloat? {
        let title = UILabel.height(of: configuration?.title ?? "", forWidth: width - 24, lines: 0)
        return max(title, 20 * textScale) + 14
    }

    override var widthOfContent: CGFloat? {
        let title = UILabel.width(of: configuration?.title ?? "")
        return title + (configuration?.image == nil ? 0 : 20 * textScale) + 24
    }

    /// A finger.
    func tap() {
        if isEnabled { action?.handler(action!) }
    }
}

public struct UITextContentType: Hashable, Sendable {
    let name: String

    public static let emailAddress = UITextContentType(name: "emailAddress")
    public static let oneTimeCode = UITextContentType(name: "oneTimeCode")
}

@MainActor
open class UITextField: UIControl {
    open var text: String?
    open var textContentType: UITextContentType!

    override var takesFirstResponder: Bool { true }
    override var describedContent: String? {
        [text ?? "", textContentType.map { "(\($0.name))" } ?? ""].joined(separator: " ")
    }
    override func height(forWidth width: CGFloat) -> CGFloat? { 20 * Device.textScale + 14 }

    /// What the keyboard does.
    func insert(_ text: String) { self.text = (self.text ?? "") + text }
}

@MainActor
open class UIMenuElement: NSObject {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }
    }

    public enum State: Sendable {
        case off
    }
}

@MainActor
open class UIAction: UIMenuElement {
    public struct Identifier: Hashable, Sendable {}

    let handler: UIActionHandler

    init(_ handler: @escaping UIActionHandler) {
        self.handler = handler
    }

    public convenience init(
        title: String = "",
        image: UIImage? = nil,
        identifier: UIAction.Identifier? = nil,
        discoverabilityTitle: String? = nil,
        attributes: UIMenuElement.Attributes = [],
        state: UIMenuElement.State = .off,
        handler: @escaping UIActionHandler
    ) {
        self.init(handler)
    }
}

public typealias UIActionHandler = (UIAction) -> Void

open class UIImage: NSObject {
    private(set) var name = ""

    /// Apple: `nil` for a name that the system does not know.
    public convenience init?(systemName name: String) {
        self.init()
        self.name = name
    }
}

open class UIFont: NSObject {
    public struct TextStyle: Hashable, Sendable {
        let name: String

        public static let headline = UIFont.TextStyle(name: "headline")
        public static let body = UIFont.TextStyle(name: "body")
        public static let footnote = UIFont.TextStyle(name: "footnote")
    }

    let style: UIFont.TextStyle

    init(_ style: UIFont.TextStyle) {
        self.style = style
    }

    open class func preferredFont(forTextStyle style: UIFont.TextStyle) -> UIFont {
        UIFont(style)
    }
}

public struct UIContentSizeCategory: Hashable, Sendable {
    let scale: CGFloat

    public static let accessibilityMedium = UIContentSizeCategory(scale: 1.6)
}

open class UIColor: NSObject {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    open class var label: UIColor { UIColor("label") }
    open class var secondaryLabel: UIColor { UIColor("secondaryLabel") }
    open class var systemBackground: UIColor { UIColor("systemBackground") }
}

@MainActor
open class UIFeedbackGenerator: NSObject {
    public convenience init(view: UIView) { self.init() }
}

@MainActor
open class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    public enum FeedbackType: Sendable {
        case success
    }

    open func notificationOccurred(
        _ notificationType: UINotificationFeedbackGenerator.FeedbackType
    ) {
        Device.note("haptic: \(notificationType)")
    }
}

public struct UIAccessibility {
    public struct Notification: Sendable {
        public static let announcement = UIAccessibility.Notification()
    }

    @MainActor public static var isReduceMotionEnabled: Bool { Device.reducesMotion }

    @MainActor public static func post(
        notification: UIAccessibility.Notification,
        argument: Any?
    ) {
        guard let text = argument as? String else {
            fatalError("an announcement without a text")
        }
        Device.announcements.append(text)
    }
}

extension NSObject {
    @MainActor public var accessibilityLabel: String? {
        get { (self as? UIResponder)?.spoken.label }
        set { (self as? UIResponder)?.spoken.label = newValue }
    }

    @MainActor public var accessibilityLanguage: String? {
        get { (self as? UIResponder)?.spoken.language }
        set { (self as? UIResponder)?.spoken.language = newValue }
    }
}
