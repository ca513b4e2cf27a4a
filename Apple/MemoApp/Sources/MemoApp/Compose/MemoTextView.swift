import UIKit

/// The field: a text view in which Cmd-Enter sends.
final class MemoTextView: UITextView {
    /// Called for Cmd-Enter.
    var send: () -> Void = {}

    override func pressesBegan(_ presses: Set<UIPress>, with event: UIPressesEvent?) {
        guard presses.contains(where: isSend) else {
            return super.pressesBegan(presses, with: event)
        }
        send()
    }

    private func isSend(_ press: UIPress) -> Bool {
        guard let key = press.key, key.modifierFlags.contains(.command) else { return false }
        return key.keyCode == .keyboardReturnOrEnter || key.keyCode == .keypadEnter
    }
}
