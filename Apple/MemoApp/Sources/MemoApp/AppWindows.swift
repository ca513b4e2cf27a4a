/// The windows of the process, by which a door shows the field.
///
/// A door that names no window shows it in the one that the person used last. Where no window is there, the
/// next one begins with the field anyway.
@MainActor
final class AppWindows {
    private struct Opened {
        let window: ObjectIdentifier
        let showField: @MainActor () -> Void
    }

    /// The windows, the one that was used last at the end.
    private var windows: [Opened] = []

    /// A window has its screens.
    ///
    /// - Parameter showField: Shows the compose screen, with the keyboard.
    func opened(_ window: ObjectIdentifier, showField: @escaping @MainActor () -> Void) {
        windows.append(Opened(window: window, showField: showField))
    }

    /// The person uses a window.
    func used(_ window: ObjectIdentifier) {
        guard let index = windows.firstIndex(where: { $0.window == window }) else { return }
        windows.append(windows.remove(at: index))
    }

    func closed(_ window: ObjectIdentifier) {
        windows.removeAll { $0.window == window }
    }

    /// Shows the field of the window that was used last.
    func showField() {
        windows.last?.showField()
    }

    func showField(of window: ObjectIdentifier) {
        windows.first { $0.window == window }?.showField()
    }
}
