import Dispatch
import Foundation
import MemoCore
import MemoDoors
import MemoKit
import MemoTexts
import OutboxCore
import Store
import UserNotifications

/// Tells the person once of each memo that did not arrive, by a notification without the memo's text, whose
/// button sends the memo again.
///
/// ``FailureNoticeRule`` says when. The rest:
///
/// 1. A notification has the memo's identifier: the system shows no second one beside it. The box notes what
///    was told when the system has taken the notification. An app that is killed in between finds it shown.
/// 2. A memo that the person has seen in the history gets none, and loses the one that it had.
/// 3. The button is a door: the memo leaves whether the app is in front, suspended or not running.
/// 4. In front, a notification is added to the system's list without a banner: the compose screen says
///    the same below the field.
///
/// | failure | outcome |
/// |---|---|
/// | the box cannot be opened, or the system does not take a notification | the next round tells |
/// | the person refuses | nobody is asked again; field and history tell |
/// | the memo cannot be sent again, or was sent again meanwhile | the history tells |
/// | killed between the notification and the note, and the person has dismissed it meanwhile | it is shown again |
@MainActor
final class FailureNotices {
    /// The most notifications of one look. The next look tells of the rest.
    nonisolated static let most = 20
    /// The category of the notifications that have a button, and the button.
    private static let category = "failure"
    private static let button = "send-again"

    private let box: BoxQueue
    private let language: Store<Language>
    private let door: MemoDoor
    private let doors: DoorEvents
    private let windows: AppWindows
    private lazy var responder = NoticeResponder { [weak self] answer, then in
        guard let self else { return then() }
        answered(answer, then)
    }
    private var subscription: Subscription?
    /// The look that runs, after which the next one begins.
    private var looking: Task<Void, Never>?

    /// - Parameters:
    ///   - language: The language of the notifications.
    ///   - door: Sends a memo again, by a box of its own.
    ///   - doors: Hears of a memo that was sent again.
    ///   - windows: Show the history.
    init(
        box: BoxQueue,
        language: Store<Language>,
        door: MemoDoor,
        doors: DoorEvents,
        windows: AppWindows
    ) {
        self.box = box
        self.language = language
        self.door = door
        self.doors = doors
        self.windows = windows
    }

    // MARK: Events

    /// The app is launching: a notification may be what it is launched for.
    func launched() {
        let center = UNUserNotificationCenter.current()
        center.delegate = responder
        subscription = language.sinkState { changes in
            MainActor.assumeIsolated { Self.setCategory(in: changes.current) }
        }
    }

    /// Tells of what has failed, or asks for permission. Returns when the system has the notifications; a
    /// person's answer to the question leads to another look.
    ///
    /// - Parameter isInFront: Says whether the app is on the screen.
    func look(isInFront: @escaping @MainActor () -> Bool) async {
        let earlier = looking
        let task = Task { [weak self] in
            await earlier?.value
            guard !Task.isCancelled else { return }
            await self?.lookNow(isInFront: isInFront)
        }
        looking = task
        await task.value
    }

    /// The person has seen in the history that these memos did not arrive.
    func seen(_ ids: [OperationID]) {
        guard !ids.isEmpty else { return }
        UNUserNotificationCenter.current()
            .removeDeliveredNotifications(withIdentifiers: ids.map(\.name))
    }

    private func answered(_ answer: NoticeAnswer, _ then: @escaping @Sendable () -> Void) {
        guard let id = OperationID(text: answer.notice.utf8) else { return then() }
        switch answer.action {
        case Self.button:
            // The system lets the process run until `then` is called.
            Task { [door, doors] in
                // What cannot be sent again stays in the history, which says why.
                if (try? await door.sendAgain(id)) != nil { doors.post(.memoStored) }
                then()
            }
        case UNNotificationDefaultActionIdentifier:
            windows.showHistory()
            then()
        default: then()
        }
    }

    // MARK: Telling

    private func lookNow(isInFront: @escaping @MainActor () -> Bool) async {
        let found = await read { box throws(MemoError) in
            try box.untoldFailures(limit: Self.most)
        }
        guard let found, !found.isEmpty else { return }
        let rule = FailureNoticeRule(permission: await permission())
        switch rule.step(isInFront: isInFront()) {
        case .wait: break
        case .ask: ask(isInFront: isInFront)
        case .tell: await tell(found)
        }
    }

    private func ask(isInFront: @escaping @MainActor () -> Bool) {
        UNUserNotificationCenter.current().requestAuthorization(options: .alert) {
            [weak self] isGranted, _ in
            // On a thread of the system's.
            guard isGranted else { return }
            Task { @MainActor [weak self] in await self?.look(isInFront: isInFront) }
        }
    }

    private func tell(_ found: [MemoFailure]) async {
        let shown = await shown()
        var told: [OperationID] = []
        for failure in found {
            if !shown.contains(failure.id.name) {
                guard await post(request(about: failure)) else { continue }
            }
            told.append(failure.id)
        }
        _ = await read { [told] box throws(MemoError) in try box.noteTold(told) }
    }

    private func request(about failure: MemoFailure) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.body = language.state.string(AppText.notArrived)
        if failure.canBeSentAgain { content.categoryIdentifier = Self.category }
        return UNNotificationRequest(identifier: failure.id.name, content: content, trigger: nil)
    }

    private static func setCategory(in language: Language) {
        let action = UNNotificationAction(
            identifier: button,
            title: language.string(AppText.resend)
        )
        UNUserNotificationCenter.current().setNotificationCategories([
            UNNotificationCategory(identifier: category, actions: [action], intentIdentifiers: [])
        ])
    }

    // MARK: The system

    private func permission() async -> FailureNoticeRule.Permission {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().getNotificationSettings { settings in
                let permission: FailureNoticeRule.Permission =
                    switch settings.authorizationStatus {
                    case .notDetermined: .unasked
                    case .denied: .refused
                    default: .given
                    }
                continuation.resume(returning: permission)
            }
        }
    }

    /// The identifiers of the notifications that the person still sees.
    private func shown() async -> Set<String> {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().getDeliveredNotifications { notifications in
                continuation.resume(returning: Set(notifications.map(\.request.identifier)))
            }
        }
    }

    /// Has the system show a notification.
    ///
    /// - Returns: Whether it has taken the notification.
    private func post(_ request: UNNotificationRequest) async -> Bool {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().add(request) { error in
                continuation.resume(returning: error == nil)
            }
        }
    }

    /// Uses the box; `nil` where that has failed.
    private func read<Value: Sendable>(
        _ work: @escaping @Sendable (MemoBox) throws(MemoError) -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            box.later(work) { continuation.resume(returning: try? $0.get()) }
        }
    }
}

extension OperationID {
    /// The identifier as a text.
    fileprivate var name: String { String(decoding: text, as: UTF8.self) }
}
