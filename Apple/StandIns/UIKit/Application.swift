// What the sources use of UIKit's application: its launch, and time in the background.

@MainActor
open class UIApplication: UIResponder {
    private static let app = UIApplication()

    public struct LaunchOptionsKey: Hashable, Sendable {}

    open class var shared: UIApplication {
        guard !Device.isExtension else {
            fatalError("an extension has no application: UIApplication.shared ends it")
        }
        return app
    }

    /// Apple: also those of windows that are not connected.
    open var openSessions: Set<UISceneSession> { Set(Device.sessions) }

    open var supportsMultipleScenes: Bool { Device.hasWindows }

    /// Apple: any thread may call it. The app does so on the main thread.
    open nonisolated func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        MainActor.assumeIsolated { Device.beginTask(handler) }
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

@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

/// Apple: the method is optional.
extension UIApplicationDelegate {
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
}

/// Apple: makes the application and its delegate, and never returns.
public func UIApplicationMain(
    _ argc: Int32,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ principalClassName: String?,
    _ delegateClassName: String?
) -> Int32 {
    fatalError("a test launches the app by its delegate")
}

/// Foundation has it, on Apple's systems.
extension FileManager {
    /// Apple: the folder that apps and extensions of a group share; `nil` for an app that was not signed
    /// with the group.
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? {
        guard groupIdentifier == Device.groupIdentifier else { return nil }
        return Device.group.map { URL(fileURLWithPath: $0) }
    }
}
