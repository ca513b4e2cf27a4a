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
    private var isReading = false

    /// Called when statuses were stored.
    var changed: () -> Void = {}
    /// Called when the relay does not know this token.
    var refused: (_ token: [UInt8]) -> Void = { _ in }

    init(context: AppContext) {
        self.context = context
    }

    /// A memo was handed over.
    func sent() {
        context.host.setTimer(.refresh, Self.afterSending)
    }

    /// Asks for changes, and repeats this while the history is in sight.
    func read() {
        guard !isReading, let token = context.store.state.account.token else { return }
        isReading = true
        // Anew each time: another page may have read further.
        var read = Transaction()
        read.get(Thing.cursor.key, from: .things)
        context.host.perform(read, .read) { answer in
            var cursor: [UInt8] = []
            if case .done(var reader) = answer {
                cursor = Findings(&reader)[0].first?.body ?? []
            }
            self.exchange(token, after: cursor)
        }
    }

    private func exchange(_ token: [UInt8], after cursor: [UInt8]) {
        context.host.exchange(.changes(after: cursor, token: token)) { answer in
            guard case .done(var reader) = answer else { return self.rest() }
            let reply = RelayReply(&reader)
            if reply.refusesToken { self.refused(token) }
            guard let json = reply.success, let changes = json["changes"]?.array,
                let next = json["cursor"]?.string
            else { return self.rest() }
            guard next != cursor else { return self.rest() }
            self.store(changes, next) {
                json["more"]?.bool == true ? self.exchange(token, after: next) : self.rest()
            }
        }
    }

    private func store(_ changes: [JSON], _ cursor: [UInt8], _ then: @escaping () -> Void) {
        var write = Transaction()
        for change in changes {
            guard let id = change["id"]?.string.flatMap({ OperationID(text: $0) }),
                let name = change["status"]?.string,
                let status = HistoryStatus(told: name, reason: change["reason"]?.string)
            else { continue }
            write.setHead(HistoryHead(status).encoded(), of: id.bytes, in: .history)
        }
        write.put(
            Record(key: Thing.cursor.key, head: [0], body: cursor),
            in: .things,
            isSealed: false
        )
        context.host.perform(write, .relaxed) { answer in
            guard answer.isDone else { return self.rest() }
            if !changes.isEmpty { self.changed() }
            then()
        }
    }

    private func rest() {
        isReading = false
        if context.store.state.screen == .history { context.host.setTimer(.refresh, Self.pause) }
    }
}
