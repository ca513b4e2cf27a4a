import MemoCore
import MemoSyncCore
import MemoTexts
import OutboxCore
import StoreCore
import SyncCore
import WireCore

/// The memos of the person, by identifier, a page at a time: with their texts those that were sent from this
/// browser, with their statuses those of all devices.
final class HistoryScreen {
    private static let page: UInt32 = 50

    private let context: AppContext
    private let history: HistoryRepository
    private let compose: Compose
    private let shared: SharedRecords
    private var isReading = false
    private var isStale = false

    init(context: AppContext, compose: Compose, shared: SharedRecords) {
        self.context = context
        history = HistoryRepository(host: context.host)
        self.compose = compose
        self.shared = shared
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
            let all = self.addingOthers(to: records, before: end, limit: Int(limit) + 1)
            let shown = Array(all.prefix(Int(limit)))
            self.show(shown, waiting, isStart: end.isEmpty, all.count > Int(limit))
        } orElse: {
            self.isReading = false
            self.context.say(.storageUnavailable, tone: .error)
        }
    }

    /// The latest records with those of memos that other devices wrote, which have no body.
    private func addingOthers(
        to records: [Record],
        before end: [UInt8],
        limit: Int
    ) -> [Record] {
        var all = records
        for record in shared.machine?.stored ?? [] {
            guard record.key.kind == SharedKind.memo, let id = OperationID(bytes: record.key.id),
                end.isEmpty || record.key.id.lexicographicallyPrecedes(end),
                let fields = record.fields, let memo = SharedMemo(record.key, fields),
                memo.device != shared.device
            else { continue }
            let place = all.firstIndex { !id.bytes.lexicographicallyPrecedes($0.key) } ?? all.count
            guard place < limit, place == all.count || all[place].key != id.bytes else { continue }
            let head = HistoryHead(memo.status).encoded()
            all.insert(Record(key: id.bytes, head: head, body: []), at: place)
            if all.count > limit { all.removeLast() }
        }
        return all
    }

    /// The name of the device that wrote a memo; `nil` for a memo with a body, which was written here.
    private func device(of record: Record) -> [UInt8]? {
        guard record.body.isEmpty else { return nil }
        let key = RecordKey(kind: SharedKind.memo.bytes, id: record.key)
        // A body that was damaged may be empty, too.
        guard let fields = shared.fields(of: key), let memo = SharedMemo(key, fields),
            memo.device != shared.device
        else { return nil }
        let device = RecordKey.device(memo.device)
        return shared.fields(of: device).flatMap { SharedDevice(device, $0)?.name } ?? []
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
                            device: self.device(of: record),
                            text: texts[index],
                            waits: waiting.first { $0.key == record.key }?.texts.reason,
                            isWhole: whole.contains { $0.id == id }
                        )
                    )
                }
                state.historyState = HistoryState(isLoaded: true, hasMore: hasMore)
            }
            self.context.happened(.historyShown)
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
    ///
    /// - Parameter then: Gets whether the new memo is stored.
    func resend(_ entry: HistoryEntry, _ then: @escaping (Bool) -> Void = { _ in }) {
        guard entry.status.isReplacedByResending else { return then(false) }
        guard let text = entry.text else {
            context.say(.memoUnreadable, tone: .error)
            return then(false)
        }
        compose.resend(text, replacing: entry, then)
    }

    /// Reads the entry of a memo that was written here.
    func read(_ id: OperationID, _ then: @escaping (HistoryEntry?) -> Void) {
        context.host.read(id.bytes, from: .history) { record in
            guard let record, let head = HistoryHead(decoding: record.head) else {
                return then(nil)
            }
            self.context.vault.openTexts([(id, record.body)]) { texts in
                then(HistoryEntry(id: id, status: head.status, text: texts[0], waits: nil))
            }
        }
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
