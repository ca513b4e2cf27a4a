public import UIKit
import MemoKit
import MemoTexts

/// One window of the app.
public final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    public var window: UIWindow?
    private let parts: AppParts
    private let start: Int64
    private var model: ComposeModel?
    /// The compose screen, with its text, also while another screen is shown.
    private var compose: ComposeViewController?
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
        let model = ComposeModel(
            box: parts.box,
            language: parts.language,
            clock: parts.clock,
            start: start,
            memoStored: parts.memoStored
        )
        self.model = model
        let window = UIWindow(windowScene: scene)
        let compose = ComposeViewController(model: model) { [weak self] in self?.openSettings() }
        self.compose = compose
        window.rootViewController = compose
        window.makeKeyAndVisible()
        self.window = window
    }

    private func openSettings() {
        let model = SignInModel(
            box: parts.box,
            client: parts.client,
            relay: parts.relay,
            language: parts.language,
            signedIn: parts.deliveries.called
        )
        window?.rootViewController = SignInViewController(model: model) { [weak self] in
            self?.window?.rootViewController = self?.compose
        }
    }

    public func sceneWillEnterForeground(_ scene: UIScene) {
        parts.deliveries.cameToFront()
    }

    public func sceneDidEnterBackground(_ scene: UIScene) {
        parts.deliveries.left()
    }

    public func sceneDidBecomeActive(_ scene: UIScene) {
        cover?.removeFromSuperview()
        cover = nil
        model?.cameToFront()
    }

    public func sceneWillResignActive(_ scene: UIScene) {
        let time = BackgroundTime()
        model?.leaving { time.end() }
        guard let window, cover == nil else { return }
        let cover = UIView(frame: window.frame)
        cover.backgroundColor = .systemBackground
        cover.accessibilityLabel = parts.language.string(.hidden)
        window.addSubview(cover)
        self.cover = cover
    }
}
