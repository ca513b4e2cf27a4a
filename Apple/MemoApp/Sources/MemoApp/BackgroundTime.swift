import UIKit

/// Time in which the app goes on running after it has left the screen. The system says when it is over;
/// by then it has to be given back.
@MainActor
final class BackgroundTime {
    private var task = UIBackgroundTaskIdentifier.invalid

    /// - Parameter name: The purpose, for debugging.
    init(for name: String) {
        task = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in
            self?.end()
        }
    }

    /// Gives the time back. Does nothing where that has happened.
    func end() {
        guard task != .invalid else { return }
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}
