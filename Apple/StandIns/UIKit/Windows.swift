// What the sources use of UIKit's controllers, windows and scenes.

@MainActor
open class UIViewController: UIResponder {
    private var loaded: UIView?
    fileprivate var hasAppeared = false
    fileprivate var hasCalledSuper = false

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        guard nibNameOrNil == nil else { fatalError("this stand-in has no nibs") }
    }

    public required init?(coder: NSCoder) {
        fatalError("this stand-in reads no archives: make the controller in code")
    }

    public var traitOverrides = UITraitOverrides() {
        didSet { loaded?.windowOfResponder?.needsLayout = true }
    }

    open var view: UIView! {
        get {
            if let loaded { return loaded }
            let view = UIView(frame: .zero)
            view.controller = self
            loaded = view
            viewDidLoad()
            return view
        }
        set {
            newValue.controller = self
            loaded = newValue
        }
    }

    open func viewDidLoad() {}

    open func viewIsAppearing(_ animated: Bool) {
        hasCalledSuper = true
    }

    /// Apple: over the views of the window's root.
    open func present(
        _ viewControllerToPresent: UIViewController,
        animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        guard let window = windowOfResponder else {
            fatalError("a controller whose view is in no window presents another one")
        }
        guard window.presented == nil else {
            fatalError("a controller is presented while another one is")
        }
        window.presented = viewControllerToPresent
        completion?()
    }

    /// Apple: dismisses the controller that this one presents.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        windowOfResponder?.presented = nil
        completion?()
    }

    open var isModalInPresentation = false

    /// The request that an extension serves.
    var request: NSExtensionContext?

    open var extensionContext: NSExtensionContext? { request }

    override var windowOfResponder: UIWindow? { loaded?.windowOfResponder }
    override var following: UIResponder? { loaded?.parent }

    /// Apple: after the view was added and laid out by its superview, before the frame is shown.
    func appear() {
        guard !hasAppeared else { return }
        hasAppeared = true
        hasCalledSuper = false
        viewIsAppearing(false)
        guard hasCalledSuper else { fatalError("viewIsAppearing does not call super") }
        Device.note("view is appearing")
    }
}

extension UIViewController {
    /// The view is out of its window, and appears again when it comes back.
    fileprivate func disappear() { hasAppeared = false }
}

@MainActor
public protocol UIMutableTraits {
    var layoutDirection: UITraitEnvironmentLayoutDirection { get set }
}

@MainActor
public struct UITraitOverrides: UIMutableTraits {
    public var layoutDirection = UITraitEnvironmentLayoutDirection.unspecified
}

public enum UITraitEnvironmentLayoutDirection: Sendable {
    case unspecified
    case leftToRight
    case rightToLeft
}

@MainActor
open class UIWindow: UIView {
    var firstResponder: UIResponder?
    var isKey = false
    var needsLayout = true
    /// The controller over the root.
    var presented: UIViewController? {
        didSet {
            oldValue?.view.removeFromSuperview()
            guard let presented, !(presented is UIAlertController) else { return }
            presented.view.setFrame(frame)
            addSubview(presented.view)
        }
    }

    public init(windowScene: UIWindowScene) {
        super.init(frame: Device.screen)
        windowScene.windows.append(self)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var rootViewController: UIViewController? {
        didSet {
            for child in children { child.removeFromSuperview() }
            oldValue?.disappear()
            guard let view = rootViewController?.view else { return }
            view.setFrame(frame)
            addSubview(view)
        }
    }

    open func makeKeyAndVisible() {
        isKey = true
    }

    override var windowOfResponder: UIWindow? { self }

    /// What the system does before it shows the next frame.
    func layOutAndShow() {
        rootViewController?.appear()
        presented?.appear()
        while needsLayout {
            needsLayout = false
            for child in children where child.controller != nil {
                var pass = LayoutPass(child)
                pass.run()
                for case let table as UITableView in child.subtree { table.layOutRows() }
            }
            Device.note("layout ends")
        }
        Device.note("frame")
    }
}

@MainActor
open class UIScene: UIResponder {
    @MainActor
    open class ConnectionOptions: NSObject {}
}

@MainActor
open class UIWindowScene: UIScene {
    var windows: [UIWindow] = []
}

@MainActor
open class UISceneSession: NSObject {
    /// Apple: kept for as long as the session is.
    open var userInfo: [String: Any]?
}

@MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )
    func sceneWillEnterForeground(_ scene: UIScene)
    func sceneDidBecomeActive(_ scene: UIScene)
    func sceneWillResignActive(_ scene: UIScene)
    func sceneDidEnterBackground(_ scene: UIScene)
    func sceneDidDisconnect(_ scene: UIScene)
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
}

/// Apple: the methods are optional.
extension UISceneDelegate {
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    public func sceneWillResignActive(_ scene: UIScene) {}
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    public func sceneDidDisconnect(_ scene: UIScene) {}
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
}

@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }
    func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    )
}

/// Apple: the method is optional.
extension UIWindowSceneDelegate {
    public func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) { completionHandler(false) }
}
