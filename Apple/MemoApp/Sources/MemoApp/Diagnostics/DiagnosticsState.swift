import MemoCore
import MemoKit
import MemoTexts
import OutboxCore

/// What the diagnostics screen knows: the queue, without a memo's text, and the app's own timings.
struct DiagnosticsState: Hashable, Sendable {
    enum RowID: Hashable, Sendable {
        /// The numbers of the queue.
        case queue
        /// Tries all entries now.
        case retryAll
        /// An entry of the outbox, by its number.
        case entry(Int64)
        case timing(TimingKind)
    }

    var isRead = false
    /// How many entries of each state the queue has.
    var counts: [OutboxItem.State: Int] = [:]
    /// The oldest entries of each state.
    var items: [OutboxItem] = []
    var timings: [TimingKind: TimingSummary] = [:]

    var rows: [RowID] {
        guard isRead else { return [] }
        let queue: [RowID] = items.isEmpty ? [.queue] : [.queue, .retryAll]
        return queue + items.map { .entry($0.number) } + TimingKind.allCases.map { .timing($0) }
    }

    func item(_ number: Int64) -> OutboxItem? { items.first { $0.number == number } }

    func row(_ id: RowID, in language: Language) -> ListRow {
        switch id {
        case .queue: ListRow(title: language.string(.queue), detail: numbers(in: language))
        case .retryAll: ListRow(title: language.string(.retryAll))
        case .entry(let number):
            item(number).map { ListRow($0, in: language) } ?? ListRow(title: "")
        case .timing(let kind): ListRow(kind, timings[kind], in: language)
        }
    }

    private func numbers(in language: Language) -> String {
        guard counts.values.contains(where: { $0 > 0 }) else { return language.string(.queueEmpty) }
        let states: [(OutboxItem.State, AppText)] = [
            (.queued, .queued), (.parked, .parked), (.quarantined, .quarantined),
        ]
        return states.map { state, text in
            language.string(text, "\(counts[state, default: 0])")
        }.joined(separator: "\n")
    }
}

extension ListRow {
    fileprivate init(_ item: OutboxItem, in language: Language) {
        let status: AppText =
            switch item.state {
            case .queued: .statusQueued
            case .parked: .statusParked
            case .quarantined: .statusUnreadable
            }
        let lines = [
            item.createdAt.map { language.string(AppText.waitingSince, Dates.local($0)) },
            language.string(AppText.attempts, "\(item.attempts)"),
            item.nextEligibleAt.map { language.string(AppText.nextAttempt, Dates.local($0)) },
            item.words.map { words in
                language.string(words.text, String(decoding: words.code, as: UTF8.self))
            },
        ]
        self.init(
            title: language.string(status),
            detail: lines.compactMap { $0 }.joined(separator: "\n"),
            offers: [.delete, .retry]
        )
    }

    fileprivate init(_ kind: TimingKind, _ summary: TimingSummary?, in language: Language) {
        let name: AppText =
            switch kind {
            case .timeToText: .timeToText
            case .sendToReset: .sendToReset
            }
        func milliseconds(_ microseconds: Int64) -> String {
            String(
                decoding: TimingSummary.milliseconds(microseconds, in: language),
                as: UTF8.self
            )
        }
        let measured = summary.map { summary in
            language.string(
                AppText.timing,
                milliseconds(summary.median),
                milliseconds(summary.latest),
                "\(kind.budget.count)"
            )
        }
        self.init(
            title: language.string(name),
            detail: measured ?? language.string(AppText.notMeasured)
        )
    }
}
