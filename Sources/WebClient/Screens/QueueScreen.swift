import MemoTexts
import OutboxCore
import StoreCore

/// The outbox on the diagnostics screen, and the deletion of memos from outbox and history.
final class QueueScreen {
    /// How many are listed.
    private static let listed: UInt32 = 100
    /// The length of the beginning of a memo that is shown.
    private static let textLength = 200

    private let context: AppContext
    private let queue: QueueRepository

    init(context: AppContext) {
        self.context = context
        queue = QueueRepository(host: context.host, vault: context.vault)
    }

    func read() {
        guard context.store.state.screen == .diagnostics else { return }
        queue.read(limit: Self.listed) { entries, stored in
            let log = stored.merged(with: self.context.host.log)
            self.context.change { $0.log = log.latestFirst }
            self.addTexts(to: entries)
        }
    }

    /// Reads the beginnings of the memos from the history.
    private func addTexts(to entries: [QueueEntry]) {
        guard !entries.isEmpty else { return context.change { $0.queue = [] } }
        queue.readTexts(of: entries) { texts in
            self.context.change { state in
                state.queue = entries
                for index in entries.indices {
                    state.queue[index].text = texts[index]
                        .map { start(of: $0, longest: Self.textLength) }
                }
            }
        }
    }

    /// Adds the transitions of this service worker to those of the service workers before it.
    ///
    /// - Parameter then: Called when they are stored, or could not be.
    func keepTransitions(_ then: @escaping () -> Void) {
        guard !context.host.log.isEmpty else { return then() }
        queue.readLog { log in
            guard var log, log.add(self.context.host.log) else { return then() }
            self.context.keepOpenly(.log, log.encoded()) {
                self.context.host.ring(.change)
                then()
            }
        }
    }

    /// Makes one entry eligible at once, in any state.
    ///
    /// - Parameter then: Gets whether it is eligible.
    func retry(_ key: [UInt8], _ then: @escaping (Bool) -> Void = { _ in }) {
        queue.requeue(key) { head in
            switch head {
            case .queued(let envelope), .parked(let envelope): .queued(envelope.madeEligible())
            case .quarantined(_, let head): OperationHead(decoding: head)
            }
        } _: { isDone in
            if isDone { self.context.happened(.operationRequeued) }
            self.read()
            then(isDone)
        }
    }

    /// Asks first.
    func askToDelete(_ entry: QueueEntry) {
        guard let id = OperationID(bytes: entry.key) else { return }
        context.change { $0.dialog = .delete(id, isQueued: true) }
    }

    /// Deletes a memo: from the outbox, so that it is never sent, and from where the person saw it.
    func delete(_ id: OperationID) {
        let isHistory = context.store.state.screen == .history
        context.change { $0.dialog = nil }
        queue.delete(id, fromHistory: isHistory) { isDone in
            guard isDone else { return self.context.say(.memoNotStored, tone: .error) }
            self.context.say(.statusDeleted)
            // The button that had the focus is about to go.
            let isHistory = self.context.store.state.screen == .history
            self.context.host.focus(Element(isHistory ? .historyTitle : .diagnosticsTitle))
            self.context.host.ring(.change)
            self.context.happened(.memoDeleted)
        }
    }
}

extension QueueEntry {
    init(_ record: Record) {
        key = record.key
        createdAt = OperationID(bytes: record.key)?.time ?? .distantPast
        switch OperationHead(decoding: record.head) {
        case .queued(let envelope):
            state = .queued
            reason = envelope.lastError
            attempts = envelope.attemptCount
            nextAttemptAt = envelope.nextEligibleAt == .distantPast ? nil : envelope.nextEligibleAt
        case .parked(let envelope):
            state = .parked
            reason = envelope.lastError
            attempts = envelope.attemptCount
        case .quarantined(let why, _):
            state = .quarantined
            reason = why
        case nil:
            state = .quarantined
        }
    }
}
