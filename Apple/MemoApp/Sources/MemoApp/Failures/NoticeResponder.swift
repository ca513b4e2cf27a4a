import Dispatch
import Foundation
import UserNotifications

/// What a person did with a notification.
struct NoticeAnswer: Sendable {
    /// The identifier of the notification.
    let notice: String
    /// The identifier of the button, or the system's for a tap on the notification itself.
    let action: String
}

/// Hears from the system, on its threads, what a person did with a notification.
final class NoticeResponder: NSObject, UNUserNotificationCenterDelegate {
    private let answered: @MainActor (NoticeAnswer, @escaping @Sendable () -> Void) -> Void

    /// - Parameter answered: Called on the main thread, with a function to be called when all is done.
    init(
        answered: @escaping @MainActor (NoticeAnswer, @escaping @Sendable () -> Void) -> Void
    ) {
        self.answered = answered
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler(.list)
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let answer = NoticeAnswer(
            notice: response.notification.request.identifier,
            action: response.actionIdentifier
        )
        DispatchQueue.main.async { [answered] in
            MainActor.assumeIsolated { answered(answer, completionHandler) }
        }
    }
}
