import MemoCore
import MemoTexts
import OutboxCore
import StoreCore

/// Looks at the memos that wait, and at those that did not arrive, and says what a person has not
/// heard or seen of them.
///
/// A failure is seen when the history is opened. The number of the seen failures is stored, so that
/// a page that is opened later says the same; a failure that is deleted, or sent again, is none.
final class Waiting {
    private let context: AppContext
    private let history: HistoryRepository
    private let notices: FailureNotices
    private var rule = WaitingRule()
    private var hadFailures = false

    init(context: AppContext, notices: FailureNotices) {
        self.context = context
        self.notices = notices
        history = HistoryRepository(host: context.host)
    }

    /// Looks at the oldest operation, in any state, and counts the failures of the history.
    func look() {
        history.readNews { news in
            self.found(news.oldest)
            self.found(failures: news.failures, seen: news.seen)
        }
    }

    private func found(_ oldest: Record?) {
        let time = oldest.flatMap { OperationID(bytes: $0.key)?.time }
        let now = context.clock.now
        let isLate = time.map { WaitingRule.isLate(since: $0, now: now) } ?? false
        let backlog: Backlog = isLate ? .late : time == nil ? .none : .waiting
        let lastError = oldest.flatMap { QueueEntry($0).reason }
        let state = context.store.state
        if state.backlog != backlog || state.lastError != lastError {
            context.change {
                $0.backlog = backlog
                $0.lastError = lastError
            }
        }
        if rule.looked(oldest: time, now: now) {
            context.say(.waitingLong, tone: .warning, action: .showQueue, about: .late)
        }
        if backlog != .late { context.end(.late) }
        if backlog == .none || state.account.token != nil { context.end(.unsent) }
        if state.account.token != nil { context.end(.account) }
        context.host.setTimer(.warning, rule.nextLook(oldest: time, now: now)?.count)
    }

    private func found(failures: Int, seen record: Record?) {
        var seen = Int(truncatingIfNeeded: number(bigEndian: record?.body.prefix(8) ?? []))
        // What was told of a failure that is gone is taken back.
        if failures > 0 || hadFailures { notices.look() }
        hadFailures = failures > 0
        if context.store.state.isHistorySeen || failures < seen {
            if failures != seen {
                context.keepOpenly(.seenFailures, bigEndian(UInt64(failures)))
            }
            seen = failures
        }
        let isUnseen = failures > seen
        guard context.store.state.hasUnseenFailure != isUnseen else { return }
        context.change { $0.hasUnseenFailure = isUnseen }
        guard isUnseen else { return context.end(.failure) }
        context.say(.notArrived, tone: .warning, action: .showHistory, about: .failure)
    }
}
