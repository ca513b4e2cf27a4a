import AppIntents
import MemoDoors

/// Opens the app with the field, for the control and for Shortcuts.
///
/// The app and the extension with the control have it: the extension shows it, the system runs it in the app.
struct ComposeMemoIntent: AppIntent {
    static let title: LocalizedStringResource = "New memo"
    static let openAppWhenRun = true

    /// Asks the app for the field. What is in it stays.
    func perform() async throws -> some IntentResult {
        await DoorEvents.ofProcess.post(.typingAsked)
        return .result()
    }
}
