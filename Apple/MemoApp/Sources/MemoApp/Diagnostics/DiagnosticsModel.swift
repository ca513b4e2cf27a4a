import MemoCore
import MemoKit
import MemoTexts
import Outbox
import Store

/// The diagnostics without a screen. They read again whenever the box has changed.
@MainActor
final class DiagnosticsModel: ListModel {
    typealias RowID = DiagnosticsState.RowID

    /// How many entries of each state are listed.
    private nonisolated static let most = 100

    let screen: ListScreen
    private let store = Store(DiagnosticsState())
    private let parts: AppParts
    private var subscription: Subscription?

    init(_ parts: AppParts) {
        self.parts = parts
        screen = ListScreen(title: .diagnostics, clock: parts.clock)
    }

    func rows() -> Derived<[RowID]> { store.derived(\.rows) }

    func row(_ id: RowID) -> Derived<ListRow> {
        .combine(store.derived(\.self), parts.language.derived(\.self)) { $0.row(id, in: $1) }
    }

    // MARK: Events

    func begin() {
        subscription = parts.changes.sinkState(on: MainActor.shared, backlog: .merged) {
            [weak self] _ in
            self?.read()
        }
    }

    func tapped(_ id: RowID) {
        guard id == .retryAll else { return }
        change { box throws(MemoError) in try box.retryAll() }
    }

    func take(_ offer: ListOffer, of id: RowID) {
        guard case .entry(let number) = id, let item = store.state.item(number) else { return }
        switch offer {
        case .retry:
            change { box throws(MemoError) in
                try box.retry(item)
                return 1
            }
        case .delete:
            let question = ListQuestion(
                title: .deleteQuestion,
                message: .text(.deleteQueuedHint),
                confirm: .delete
            )
            screen.ask(question) { [weak self] in
                self?.change { box throws(MemoError) in
                    try box.delete(item)
                    return 0
                }
            }
        case .copy, .resend, .revoke, .keepMine, .edit, .takeTheirs: break
        }
    }

    // MARK: The box

    /// Changes the box, and has delivered what is to be tried now.
    ///
    /// - Parameter work: Answers how many entries are to be tried.
    private func change(_ work: @escaping @Sendable (MemoBox) throws(MemoError) -> Int) {
        parts.box.later(work) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let count): if count > 0 { parts.deliveries.called() }
            case .failure(let error): screen.say(.device(error))
            }
            read()
        }
    }

    private func read() {
        parts.box.later { box throws(MemoError) in
            // What was measured since the last send.
            try box.flushTimings()
            let counts = try box.outboxState()
            var state = DiagnosticsState(
                isRead: true,
                counts: [
                    .queued: counts.queued, .parked: counts.parked,
                    .quarantined: counts.quarantined,
                ],
                items: try box.outboxItems(limit: Self.most)
            )
            for kind in TimingKind.allCases {
                state.timings[kind] = TimingSummary(try box.timings(kind).map(\.microseconds))
            }
            return state
        } then: { [weak self] read in
            switch read {
            case .success(let state): self?.store.commit { $0 = state }
            case .failure(let error): self?.screen.say(.device(error))
            }
        }
    }
}
