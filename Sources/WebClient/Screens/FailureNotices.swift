import MemoCore
import OutboxCore
import StoreCore

/// Tells the person once of each memo that did not arrive, by a notification without the memo's text, whose
/// button sends the memo again.
///
/// 1. A notification goes by its memo's identifier, so that the browser never shows two for one memo.
///    One page or worker at a time tells: the lock `notices`. It notes the memo as known once the browser
///    has taken the notification; a notification that was dismissed does not come again.
/// 2. A memo that the person sees in the history is known, and loses its notification.
/// 3. A memo that is no failure any more is not known: if it fails again, it is told of again.
/// 4. The person is asked for permission by a button of the history, which is there while a memo did not
///    arrive and nobody was asked.
///
/// | failure | outcome |
/// |---|---|
/// | no permission, no notifications in the browser | the line below the field and the history tell |
/// | the browser does not take a notification | the next look tells |
/// | the page ends between the notification and the note | the next look puts it into the place of the first one, or shows it a second time if that was dismissed |
final class FailureNotices {
    private static let lock = utf8("notices")
    /// The most notifications of one look. The next look tells of the rest.
    private static let most = 20

    private let context: AppContext
    private let history: HistoryRepository

    init(context: AppContext) {
        self.context = context
        history = HistoryRepository(host: context.host)
    }

    /// Tells of the failures that the person does not know.
    ///
    /// - Parameter then: Called when they are told, or could not be.
    func look(_ then: @escaping () -> Void = {}) {
        guard let key = context.vault.key else { return then() }
        let host = context.host
        host.takeLock(Self.lock, ifAvailable: false) { lock in
            guard lock.isDone else { return then() }
            let end = {
                host.freeLock(Self.lock)
                then()
            }
            self.history.readFailures({ self.tell($0, $1, key, end) }, orElse: end)
        }
    }

    private func tell(
        _ failures: [Record],
        _ marks: [Record],
        _ key: KeyID,
        _ end: @escaping () -> Void
    ) {
        let isSeen = context.store.state.isHistorySeen
        let (keys, known) = (failures.map { FailureMark.key(of: $0.key) }, marks.map { $0.key })
        var untold: [[UInt8]] = []
        for index in keys.indices where isSeen || untold.count < Self.most {
            if !known.contains(keys[index]) { untold.append(failures[index].key) }
        }
        let past = known.filter { !keys.contains($0) }
        let (shown, language) = (isSeen ? [] : failures, context.store.state.language)
        context.host.notify(of: shown, new: untold, in: language) { permission in
            guard let permission else { return end() }
            let canNotify = permission == .given
            self.show(canNotify, permission == .unasked && !failures.isEmpty)
            let told = isSeen || canNotify ? untold : []
            guard !told.isEmpty || !past.isEmpty else { return end() }
            self.history.note(known: told, past: past, whileKey: key, end)
        }
    }

    private func show(_ canNotify: Bool, _ offers: Bool) {
        let state = context.store.state
        guard state.canNotify != canNotify || state.offersNotices != offers else { return }
        context.change {
            $0.canNotify = canNotify
            $0.offersNotices = offers
        }
    }

    /// Asks the person whether the app may show notifications.
    func ask() {
        context.host.askToNotify { _ in
            self.context.host.ring(.change)
            self.look()
        }
    }
}
