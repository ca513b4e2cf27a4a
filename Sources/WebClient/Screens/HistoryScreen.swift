import MemoCore
import MemoTexts
import OutboxCore
import StoreCore

/// The memos that were sent from this browser, by identifier, a page at a time.
final class HistoryScreen {
    private static let page: UInt32 = 50

    private let context: AppContext
    private let history: HistoryRepository
    private let compose: Compose
    private var isReading = false
    private var isStale = false

    init(context: AppContext, compose: Compose) {
        self.context = context
        history = HistoryRepository(host: context.host)
        self.compose = compose
    }

    /// Reads the latest page, or the shown entries again.
    func open() {
        let shown = UInt32(context.store.state.history.count)
        read(before: [], limit: max(Self.page, shown))
    }

    /// Forgets the entries, which are not needed while typing.
    func close() {
        context.change { state in
            state.history.removeAll()
            state.historyState = HistoryState()
        }
    }

    func showMore() {
        guard let oldest = context.store.state.history.last else { return open() }
        read(before: oldest.id.bytes, limit: Self.page)
    }

    /// Reads again after a change of stored records, if the screen is open.
    func changed() {
        guard context.store.state.screen == .history else { return }
        guard isReading else { return open() }
        isStale = true
    }

    private func read(before end: [UInt8], limit: UInt32) {
        guard !isReading else { return }
        isReading = true
        history.read(before: end, limit: limit + 1, operations: Self.page) { records, waiting in
            let hasMore = records.count > Int(limit)
            let shown = Array(records.prefix(Int(limit)))
            self.show(shown, waiting, isStart: end.isEmpty, hasMore)
        } orElse: {
            self.isReading = false
            self.context.say(.storageUnavailable, tone: .error)
        }
    }

    private func show(
        _ records: [Record],
        _ waiting: [QueueEntry],
        isStart: Bool,
        _ hasMore: Bool
    ) {
        let found = records.compactMap { record in
            OperationID(bytes: record.key).map { (id: $0, record: record) }
        }
        context.vault.openTexts(found.map { ($0.id, $0.record.body) }) { texts in
            self.isReading = false
            self.context.change { state in
                guard state.screen == .history else { return }
                let whole = state.history.filter { $0.isWhole }
                if isStart { state.history.removeAll() }
                for index in found.indices {
                    let (id, record) = found[index]
                    state.history.append(
                        HistoryEntry(
                            id: id,
                            status: HistoryHead(decoding: record.head)?.status ?? .unknown([]),
                            text: texts[index],
                            waits: waiting.first { $0.key == record.key }?.texts.reason,
                            isWhole: whole.contains { $0.id == id }
                        )
                    )
                }
                state.historyState = HistoryState(isLoaded: true, hasMore: hasMore)
            }
            if self.isStale {
                self.isStale = false
                self.open()
            }
        }
    }

    // MARK: Entries

    func copy(_ entry: HistoryEntry) {
        guard let text = entry.text else { return context.say(.copyFailed, tone: .error) }
        context.host.copy(text) { answer in
            answer.isDone ? self.context.say(.copied) : self.context.say(.copyFailed, tone: .error)
        }
    }

    /// Sends a memo that did not arrive once more. No other memo can be doubled.
    func resend(_ entry: HistoryEntry) {
        guard entry.status.isReplacedByResending else { return }
        guard let text = entry.text else { return context.say(.memoUnreadable, tone: .error) }
        compose.resend(text, replacing: entry.id)
    }

    /// Shows all of a long memo.
    func showWhole(_ entry: HistoryEntry) {
        context.change { state in
            for index in state.history.indices where state.history[index].id == entry.id {
                state.history[index].isWhole = true
            }
        }
    }

    /// Asks for confirmation.
    func askToDelete(_ entry: HistoryEntry) {
        let isQueued =
            switch entry.status {
            case .queued, .quarantined: true
            case .sent, .delivered, .bounced, .expired, .refused, .deleted, .resent, .unknown:
                false
            }
        context.change { $0.dialog = .delete(entry.id, isQueued: isQueued) }
    }
}

extension OperationID {
    /// The time when the identifier was made, in milliseconds. The history entry is bound to it.
    var time: WallTime { WallTime(millisecondsSinceEpoch: Int64(high >> 16)) }
}
