// The windows of the app: a scene for each, and the session by which the system knows the window from one
// launch to the next.

extension Device {
    struct ConnectedScene {
        let scene: UIWindowScene
        let session: UISceneSession
        let delegate: any UIWindowSceneDelegate
        var isInFront = false
    }

    /// The connected scenes, in the order in which they were opened.
    static var scenes: [ConnectedScene] = []
    /// The windows that the person has not closed, with those whose scenes are not connected.
    static var sessions: [UISceneSession] = []
    /// Whether the device shows several windows of an app.
    public static var hasWindows = false
    private static var usedSession: UISceneSession?

    /// The scene that the person uses.
    static var used: UIWindowScene? { scenes.first { $0.session === usedSession }?.scene }

    static func forgetWindows() {
        (sessions, usedSession, hasWindows) = ([], nil, false)
    }

    /// Launches the app by its scene, until the first frame is shown: by that of the window that was opened
    /// first, or of a new one.
    public static func launch(_ delegate: any UIWindowSceneDelegate) {
        if sessions.isEmpty { sessions = [UISceneSession()] }
        connect(delegate, 0)
    }

    /// Opens a new window beside the others, and uses it.
    ///
    /// - Returns: The number of the window.
    @discardableResult
    public static func open(_ delegate: any UIWindowSceneDelegate) -> Int {
        guard hasWindows else { fatalError("this device shows one window of an app") }
        sessions.append(UISceneSession())
        connect(delegate, sessions.count - 1)
        return sessions.count - 1
    }

    /// Shows a window that was open before, and uses it.
    public static func connect(_ delegate: any UIWindowSceneDelegate, _ number: Int) {
        let scene = UIWindowScene()
        let session = sessions[number]
        guard !scenes.contains(where: { $0.session === session }) else {
            fatalError("the window \(number) has a scene")
        }
        scenes.append(ConnectedScene(scene: scene, session: session, delegate: delegate))
        usedSession = session
        note("scene connects")
        delegate.scene(scene, willConnectTo: session, options: UIScene.ConnectionOptions())
        guard delegate.window?.isKey == true else {
            fatalError("nothing is on the screen: no window was made key and visible")
        }
        come(scenes.count - 1)
        showFrame()
    }

    /// Uses another window that is on the screen.
    public static func use(_ number: Int) {
        usedSession = sessions[number]
        guard used != nil else { fatalError("the window \(number) is not on the screen") }
        showFrame()
    }

    /// The person goes to another app.
    public static func leave() {
        for index in scenes.indices where scenes[index].isInFront { go(index) }
        noteLeft()
    }

    /// The window that the person uses goes off the screen; others stay.
    public static func leaveWindow() {
        guard let index = scenes.firstIndex(where: { $0.session === usedSession }) else {
            fatalError("no window is used")
        }
        go(index)
        if !scenes.contains(where: \.isInFront) { noteLeft() }
    }

    private static func go(_ index: Int) {
        let scene = scenes[index]
        scene.delegate.sceneWillResignActive(scene.scene)
        note("scene leaves")
        showFrame()
        scenes[index].isInFront = false
        scene.delegate.sceneDidEnterBackground(scene.scene)
    }

    /// The person comes back, to all windows.
    public static func comeBack() {
        for index in scenes.indices where !scenes[index].isInFront {
            come(index)
            note("scene returns")
        }
        showFrame()
    }

    private static func come(_ index: Int, through door: (ConnectedScene) -> Void = { _ in }) {
        let scene = scenes[index]
        noteFront()
        let isBack = !scenes[index].isInFront
        scenes[index].isInFront = true
        if isBack { scene.delegate.sceneWillEnterForeground(scene.scene) }
        door(scene)
        if isBack { scene.delegate.sceneDidBecomeActive(scene.scene) }
    }

    // MARK: Doors

    /// The way by which a person comes to the app, from the home or lock screen.
    public enum Door: CaseIterable, Sendable {
        /// The quick action of the app's icon.
        case quickAction
        /// A widget, whose URL the app gets.
        case widget
    }

    /// The person comes back to the window used last by one of its doors.
    public static func comeBack(by door: Door) {
        guard let index = scenes.firstIndex(where: { $0.session === usedSession }) else {
            fatalError("no window is there: the system launches the app")
        }
        come(index) { scene in
            switch door {
            case .quickAction:
                var isDone = false
                scene.delegate.windowScene(
                    scene.scene,
                    performActionFor: UIApplicationShortcutItem()
                ) { isDone = $0 }
                guard isDone else { fatalError("the quick action was not performed") }
            case .widget: scene.delegate.scene(scene.scene, openURLContexts: [UIOpenURLContext()])
            }
        }
        showFrame()
    }

    // MARK: Extensions

    /// Runs the extension whose screen this is, for a request of another app.
    public static func run(_ controller: UIViewController, for request: NSExtensionContext) {
        controller.request = request
        let window = UIWindow(windowScene: extensionScene)
        window.rootViewController = controller
        window.makeKeyAndVisible()
        window.layOutAndShow()
        extensionWindow = window
    }

    private static let extensionScene = UIWindowScene()
    /// The window of the extension that runs.
    static var extensionWindow: UIWindow?

    /// The alert of the extension, and what it says; `nil` for none.
    public static var extensionAlert: String? {
        (extensionWindow?.presented as? UIAlertController)?.question.message
    }

    /// Answers the alert of the extension.
    public static func answerExtension() {
        guard let alert = extensionWindow?.presented as? UIAlertController,
            let action = alert.offered.first
        else { fatalError("the extension shows no alert") }
        extensionWindow?.presented = nil
        action.act?(action)
    }

    /// The system lets go of the scene of a window that is off the screen, and keeps its session.
    public static func disconnect(_ number: Int) {
        let session = sessions[number]
        guard let index = scenes.firstIndex(where: { $0.session === session }) else { return }
        guard !scenes[index].isInFront else { fatalError("a scene on the screen is connected") }
        let scene = scenes.remove(at: index)
        scene.delegate.sceneDidDisconnect(scene.scene)
        note("scene disconnects")
        if usedSession === session { usedSession = scenes.last?.session }
    }

    /// The person closes a window. The numbers of those behind it count down.
    ///
    /// - Parameter isTold: Whether the app hears first that the window leaves the screen.
    public static func close(_ number: Int, isTold: Bool = true) {
        let session = sessions[number]
        let index = scenes.firstIndex { $0.session === session && $0.isInFront }
        if let index {
            if isTold { go(index) }
            scenes[index].isInFront = false
        }
        disconnect(number)
        if index != nil, !scenes.contains(where: \.isInFront) { noteLeft() }
        sessions.remove(at: number)
    }
}
