// The device on which a test runs the app: its settings, and what a person does with it. The ledger
// does not see it.

@_spi(Device) @MainActor
public enum Device {
    /// What has happened, in its order.
    public private(set) static var journal: [String] = []
    /// What assistive apps were given to say.
    public internal(set) static var announcements: [String] = []
    public static var reducesMotion = false
    /// How much larger texts are than usual; the largest of the system's sizes is about 3.1.
    public static var textScale: CGFloat = 1 {
        didSet {
            for window in scenes.flatMap(\.scene.windows) { window.needsLayout = true }
        }
    }
    /// Whether the system's language is written from right to left.
    public static var isRightToLeft = false
    static let screen = CGRect(x: 0, y: 0, width: 390, height: 844)
    static let safeArea: (top: CGFloat, bottom: CGFloat) = (47, 34)
    static var keyboardHeight: CGFloat = 0

    private static var animated: Set<ObjectIdentifier> = []
    private static var ends: [(Bool) -> Void] = []
    private static var isInAnimation = false

    /// A device that was just switched on.
    public static func reset() {
        kill()
        (journal, announcements) = ([], [])
        (reducesMotion, isRightToLeft, isInAnimation) = (false, false, false)
        textScale = 1
        keyboardHeight = 0
        forgetWindows()
    }

    static func note(_ text: String) {
        journal.append(text)
    }

    // MARK: The process

    /// The process ends, without a word to the app.
    public static func kill() {
        scenes = []
        (ends, animated) = ([], [])
        forgetTasks()
        NSLayoutConstraint.forgetAll()
    }

    public static func showFrame() {
        for window in scenes.flatMap(\.scene.windows) {
            keyboardHeight = window.firstResponder is UITextView ? 336 : 0
            window.layOutAndShow()
        }
        let height: CGFloat = keyWindow.firstResponder is UITextView ? 336 : 0
        if height != keyboardHeight {
            keyboardHeight = height
            note("keyboard stands")
            keyWindow.needsLayout = true
            keyWindow.layOutAndShow()
        }
    }

    static var keyWindow: UIWindow {
        guard let window = used?.windows.last(where: \.isKey) else {
            fatalError("no window is there")
        }
        return window
    }

    // MARK: A person

    /// Types, where the keyboard stands.
    public static func type(_ text: String) {
        guard let field = keyWindow.firstResponder as? UITextView else {
            fatalError("the keys reach nothing: no text view is first responder")
        }
        field.insert(text)
        showFrame()
    }

    /// Presses a key of a keyboard that is a thing.
    public static func press(_ code: UIKeyboardHIDUsage, _ flags: UIKeyModifierFlags = []) {
        let press = UIPress(UIKey(code, flags))
        keyWindow.firstResponder?.pressesBegan([press], with: UIPressesEvent())
        showFrame()
    }

    /// The frame of the button with this title, or with this label.
    public static func frame(of title: String) -> CGRect { button(title).frame }

    /// Taps the button with this title, or with this label.
    public static func tap(_ title: String) {
        button(title).tap()
        showFrame()
    }

    private static func button(_ title: String) -> UIButton {
        let buttons = keyWindow.subtree.compactMap { $0 as? UIButton }
        let found = buttons.first { button in
            !button.isHidden
                && (button.configuration?.title == title || button.accessibilityLabel == title)
        }
        guard let button = found else { fatalError("there is no button \(title)") }
        return button
    }

    /// Taps the text field, and types.
    public static func write(_ text: String) {
        let fields = keyWindow.subtree.compactMap { $0 as? UITextField }
        guard let field = fields.first(where: { !$0.isHidden }), field.becomeFirstResponder() else {
            fatalError("there is no text field")
        }
        field.insert(text)
        showFrame()
    }

    /// The text of the first responder.
    public static var typed: String? { (keyWindow.firstResponder as? UITextView)?.text }

    // MARK: Animations

    static func animate(
        _ duration: TimeInterval,
        _ animations: () -> Void,
        _ completion: ((Bool) -> Void)?
    ) {
        note("animates \(duration) s")
        isInAnimation = true
        animations()
        isInAnimation = false
        if let completion { ends.append(completion) }
    }

    static func noteAnimated(_ view: UIView) {
        if isInAnimation { animated.insert(ObjectIdentifier(view)) }
    }

    static func isAnimated(_ view: UIView) -> Bool { animated.contains(ObjectIdentifier(view)) }

    /// The time of the animations is over.
    public static func endAnimations() {
        let over = ends
        (ends, animated) = ([], [])
        for end in over { end(true) }
        showFrame()
    }

    // MARK: Looking

    /// The tree of views on the screen, a line each.
    public static var screenText: String {
        var lines: [String] = []
        describe(keyWindow, 0, &lines)
        if let alert = keyWindow.presented as? UIAlertController { describe(alert, &lines) }
        return lines.joined(separator: "\n")
    }

    /// The views that do not lie on the screen, or are higher or wider than nothing, as lines of
    /// ``screenText``. The rows of a table scroll.
    public static var cutViews: [String] {
        var lines: [String] = []
        for view in keyWindow.subtree where !view.isHidden && !(view is UITableViewCell) {
            let frame = view.frame
            let (right, bottom) = (
                frame.origin.x + frame.size.width, frame.origin.y + frame.size.height
            )
            let isOnScreen =
                frame.origin.x >= 0 && frame.origin.y >= 0 && right <= screen.size.width
                && bottom <= screen.size.height && frame.size.width >= 0 && frame.size.height >= 0
            if !isOnScreen { describe(view, 0, &lines) }
        }
        return lines
    }

    private static func describe(_ view: UIView, _ depth: Int, _ lines: inout [String]) {
        var line = String(repeating: "  ", count: depth) + "\(Swift.type(of: view))"
        let frame = view.frame
        let numbers = [frame.origin.x, frame.origin.y, frame.size.width, frame.size.height]
        line += " " + numbers.map { "\(Int($0.rounded()))" }.joined(separator: " ")
        if let content = view.describedContent { line += " “\(content)”" }
        if let label = view.accessibilityLabel { line += " label “\(label)”" }
        if let language = view.accessibilityLanguage { line += " \(language)" }
        if view.isRightToLeft { line += " rtl" }
        if view.isHidden { line += " hidden" }
        if (view as? UIControl)?.isEnabled == false { line += " disabled" }
        if keyWindow.firstResponder === view { line += " first" }
        lines.append(line)
        // The cells of a table come and go in any order.
        let children =
            view is UITableView
            ? view.children.sorted { $0.frame.origin.y < $1.frame.origin.y } : view.children
        for child in children { describe(child, depth + 1, &lines) }
    }
}
