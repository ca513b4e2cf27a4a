import MemoKit
import MemoTexts
import Store
public import UIKit

/// One window of the app.
public final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    public var window: UIWindow?
    private let parts: AppParts
    private let start: Int64
    private var screens: Screens?
    /// Hides the text where others may see it: in the app switcher.
    private var cover: UIView?

    /// UIKit makes it.
    public convenience override init() {
        self.init(.system)
    }

    init(_ parts: AppParts) {
        self.parts = parts
        start = parts.clock.microseconds()
    }

    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        let note = WindowNote(session)
        let screens = Screens(parts, in: window, of: scene, note: note, start: start)
        self.screens = screens
        // A window begins with the field, whichever door has opened it.
        parts.windows.opened(
            ObjectIdentifier(scene),
            showField: { [weak screens] in screens?.showField() },
            showHistory: { [weak screens] in screens?.showHistoryFromOutside() }
        )
        window.makeKeyAndVisible()
        self.window = window
    }

    public func sceneWillEnterForeground(_ scene: UIScene) {
        parts.deliveries.cameToFront(by: ObjectIdentifier(scene))
    }

    public func sceneDidEnterBackground(_ scene: UIScene) {
        parts.deliveries.left(ObjectIdentifier(scene))
    }

    public func sceneDidDisconnect(_ scene: UIScene) {
        parts.deliveries.left(ObjectIdentifier(scene))
        screens?.compose.ended()
        parts.windows.closed(ObjectIdentifier(scene))
        (screens, window, cover) = (nil, nil, nil)
    }

    public func sceneDidBecomeActive(_ scene: UIScene) {
        cover?.removeFromSuperview()
        cover = nil
        parts.windows.used(ObjectIdentifier(scene))
        screens?.compose.cameToFront()
    }

    /// A widget was tapped: the app has no other URLs.
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        parts.windows.showField(of: ObjectIdentifier(scene))
    }

    /// The quick action was chosen: the app has one.
    public func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        parts.windows.showField(of: ObjectIdentifier(windowScene))
        completionHandler(true)
    }

    public func sceneWillResignActive(_ scene: UIScene) {
        let time = BackgroundTime()
        screens?.compose.leaving { time.end() }
        guard let window, cover == nil, parts.choices.coversText else { return }
        let cover = UIView(frame: window.frame)
        cover.backgroundColor = .systemBackground
        cover.accessibilityLabel = parts.language.state.string(.hidden)
        window.addSubview(cover)
        self.cover = cover
    }
}
