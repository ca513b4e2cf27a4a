/// The windows of the process, by which a door shows the field, or a notification the history.
///
/// A door that names no window shows it in the one that the person used last. Where no window is there, the
/// next one begins with the field anyway, and with the history if that was asked for.
@MainActor
final class AppWindows {
    private struct Opened {
        let window: ObjectIdentifier
        let showField: @MainActor () -> Void
        let showHistory: @MainActor () -> Void
    }

    /// The windows, the one that was used last at the end.
    private var windows: [Opened] = []
    /// Whether the history was asked for while no window was there.
    private var historyWaits = false

    /// A window has its screens.
    ///
    /// - Parameters:
    ///   - showField: Shows the compose screen, with the keyboard.
    ///   - showHistory: Shows the history.
    func opened(
        _ window: ObjectIdentifier,
        showField: @escaping @MainActor () -> Void,
        showHistory: @escaping @MainActor () -> Void
    ) {
        windows.append(Opened(window: window, showField: showField, showHistory: showHistory))
        if historyWaits { self.showHistory() }
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

    /// Shows the history in the window that was used last, or in the next one.
    func showHistory() {
        historyWaits = windows.isEmpty
        windows.last?.showHistory()
    }

    func showField(of window: ObjectIdentifier) {
        windows.first { $0.window == window }?.showField()
    }
}
