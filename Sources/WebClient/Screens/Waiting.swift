import MemoCore
import OutboxCore
import StoreCore

/// The warning about a memo that has waited for an hour.
final class Waiting {
    private let context: AppContext
    private var rule = WaitingRule()

    init(context: AppContext) {
        self.context = context
    }

    /// Looks at the oldest operation, in any state.
    func look() {
        var read = Transaction()
        read.find(in: .outbox, by: .key, limit: 1, bodies: false)
        context.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer else { return }
            let oldest = Findings(&reader)[0].first.flatMap { OperationID(bytes: $0.key)?.time }
            let now = self.context.clock.now
            if self.rule.looked(oldest: oldest, now: now) {
                self.context.say(.waitingLong, tone: .warning, action: .showQueue)
            } else if oldest == nil, self.context.store.state.notice?.text == .waitingLong {
                self.context.clearNotice()
            }
            self.context.host.setTimer(
                .warning,
                self.rule.nextLook(oldest: oldest, now: now)?.count
            )
        }
    }
}
