import MemoCore
import OutboxCore
import StoreCore

/// The memos that were sent from this browser, by identifier, a page at a time.
final class HistoryScreen {
    private static let page: UInt32 = 50

    private let context: AppContext
    private let compose: Compose
    private var lastRow: UInt32 = 0
    private var isReading = false
    private var isStale = false

    init(context: AppContext, compose: Compose) {
        self.context = context
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
            state.historyOrder.removeAll()
            state.historyState = HistoryState()
        }
    }

    func showMore() {
        guard let oldest = context.store.state.historyOrder.last else { return open() }
        read(before: oldest.rawValue.bytes, limit: Self.page)
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
        var read = Transaction()
        read.find(
            in: .history,
            by: .key,
            to: end,
            descending: true,
            limit: limit + 1,
            bodies: true
        )
        context.host.perform(read, .read) { answer in
            guard case .done(var reader) = answer else {
                self.isReading = false
                return self.context.say(.storageUnavailable, tone: .error)
            }
            let records = Findings(&reader)[0]
            let hasMore = records.count > Int(limit)
            self.show(Array(records.prefix(Int(limit))), isStart: end.isEmpty, hasMore)
        }
    }

    private func show(_ records: [Record], isStart: Bool, _ hasMore: Bool) {
        let found = records.compactMap { record in
            OperationID(bytes: record.key).map { (id: $0, record: record) }
        }
        let sealed = found.map { found in
            (
                binding: SealBinding(
                    id: found.id,
                    kind: .history,
                    createdAt: found.id.time
                ),
                bytes: found.record.body
            )
        }
        context.vault.open(sealed) { opened in
            self.isReading = false
            self.context.change { state in
                guard state.screen == .history else { return }
                var table = isStart ? HistoryTable() : state.history
                if isStart { state.historyOrder.removeAll() }
                for index in found.indices {
                    let id = EntityID<HistoryEntry>(found[index].id)
                    state.historyOrder.append(id)
                    let head = HistoryHead(decoding: found[index].record.head)
                    table.insert(
                        HistoryEntry(
                            id: id,
                            row: state.history[id]?.row ?? self.nextRow(),
                            status: head?.status ?? .unknown([]),
                            text: opened[index].bytes
                        )
                    )
                }
                state.history = table
                state.historyState = HistoryState(isLoaded: true, hasMore: hasMore)
            }
            if self.isStale {
                self.isStale = false
                self.open()
            }
        }
    }

    private func nextRow() -> UInt32 {
        lastRow += 1
        return lastRow
    }

    // MARK: Rows

    private func entry(in row: UInt32) -> HistoryEntry? {
        for entry in context.store.state.history where entry.row == row { return entry }
        return nil
    }

    func copy(_ row: UInt32) {
        guard let text = entry(in: row)?.text else { return context.say(.copyFailed, tone: .error) }
        context.host.copy(text) { answer in
            answer.isDone ? self.context.say(.copied) : self.context.say(.copyFailed, tone: .error)
        }
    }

    func resend(_ row: UInt32) {
        guard let entry = entry(in: row), let text = entry.text else {
            return context.say(.memoUnreadable, tone: .error)
        }
        guard entry.status != .resent else { return }
        compose.resend(
            text,
            replacing: entry.status.isReplacedByResending ? entry.id.rawValue : nil
        )
    }

    /// Asks for confirmation.
    func askToDelete(_ row: UInt32) {
        guard let entry = entry(in: row) else { return }
        let id = entry.id.rawValue
        let isQueued =
            switch entry.status {
            case .queued, .quarantined: true
            case .sent, .delivered, .bounced, .expired, .refused, .deleted, .resent, .unknown:
                false
            }
        context.change { $0.dialog = .delete(id, isQueued: isQueued) }
    }
}

extension OperationID {
    /// The time when the identifier was made, in milliseconds. The history entry is bound to it.
    var time: WallTime { WallTime(millisecondsSinceEpoch: Int64(high >> 16)) }
}
