// What the sources use of UserNotifications, over a notification center that a test looks at, with a person
// who answers the question. What an app may not do ends the process with a sentence.

import Dispatch
@_exported public import Foundation
import Synchronization
@_spi(Device) public import UIKit

public class UNUserNotificationCenter: NSObject {
    private nonisolated(unsafe) static let center = UNUserNotificationCenter()

    public class func current() -> UNUserNotificationCenter { center }

    public weak var delegate: (any UNUserNotificationCenterDelegate)? {
        didSet {
            guard delegate == nil || Device.isLaunching else {
                fatalError("the delegate is set after the launch: the system drops what a person did")
            }
        }
    }

    public func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        guard options.contains(.alert) else { fatalError("a permission for nothing is asked for") }
        // An ended process asks nobody.
        guard Device.isRunning else { return }
        let isNew = notices.withLock { $0.status == .notDetermined }
        guard !isNew || Device.isInFrontNow else {
            fatalError("the question for permission stands over nothing: the app is not in front")
        }
        let answer = notices.withLock { center -> Bool? in
            guard isNew else { return center.status == .authorized }
            center.questions += 1
            center.asked = completionHandler
            guard let answer = center.answer else { return nil }
            center.status = answer ? .authorized : .denied
            center.asked = nil
            return answer
        }
        guard let answer else { return }
        Notices.thread.async { completionHandler(answer, nil) }
    }

    public func getNotificationSettings(
        completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void
    ) {
        let status = notices.withLock { center in
            center.looks += 1
            return center.status
        }
        Notices.thread.async { completionHandler(UNNotificationSettings(status)) }
    }

    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        notices.withLock { center in
            center.categories = [:]
            for category in categories {
                center.categories[category.identifier] = category.actions.map {
                    Notices.Action(identifier: $0.identifier, title: $0.title)
                }
            }
        }
    }

    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard !request.content.body.isEmpty else { fatalError("a notification says nothing") }
        let notice = Notice(request)
        let isShown = notices.withLock { center in
            guard center.status == .authorized else { return false }
            center.shown[notice.identifier] = notice
            center.posts[notice.identifier, default: 0] += 1
            return true
        }
        Notices.thread.async { completionHandler?(isShown ? nil : NotAllowed()) }
        guard isShown, Device.isInFrontNow, let delegate else { return }
        nonisolated(unsafe) let center = self
        nonisolated(unsafe) let asked = delegate
        Notices.thread.async {
            asked.userNotificationCenter(
                center,
                willPresent: UNNotification(notice),
                withCompletionHandler: { options in
                    notices.withLock { $0.presented[notice.identifier] = options }
                }
            )
        }
    }

    public func getDeliveredNotifications(
        completionHandler: @escaping @Sendable ([UNNotification]) -> Void
    ) {
        let shown = notices.withLock { Array($0.shown.values) }
        Notices.thread.async { completionHandler(shown.map { UNNotification($0) }) }
    }

    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        notices.withLock { center in
            for identifier in identifiers { center.shown[identifier] = nil }
        }
    }
}

private struct NotAllowed: Error {}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    )

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    )
}

/// Apple: the methods are optional.
extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) { completionHandler([]) }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) { completionHandler() }
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static var alert: UNAuthorizationOptions { UNAuthorizationOptions(rawValue: 1 << 2) }
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static var list: UNNotificationPresentationOptions {
        UNNotificationPresentationOptions(rawValue: 1 << 3)
    }
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }
}

public enum UNAuthorizationStatus: Sendable {
    case notDetermined
    case denied
    case authorized
}

public class UNNotificationSettings: NSObject {
    private let status: UNAuthorizationStatus

    init(_ status: UNAuthorizationStatus) {
        self.status = status
    }

    public var authorizationStatus: UNAuthorizationStatus { status }
}

public class UNNotificationAction: NSObject {
    let identifier: String
    let title: String

    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        (self.identifier, self.title) = (identifier, title)
    }
}

public class UNNotificationCategory: NSObject {
    let identifier: String
    let actions: [UNNotificationAction]

    public init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        (self.identifier, self.actions) = (identifier, actions)
    }
}

public class UNNotificationContent: NSObject {
    fileprivate final var text = ""
    fileprivate final var category = ""

    public var body: String { text }
    public var categoryIdentifier: String { category }
}

public class UNMutableNotificationContent: UNNotificationContent {
    override public var body: String {
        get { text }
        set { text = newValue }
    }

    override public var categoryIdentifier: String {
        get { category }
        set { category = newValue }
    }
}

/// Apple: when a notification is shown. Without one, at once.
public class UNNotificationTrigger: NSObject {}

public class UNNotificationRequest: NSObject {
    private let name: String
    let content: UNNotificationContent

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?)
    {
        (name, self.content) = (identifier, content)
    }

    public var identifier: String { name }
}

public class UNNotification: NSObject {
    private let notice: Notice

    init(_ notice: Notice) {
        self.notice = notice
    }

    public var request: UNNotificationRequest {
        let content = UNMutableNotificationContent()
        (content.body, content.categoryIdentifier) = (notice.body, notice.category)
        return UNNotificationRequest(
            identifier: notice.identifier,
            content: content,
            trigger: nil
        )
    }
}

public class UNNotificationResponse: NSObject {
    private let notice: Notice
    private let action: String

    init(_ notice: Notice, _ action: String) {
        (self.notice, self.action) = (notice, action)
    }

    public var notification: UNNotification { UNNotification(notice) }
    public var actionIdentifier: String { action }
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"

/// A notification as the person sees it.
@_spi(Device) public struct Notice: Hashable, Sendable {
    public let identifier: String
    public let body: String
    public let category: String

    init(_ request: UNNotificationRequest) {
        identifier = request.identifier
        body = request.content.body
        category = request.content.categoryIdentifier
    }
}

/// The notifications of the app, and the person's answer to its question.
private struct Notices: Sendable {
    struct Action: Sendable {
        let identifier: String
        let title: String
    }

    /// Apple: the handlers may run on a background thread.
    static let thread = DispatchQueue(label: "UNUserNotificationCenter")

    var status = UNAuthorizationStatus.notDetermined
    var answer: Bool? = true
    var asked: (@Sendable (Bool, (any Error)?) -> Void)?
    var questions = 0
    var looks = 0
    var isHeld = false
    var categories: [String: [Action]] = [:]
    var shown: [String: Notice] = [:]
    var posts: [String: Int] = [:]
    var presented: [String: UNNotificationPresentationOptions] = [:]
}

private let notices = Mutex(Notices())

extension Device {
    /// The notifications that the person sees.
    @_spi(Device) public static var notifications: [Notice] {
        notices.withLock { $0.shown.values.sorted { $0.identifier < $1.identifier } }
    }

    /// How often each notification was posted.
    @_spi(Device) public static var posts: [String: Int] { notices.withLock { $0.posts } }

    /// How the app, in front, had a notification shown.
    @_spi(Device) public static func presentation(
        of identifier: String
    ) -> UNNotificationPresentationOptions? {
        notices.withLock { $0.presented[identifier] }
    }

    /// How often the person was asked for permission.
    @_spi(Device) public static var permissionQuestions: Int { notices.withLock { $0.questions } }

    /// How often the app has asked for its permission without the person.
    @_spi(Device) public static var permissionLooks: Int { notices.withLock { $0.looks } }

    /// Holds the system's answers to the app back.
    @_spi(Device) public static func holdNotificationAnswers() {
        let isHeld = notices.withLock { center in
            defer { center.isHeld = true }
            return center.isHeld
        }
        guard !isHeld else { return }
        Notices.thread.suspend()
    }

    /// Lets the answers go that were held back. The app has them when this returns.
    @_spi(Device) public static func letNotificationAnswersGo() {
        let isHeld = notices.withLock { center in
            defer { center.isHeld = false }
            return center.isHeld
        }
        guard isHeld else { return }
        Notices.thread.resume()
        Notices.thread.sync {}
    }

    /// What the person will answer; `nil` for a question that stays open.
    @_spi(Device) public static var permissionAnswer: Bool? {
        get { notices.withLock { $0.answer } }
        set { notices.withLock { $0.answer = newValue } }
    }

    /// The person answers the open question, or changes the answer in the system's settings.
    @_spi(Device) public static func permit(_ isPermitted: Bool) {
        let asked = notices.withLock { center in
            center.status = isPermitted ? .authorized : .denied
            return center.asked.take()
        }
        Notices.thread.async { asked?(isPermitted, nil) }
    }

    /// The titles of a notification's buttons.
    @_spi(Device) public static func buttons(of notice: Notice) -> [String] {
        guard !notice.category.isEmpty else { return [] }
        guard let actions = notices.withLock({ $0.categories[notice.category] }) else {
            fatalError("nobody has set the category \(notice.category)")
        }
        return actions.map(\.title)
    }

    /// The person presses a button of a notification, which is gone then.
    @_spi(Device) public static func press(_ title: String, of notice: Notice) async {
        let actions = notices.withLock { $0.categories[notice.category] } ?? []
        guard let action = actions.first(where: { $0.title == title }) else {
            fatalError("the notification has no button \(title)")
        }
        await respond(to: notice, action.identifier)
    }

    /// The person taps a notification: the app comes to the front, and the notification is gone.
    @_spi(Device) public static func tap(_ notice: Notice) async {
        await respond(to: notice, UNNotificationDefaultActionIdentifier)
    }

    private static func respond(to notice: Notice, _ action: String) async {
        notices.withLock { $0.shown[notice.identifier] = nil }
        guard let delegate = UNUserNotificationCenter.current().delegate else {
            fatalError("nobody hears what the person did with a notification")
        }
        await withCheckedContinuation { continuation in
            nonisolated(unsafe) let asked = delegate
            Notices.thread.async {
                asked.userNotificationCenter(
                    .current(),
                    didReceive: UNNotificationResponse(notice, action),
                    withCompletionHandler: { continuation.resume() }
                )
            }
        }
    }

    /// The person dismisses a notification.
    @_spi(Device) public static func dismiss(_ notice: Notice) {
        notices.withLock { $0.shown[notice.identifier] = nil }
    }

    /// A device on which nobody was asked, without a notification.
    @_spi(Device) public static func forgetNotifications() {
        letNotificationAnswersGo()
        notices.withLock { $0 = Notices() }
    }
}
