// What the sources use of UIKit: responders and the keys of a keyboard.

@_exported public import Foundation

@MainActor
open class UIResponder: NSObject {
    /// What assistive apps read of the object.
    var spoken: (label: String?, language: String?) = (nil, nil)

    /// The responder that gets what this one does not handle.
    var following: UIResponder? { nil }
    /// The window in which the responder can be the first one.
    var windowOfResponder: UIWindow? { nil }
    var takesFirstResponder: Bool { false }

    /// Apple: false outside of a window. Only a key window shows the keyboard.
    @discardableResult
    open func becomeFirstResponder() -> Bool {
        guard takesFirstResponder, let window = windowOfResponder, window.isKey else {
            return false
        }
        if window.firstResponder !== self {
            window.firstResponder = self
            Device.note("\(type(of: self)) is first responder")
            window.needsLayout = true
        }
        return true
    }

    open func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        following?.pressesBegan(presses, with: event)
    }
}

@MainActor
open class UIEvent: NSObject {}

@MainActor
open class UIPressesEvent: UIEvent {}

@MainActor
open class UIPress: NSObject {
    private let pressed: UIKey?

    @_spi(Device) public init(_ key: UIKey) {
        pressed = key
    }

    open var key: UIKey? { pressed }
}

@MainActor
open class UIKey: NSObject {
    private let code: UIKeyboardHIDUsage
    private let flags: UIKeyModifierFlags

    @_spi(Device) public init(_ code: UIKeyboardHIDUsage, _ flags: UIKeyModifierFlags) {
        self.code = code
        self.flags = flags
    }

    open var keyCode: UIKeyboardHIDUsage { code }
    open var modifierFlags: UIKeyModifierFlags { flags }
}

public enum UIKeyboardHIDUsage: Sendable {
    case keyboardReturnOrEnter
    case keypadEnter
}

public struct UIKeyModifierFlags: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static var command: UIKeyModifierFlags { UIKeyModifierFlags(rawValue: 1 << 20) }
}
