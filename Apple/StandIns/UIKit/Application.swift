// What the sources use of UIKit's application: time in the background.

@MainActor
open class UIApplication: UIResponder {
    private static let app = UIApplication()

    open class var shared: UIApplication { app }

    /// Apple: any thread may call it. The app does so on the main thread.
    open nonisolated func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (() -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        nonisolated(unsafe) let handler = handler
        return MainActor.assumeIsolated { Device.beginTask(handler) }
    }

    open nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        MainActor.assumeIsolated { Device.endTask(identifier) }
    }
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
