import MemoCore
import OutboxCore
import StoreCore

/// Follows the statuses of sent memos, by the relay's cursor. The history's statuses and the cursor
/// are stored together, so that no change is missed and none is taken twice.
final class Statuses {
    /// While the history is in sight.
    private static let pause: Int64 = 30_000
    /// After a memo was handed over: mail takes a moment.
    private static let afterSending: Int64 = 5000

    private let context: AppContext
    private let history: HistoryRepository
    private var isReading = false

    init(context: AppContext) {
        self.context = context
        history = HistoryRepository(host: context.host)
    }

    /// A memo was handed over.
    func sent() {
        context.host.setTimer(.refresh, Self.afterSending)
    }

    /// Asks for changes, and repeats this while the history is in sight and the relay may have news
    /// of an entry there.
    func read() {
        guard !isReading, let token = context.store.state.account.token else { return }
        isReading = true
        // Anew each time: another page may have read further.
        history.readCursor { cursor in
            self.exchange(token, after: cursor, pages: ChangesPage.mostAtOnce)
        }
    }

    /// - Parameter pages: How many may be read, this one included.
    private func exchange(_ token: [UInt8], after cursor: [UInt8], pages: Int) {
        context.host.exchange(.changes(after: cursor, token: token)) { exchange in
            guard case .answered(let answer) = exchange else { return self.rest() }
            if answer.refusesToken { self.context.happened(.tokenRefused(token)) }
            guard let page = ChangesPage(answer) else {
                guard !cursor.isEmpty, ChangesPage.isCursorRefused(by: answer) else {
                    return self.rest()
                }
                return self.store([], []) { self.exchange(token, after: [], pages: pages - 1) }
            }
            guard page.cursor != cursor else { return self.rest() }
            self.store(page.changes, page.cursor) {
                page.hasMore && pages > 1
                    ? self.exchange(token, after: page.cursor, pages: pages - 1) : self.rest()
            }
        }
    }

    private func store(_ changes: [MemoChange], _ cursor: [UInt8], _ then: @escaping () -> Void) {
        guard let key = context.vault.key else { return rest() }
        history.store(changes, cursor, whileKey: key) { isStored in
            guard isStored else { return self.rest() }
            if !changes.isEmpty { self.context.happened(.statusesStored) }
            then()
        }
    }

    private func rest() {
        isReading = false
        let state = context.store.state
        guard state.screen == .history else { return }
        let now = context.clock.now
        let isNewsToCome = state.history.contains { entry in
            entry.status.awaitsNews(sentAt: entry.id.time, now: now)
        }
        // Entries that are not on the page yet may need news.
        if isNewsToCome || !state.historyState.isLoaded {
            context.host.setTimer(.refresh, Self.pause)
        }
    }
}
