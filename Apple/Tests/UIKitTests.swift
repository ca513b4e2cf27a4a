import Testing
@_spi(Device) import UIKit

extension OneDevice {
    /// The stand-in of UIKit: an app's tests are worth no more than it.
    @MainActor
    @Suite("The stand-in of UIKit")
    struct UIKitTests {
        init() {
            Device.reset()
        }

        @Test("a text view becomes first responder in a key window, and nowhere else")
        func firstResponder() {
            let field = UITextView()
            #expect(!field.becomeFirstResponder())
            let window = UIWindow(windowScene: UIWindowScene())
            window.addSubview(field)
            #expect(!field.becomeFirstResponder())
            window.makeKeyAndVisible()
            #expect(field.becomeFirstResponder())
            field.removeFromSuperview()
            #expect(!field.becomeFirstResponder())
        }

        @Test("a launch: the view appears in its window, is laid out, and only then shown")
        func launch() {
            Device.launch(Scene(Screen()))
            #expect(
                Device.journal == [
                    "scene connects", "UITextView is first responder", "view is appearing",
                    "layout ends", "frame", "keyboard stands", "layout ends", "frame",
                ]
            )
        }

        @Test("the layout follows the keyboard, and is mirrored from right to left")
        func layout() {
            let screen = Screen()
            Device.launch(Scene(screen))
            #expect(screen.field.frame == CGRect(x: 8, y: 47, width: 382, height: 417))
            #expect(screen.button.frame == CGRect(x: 0, y: 464, width: 56, height: 44))
            screen.traitOverrides.layoutDirection = .rightToLeft
            Device.showFrame()
            #expect(screen.field.frame == CGRect(x: 0, y: 47, width: 382, height: 417))
            #expect(screen.button.frame == CGRect(x: 334, y: 464, width: 56, height: 44))
        }

        @Test("keys go to the first responder, whose delegate hears of them, and not of a program")
        func keys() {
            let screen = Screen()
            Device.launch(Scene(screen))
            Device.type("ab")
            Device.press(.keyboardReturnOrEnter)
            Device.press(.keyboardReturnOrEnter, .command)
            screen.field.text = "program"
            #expect(screen.heard == ["ab", "ab\n"])
        }

        @Test("a button that is disabled does nothing")
        func buttons() {
            let screen = Screen()
            Device.launch(Scene(screen))
            Device.tap("Send")
            screen.button.isEnabled = false
            Device.tap("Send")
            #expect(screen.taps == 1)
        }

        @Test("a scene leaves and returns")
        func scenes() {
            let scene = Scene(Screen())
            Device.launch(scene)
            Device.leave()
            Device.comeBack()
            #expect(scene.calls == ["active", "inactive", "active"])
        }

        @Test("a view of which the constraints do not say where it is ends the test")
        func undetermined() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                await MainActor.run {
                    let screen = Screen()
                    screen.isComplete = false
                    Device.launch(Scene(screen))
                }
            }
            #expect(result.says("do not say where this is: UITextView, UIButton"))
        }

        @Test("a key that an animation would take ends the test")
        func animation() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                await MainActor.run {
                    let screen = Screen()
                    Device.launch(Scene(screen))
                    UIView.animate(withDuration: 0.25, animations: { screen.field.alpha = 0 })
                    Device.type("lost")
                }
            }
            #expect(result.says("a key is lost"))
        }

        @Test("a background task that outlives its time ends the test")
        func background() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                await MainActor.run {
                    _ = UIApplication.shared.beginBackgroundTask()
                    Device.suspend()
                }
            }
            #expect(result.says("a background task was not ended in time"))
        }

        @Test("a screen that does not call super when it appears ends the test")
        func superCall() async {
            let result = await #expect(
                processExitsWith: .failure,
                observing: [\.standardErrorContent]
            ) {
                await MainActor.run { Device.launch(Scene(Silent(nibName: nil, bundle: nil))) }
            }
            #expect(result.says("viewIsAppearing does not call super"))
        }
    }
}

/// A scene with one screen.
private final class Scene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
    var calls: [String] = []
    private let screen: UIViewController

    init(_ screen: UIViewController) {
        self.screen = screen
    }

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        window = UIWindow(windowScene: scene as! UIWindowScene)
        window?.rootViewController = screen
        window?.makeKeyAndVisible()
    }

    func sceneDidBecomeActive(_ scene: UIScene) { calls.append("active") }
    func sceneWillResignActive(_ scene: UIScene) { calls.append("inactive") }
}

private final class Silent: UIViewController {
    override func viewIsAppearing(_ animated: Bool) {}
}

/// A field above a button above the keyboard.
private final class Screen: UIViewController, UITextViewDelegate {
    let field = UITextView()
    private(set) lazy var button = UIButton(
        configuration: .filled(),
        primaryAction: UIAction { [weak self] _ in self?.taps += 1 }
    )
    var isComplete = true
    var taps = 0
    var heard: [String] = []

    init() {
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewDidLoad() {
        button.configuration?.title = "Send"
        for part in [field, button] {
            part.translatesAutoresizingMaskIntoConstraints = false
            view.addSubview(part)
        }
        field.delegate = self
        let (safe, keyboard) = (view.safeAreaLayoutGuide, view.keyboardLayoutGuide)
        NSLayoutConstraint.activate([
            field.topAnchor.constraint(equalTo: safe.topAnchor, constant: 0),
            field.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: 8),
            field.trailingAnchor.constraint(equalTo: safe.trailingAnchor, constant: 0),
            field.bottomAnchor.constraint(equalTo: button.topAnchor, constant: 0),
            button.bottomAnchor.constraint(equalTo: keyboard.topAnchor, constant: 0),
            button.heightAnchor.constraint(greaterThanOrEqualToConstant: 44),
        ])
        guard isComplete else { return }
        NSLayoutConstraint.activate([
            button.leadingAnchor.constraint(equalTo: safe.leadingAnchor, constant: 0)
        ])
    }

    override func viewIsAppearing(_ animated: Bool) {
        super.viewIsAppearing(animated)
        field.becomeFirstResponder()
    }

    func textViewDidChange(_ textView: UITextView) {
        heard.append(textView.text)
    }
}
