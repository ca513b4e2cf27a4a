import MemoCore
import OutboxCore
import StoreCore

/// The outbox on the diagnostics screen, and the deletion of memos from outbox and history.
final class QueueScreen {
    /// How many are listed.
    private static let listed: UInt32 = 100
    /// The length of the beginning of a memo that is shown.
    private static let textLength = 200

    private let context: AppContext

    init(context: AppContext) {
        self.context = context
    }

    func read() {
        guard context.store.state.screen == .diagnostics else { return }
        var read = Transaction()
        let operations = read.find(in: .outbox, by: .head, limit: Self.listed, bodies: false)
        let log = read.get(.log)
        context.host.read(read) { found in
            let log = TransitionLog(decoding: found[log]?.body ?? [])
                .merged(with: self.context.host.log)
            self.context.change { $0.log = log.latestFirst }
            self.addTexts(to: found[operations].map { QueueEntry($0) })
        }
    }

    /// Reads the beginnings of the memos from the history.
    private func addTexts(to entries: [QueueEntry]) {
        guard !entries.isEmpty else { return context.change { $0.queue = [] } }
        var read = Transaction()
        let texts = entries.map { read.get($0.key, from: .history) }
        context.host.read(read) { found in
            let sealed = entries.indices.map { index in
                (
                    binding: SealBinding(
                        id: OperationID(bytes: entries[index].key)
                            ?? OperationID(high: 0, low: 0),
                        kind: .history,
                        createdAt: entries[index].createdAt
                    ),
                    bytes: found[texts[index]]?.body ?? []
                )
            }
            self.context.vault.open(sealed) { opened in
                self.context.change { state in
                    state.queue = entries
                    for index in entries.indices {
                        state.queue[index].text = opened[index].bytes
                            .map { start(of: $0, longest: Self.textLength) }
                    }
                }
            }
        }
    }

    /// Adds the transitions of this service worker to those of the service workers before it.
    ///
    /// - Parameter then: Called when they are stored, or could not be.
    func keepTransitions(_ then: @escaping () -> Void) {
        guard !context.host.log.isEmpty else { return then() }
        var read = Transaction()
        let stored = read.get(.log)
        context.host.read(read) { found in
            var log = TransitionLog(decoding: found[stored]?.body ?? [])
            guard log.add(self.context.host.log) else { return then() }
            self.context.keepOpenly(.log, log.encoded()) {
                self.context.host.ring(.change)
                then()
            }
        } orElse: {
            then()
        }
    }

    /// Makes one entry eligible at once, in any state.
    func retry(_ key: [UInt8]) {
        change(key) { head in
            switch head {
            case .queued(let envelope), .parked(let envelope): .queued(envelope.madeEligible())
            case .quarantined(_, let head): OperationHead(decoding: head)
            }
        }
    }

    private func change(
        _ key: [UInt8],
        _ changed: @escaping (OperationHead) -> OperationHead?
    ) {
        var read = Transaction()
        let (operation, entry) = (read.get(key, from: .outbox), read.get(key, from: .history))
        context.host.read(read) { found in
            guard let record = found[operation],
                let head = OperationHead(decoding: record.head), let new = changed(head)
            else { return }
            var write = Transaction()
            write.setHead(new, of: record)
            if let entry = found[entry], let head = HistoryHead(decoding: entry.head) {
                write.setHead(
                    HistoryHead(head.status.following(.queued)).encoded(),
                    of: key,
                    in: .history,
                    ifStill: entry.head
                )
            }
            self.context.host.perform(write, .relaxed) { _ in
                self.context.happened(.operationRequeued)
                self.read()
            }
        }
    }

    /// Asks first.
    func askToDelete(_ entry: QueueEntry) {
        guard let id = OperationID(bytes: entry.key) else { return }
        context.change { $0.dialog = .delete(id, isQueued: true) }
    }

    /// Deletes a memo: from the outbox, so that it is never sent, and from where the person saw it.
    func delete(_ id: OperationID) {
        var write = Transaction()
        write.delete(id.bytes, from: .outbox)
        if context.store.state.screen == .history {
            write.delete(id.bytes, from: .history)
        } else {
            write.setHead(HistoryHead(.deleted).encoded(), of: id.bytes, in: .history)
        }
        context.change { $0.dialog = nil }
        context.host.perform(write, .strict) { answer in
            guard answer.isDone else { return self.context.say(.memoNotStored, tone: .error) }
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
