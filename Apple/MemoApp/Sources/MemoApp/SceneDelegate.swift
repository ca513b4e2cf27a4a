public import UIKit
import MemoCore
import MemoKit
import OutboxCore

/// One window of the app.
public final class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    /// What the app stands on. A test provides its own.
    struct Parts {
        var box: BoxQueue
        var language: Language
        var clock: AppClock
        /// Delivers what is stored.
        var memoStored: @MainActor (OperationID) -> Void
    }

    public var window: UIWindow?
    private let parts: Parts
    private let start: Int64
    private var model: ComposeModel?
    /// Hides the text where others may see it: in the app switcher.
    private var cover: UIView?

    /// UIKit makes it.
    public convenience override init() {
        self.init(.system)
    }

    init(_ parts: Parts) {
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
        window.rootViewController = ComposeViewController(model: model)
        window.makeKeyAndVisible()
        self.window = window
    }

    public func sceneDidBecomeActive(_ scene: UIScene) {
        cover?.removeFromSuperview()
        cover = nil
    }

    public func sceneWillResignActive(_ scene: UIScene) {
        let time = BackgroundTime(for: "draft")
        model?.leaving { time.end() }
        guard let window, cover == nil else { return }
        let cover = UIView(frame: window.frame)
        cover.backgroundColor = .systemBackground
        cover.accessibilityLabel = parts.language.string(.hidden)
        window.addSubview(cover)
        self.cover = cover
    }
}

extension SceneDelegate.Parts {
    @MainActor
    static var system: SceneDelegate.Parts {
        let folder = DataFolder.ofApp
        return SceneDelegate.Parts(
            box: BoxQueue { () throws(MemoError) in
                try MemoBox(folder: folder, keys: .keychain)
            },
            language: folder.chosenLanguage
                ?? Language(preferring: Locale.preferredLanguages.map { Array($0.utf8) }),
            clock: .system,
            // Delivery in the foreground is what MemoCourier will do.
            memoStored: { _ in }
        )
    }
}

extension DataFolder {
    /// The folder of the app's own data.
    fileprivate static var ofApp: DataFolder {
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory,
            in: .userDomainMask
        )
        return DataFolder(path: places[0].path + "/Simple Memo")
    }
}
