import MemoCore
import OutboxCore
import StoreCore

/// Asks the relay what became of sent memos, and stores the answer, as a ``NewsCourse`` says.
///
/// Of two pages that ask at once, the later one to store may store the earlier changes. Their cursor
/// is stored with them, so the next question brings the later ones again.
final class Statuses {
    private let context: AppContext
    private let history: HistoryRepository
    private var course = NewsCourse()

    init(context: AppContext) {
        self.context = context
        history = HistoryRepository(host: context.host)
    }

    func tell(_ event: NewsCourse.Event) {
        let now = context.clock.microseconds / 1000
        let effect = course.handle(event, now: Milliseconds(now))
        context.host.setTimer(.refresh, course.due.map { max(0, $0.count - now) })
        if let effect { perform(effect) }
    }

    private func perform(_ effect: NewsCourse.Effect) {
        guard let token = context.store.state.account.token else { return tell(.failed) }
        switch effect {
        case .find(let statuses):
            history.findNews(of: statuses, now: context.clock.now) { cursor in
                self.tell(.found(cursor: cursor))
            }
        case .ask(let cursor):
            context.host.exchange(.changes(after: cursor, token: token)) { exchange in
                guard case .answered(let answer) = exchange else { return self.tell(.failed) }
                if answer.refusesToken { self.context.happened(.tokenRefused(token)) }
                self.tell(.answered(answer))
            }
        case .store(let changes, let cursor, _):
            guard let key = context.vault.key else { return tell(.failed) }
            history.store(changes, cursor, whileKey: key) { isStored in
                if isStored, !changes.isEmpty { self.context.happened(.statusesStored) }
                self.tell(isStored ? .stored : .failed)
            }
        case .end: break
        }
    }
}
