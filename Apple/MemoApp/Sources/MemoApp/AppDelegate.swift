import MemoDoors
import Store
public import UIKit

/// The app's process: it is launched for a window, or for a task in the background.
public final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let parts: AppParts
    private var subscription: Subscription?

    /// UIKit makes it.
    public convenience override init() {
        self.init(.system)
    }

    init(_ parts: AppParts) {
        self.parts = parts
    }

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        parts.deliveries.launched()
        parts.notices.launched()
        Task { [parts] in await parts.followNetwork(parts.isConnected) }
        parts.doors.observe { [windows = parts.windows, deliveries = parts.deliveries] event in
            switch event {
            case .typingAsked: windows.showField()
            case .memoStored: deliveries.storedBeside()
            }
        }
        // A setting of another device may have come.
        subscription = parts.changes.sinkState(on: MainActor.shared, backlog: .merged) {
            [choices = parts.choices] _ in
            choices.adopt()
        }
        return true
    }
}
