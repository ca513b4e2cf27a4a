// What the sources use of UIKit's views.

@MainActor
open class UIView: UIResponder {
    var children: [UIView] = []
    weak var parent: UIView?
    /// The controller whose root view this is.
    weak var controller: UIViewController?
    private var area: CGRect
    private var opacity: CGFloat = 1
    private lazy var safeArea = UILayoutGuide(of: self, .safeArea)
    private lazy var keyboard = UIKeyboardLayoutGuide(of: self, .keyboard)

    public init(frame: CGRect) {
        area = frame
        super.init()
    }

    public required init?(coder: NSCoder) {
        fatalError("this stand-in reads no archives: make the view in code")
    }

    public convenience override init() {
        self.init(frame: .zero)
    }

    open var backgroundColor: UIColor?
    open var isHidden = false
    open var maximumContentSizeCategory: UIContentSizeCategory?
    open var translatesAutoresizingMaskIntoConstraints = true

    open var frame: CGRect {
        get { area }
        set {
            Device.noteAnimated(self)
            area = newValue
        }
    }

    open var alpha: CGFloat {
        get { opacity }
        set {
            Device.noteAnimated(self)
            opacity = newValue
        }
    }

    open var topAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self, .top) }
    open var bottomAnchor: NSLayoutYAxisAnchor { NSLayoutYAxisAnchor(self, .bottom) }
    open var leadingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self, .leading) }
    open var trailingAnchor: NSLayoutXAxisAnchor { NSLayoutXAxisAnchor(self, .trailing) }
    open var widthAnchor: NSLayoutDimension { NSLayoutDimension(self, .width) }
    open var heightAnchor: NSLayoutDimension { NSLayoutDimension(self, .height) }
    open var safeAreaLayoutGuide: UILayoutGuide { safeArea }
    open var keyboardLayoutGuide: UIKeyboardLayoutGuide { keyboard }

    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        children.append(view)
        view.parent = self
        windowOfResponder?.needsLayout = true
    }

    /// Apple: the constraints between the view and others go.
    open func removeFromSuperview() {
        guard let parent else { return }
        let window = windowOfResponder
        if let first = window?.firstResponder as? UIView, first.isInside(self) {
            window?.firstResponder = nil
        }
        parent.children.removeAll { $0 === self }
        self.parent = nil
        NSLayoutConstraint.deactivate(across: self)
        window?.needsLayout = true
    }

    /// Apple: a view that is not rendered yet has a snapshot without content.
    open func snapshotView(afterScreenUpdates afterUpdates: Bool) -> UIView? {
        let picture = UIView(frame: frame)
        picture.content = describedContent
        return picture
    }

    /// Apple: during an animation the animated views take no touches and no keys.
    open class func animate(
        withDuration duration: TimeInterval,
        animations: @escaping () -> Void,
        completion: ((Bool) -> Void)? = nil
    ) {
        Device.animate(duration, animations, completion)
    }

    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static var transitionCrossDissolve: UIView.AnimationOptions {
            UIView.AnimationOptions(rawValue: 5 << 20)
        }
    }

    /// Apple: shows the view passing from its picture before into that after.
    open class func transition(
        with view: UIView,
        duration: TimeInterval,
        options: UIView.AnimationOptions = [],
        animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {
        Device.note("dissolves \(duration) s")
        animations?()
        completion?(true)
    }

    // MARK: What the device does

    /// How much larger the view's text is than usual.
    var textScale: CGFloat {
        min(Device.textScale, maximumContentSizeCategory?.scale ?? Device.textScale)
    }

    /// The text in the snapshot of another view.
    var content: String?
    /// What the view shows, for a description.
    var describedContent: String? { content }
    /// The height that the content needs; `nil` for a view that takes any height.
    func height(forWidth width: CGFloat) -> CGFloat? { nil }
    /// The width that the content needs; `nil` for a view that takes any width.
    var widthOfContent: CGFloat? { nil }

    override var windowOfResponder: UIWindow? { parent?.windowOfResponder }
    override var following: UIResponder? { controller ?? parent }

    func isInside(_ view: UIView) -> Bool {
        self === view || (parent?.isInside(view) ?? false)
    }

    /// The view and all views below it.
    var subtree: [UIView] { [self] + children.flatMap(\.subtree) }

    var isRightToLeft: Bool {
        if let direction = controller?.traitOverrides.layoutDirection, direction != .unspecified {
            return direction == .rightToLeft
        }
        return parent?.isRightToLeft ?? Device.isRightToLeft
    }

    func setFrame(_ frame: CGRect) {
        area = frame
    }
}

@MainActor
open class UIScrollView: UIView {
    open var refreshControl: UIRefreshControl?
}

@MainActor
public protocol UIScrollViewDelegate: NSObjectProtocol {}

@MainActor
public protocol UIContentSizeCategoryAdjusting: NSObjectProtocol {
    var adjustsFontForContentSizeCategory: Bool { get set }
}

@MainActor
open class UITextView: UIScrollView, UIContentSizeCategoryAdjusting {
    private var written = ""

    open weak var delegate: (any UITextViewDelegate)?
    open var font: UIFont?
    open var textColor: UIColor?
    open var adjustsFontForContentSizeCategory = false

    /// Apple: set by a program, the delegate is not told.
    open var text: String! {
        get { written }
        set { written = newValue ?? "" }
    }

    override var takesFirstResponder: Bool { true }
    override var describedContent: String? { written }

    /// What the keyboard does.
    func insert(_ text: String) {
        guard !Device.isAnimated(self) else {
            fatalError("a key is lost: the text view is being animated")
        }
        written += text
        delegate?.textViewDidChange(self)
    }

    open override func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        for press in presses where press.key?.modifierFlags.contains(.command) == false {
            insert("\n")
        }
    }
}

@MainActor
public protocol UITextViewDelegate: UIScrollViewDelegate {
    func textViewDidChange(_ textView: UITextView)
}

/// Apple: the methods are optional.
extension UITextViewDelegate {
    public func textViewDidChange(_ textView: UITextView) {}
}

@MainActor
open class UILabel: UIView, UIContentSizeCategoryAdjusting {
    open var text: String? {
        didSet { windowOfResponder?.needsLayout = true }
    }

    open var font: UIFont!
    open var textColor: UIColor!
    open var numberOfLines = 1
    open var adjustsFontForContentSizeCategory = false

    override var describedContent: String? { text }

    override func height(forWidth width: CGFloat) -> CGFloat? {
        UILabel.height(of: text ?? "", forWidth: width, lines: numberOfLines, scale: textScale)
    }

    /// About eight points for a character, twenty for a line, at the usual text size.
    ///
    /// - Parameter most: The most lines; 0 for as many as the text needs.
    static func height(
        of text: String,
        forWidth width: CGFloat,
        lines most: Int,
        scale: CGFloat = Device.textScale
    ) -> CGFloat {
        guard !text.isEmpty else { return 0 }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).reduce(0) {
            $0
                + max(
                    1,
                    (UILabel.width(of: String($1), scale: scale) / max(width, 8) - 0.01).rounded(
                        .up
                    )
                )
        }
        return 20 * scale * (most == 0 ? lines : min(lines, CGFloat(most)))
    }

    override var widthOfContent: CGFloat? { UILabel.width(of: text ?? "", scale: textScale) }

    static func width(of text: String, scale: CGFloat = Device.textScale) -> CGFloat {
        CGFloat(text.count) * 8 * scale
    }
}
