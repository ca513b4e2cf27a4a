import MemoCore
import OutboxCore
import StoreCore

/// The one warning, when something has waited for an hour.
final class Waiting {
    private let desk: Desk
    private var rule = WaitingRule()

    init(desk: Desk) {
        self.desk = desk
    }

    /// Looks at the oldest operation, whatever its state.
    func look() {
        var read = Transaction()
        read.find(in: .outbox, by: .key, limit: 1, bodies: false)
        desk.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer else { return }
            let oldest = Findings(&reader)[0].first.flatMap { OperationID(bytes: $0.key)?.time }
            let now = self.desk.clock.now
            if self.rule.looked(oldest: oldest, now: now) {
                self.desk.say(.waitingLong, tone: .warning, action: .showQueue)
            } else if oldest == nil, self.desk.store.state.notice?.text == .waitingLong {
                self.desk.clearNotice()
            }
            self.desk.host.setTimer(
                .warning,
                self.rule.nextLook(oldest: oldest, now: now)?.count
            )
        }
    }
}
