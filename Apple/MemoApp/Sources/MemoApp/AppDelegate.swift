import MemoDoors
public import UIKit

/// The app's process: it is launched for a window, or for a task in the background.
public final class AppDelegate: UIResponder, UIApplicationDelegate {
    private let parts: AppParts

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
        parts.doors.observe { [windows = parts.windows, deliveries = parts.deliveries] event in
            switch event {
            case .typingAsked: windows.showField()
            case .memoStored: deliveries.storedBeside()
            }
        }
        return true
    }
}
