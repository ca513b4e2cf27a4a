import MemoCore
import MemoKit
import MemoTexts
import OutboxCore
import Store

/// The history without a screen: the memos that were sent from this device, by identifier, a page at a
/// time. It reads again whenever the box has changed.
@MainActor
final class HistoryModel: ListModel {
    typealias RowID = HistoryState.RowID

    /// How many memos are read at once.
    private static let page = 50

    let screen: ListScreen
    let store = Store(HistoryState())
    private let parts: AppParts
    private var limit = page
    private var subscription: Subscription?

    init(_ parts: AppParts) {
        self.parts = parts
        screen = ListScreen(title: .history, clock: parts.clock)
    }

    // MARK: Rows

    var isRefreshable: Bool { true }

    func rows() -> Derived<[RowID]> { store.derived(\.rows) }

    func row(_ id: RowID) -> Derived<ListRow> {
        let language = parts.language.derived(\.self)
        switch id {
        case .memo(let id):
            return .combine(store.derived { $0.part(id) }, language) { ListRow($0, in: $1) }
        case .elsewhere(let id):
            return .combine(store.derived { $0.memoElsewhere(id) }, language) { memo, language in
                memo.map { ListRow($0, in: language) } ?? ListRow(title: "")
            }
        case .empty: return language.map { ListRow(title: $0.string(AppText.historyEmpty)) }
        case .more: return language.map { ListRow(title: $0.string(AppText.historyMore)) }
        }
    }

    // MARK: Events

    func begin() {
        subscription = parts.changes.sinkState(on: MainActor.shared, backlog: .merged) {
            [weak self] _ in
            self?.read()
        }
        parts.deliveries.looked {}
    }

    /// Asks the relay what became of sent memos.
    func refresh() {
        screen.refreshes(true)
        parts.deliveries.looked { [weak self] in self?.screen.refreshes(false) }
    }

    func tapped(_ id: RowID) {
        switch id {
        case .memo(let id): store.commit { $0.toggle(id) }
        case .empty, .elsewhere: break
        case .more:
            limit += Self.page
            read()
        }
    }

    func take(_ offer: ListOffer, of id: RowID) {
        guard case .memo(let id) = id, let entry = store.state.entries[id] else { return }
        switch offer {
        case .copy:
            guard let text = entry.text else { return }
            parts.copy(text)
            screen.say(.text(.copied))
        case .resend:
            change { box throws(MemoError) in
                try box.resend(id)
            } then: { model, id in
                model.parts.memoStored(id)
                model.screen.say(.text(.resent))
            }
        case .retry:
            change { box throws(MemoError) in
                try box.retry(id)
            } then: { model, _ in
                model.parts.deliveries.called()
            }
        case .delete: askToDelete(entry)
        case .revoke, .keepMine, .edit, .takeTheirs: break
        }
    }

    private func askToDelete(_ entry: HistoryEntry) {
        let hint: AppText = entry.status.isInOutbox ? .deleteQueuedHint : .deleteSentHint
        let question = ListQuestion(
            title: .deleteQuestion,
            message: .text(hint),
            confirm: .delete
        )
        screen.ask(question) { [weak self] in
            self?.change { box throws(MemoError) in
                try box.deleteFromHistory(entry.id)
            } then: { model, _ in
                model.screen.say(.text(.statusDeleted))
            }
        }
    }

    // MARK: The box

    private func read() {
        let limit = limit
        parts.box.later { box throws(MemoError) in
            let read = try box.history(limit: limit + 1)
            // Where that cannot be stored, the person is told of the failures once more.
            try? box.noteSeen(Array(read.prefix(limit)))
            return (read, try box.sharedView()?.memos ?? [])
        } then: { [weak self] read in
            guard let self else { return }
            switch read {
            case .success(let (read, others)):
                parts.notices.seen(read.prefix(limit).filter(\.status.isFailure).map(\.id))
                store.commit { state in
                    state.show(Array(read.prefix(limit)), others, hasMore: read.count > limit)
                }
            case .failure(let error): screen.say(.device(error))
            }
        }
    }

    /// Changes the box, and reads the history again.
    private func change<Value: Sendable>(
        _ work: @escaping @Sendable (MemoBox) throws(MemoError) -> Value,
        then: @escaping @MainActor (HistoryModel, Value) -> Void
    ) {
        parts.box.later(work) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let value): then(self, value)
            case .failure(let error): screen.say(.device(error))
            }
            read()
        }
    }
}
