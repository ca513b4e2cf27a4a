import MemoCore
import OutboxCore
import StoreCore

extension Views {
    /// How much of a memo is on the page.
    private static let previewLength = 600

    /// Adds, removes and changes the rows whose entries a commit changed.
    func showHistory(_ changes: Changes<AppState>, _ isTranslated: Bool) {
        let state = changes.current
        let before = changes.previous?.history ?? HistoryTable()
        var new: [UInt32] = []
        state.history.changes(since: before) { change in
            if let entry = change.new {
                change.old == nil ? new.append(entry.row) : draw(entry)
            } else if let old = change.old {
                host.remove(Element(.historyList, row: old.row))
            }
        }
        if !new.isEmpty { add(new, of: state) }
        if isTranslated { for entry in before { draw(entry) } }
    }

    /// The latest come first; each is put before the next older one, which is there already.
    private func add(_ new: [UInt32], of state: AppState) {
        var older: UInt32 = 0
        for id in state.historyOrder.reversed() {
            guard let entry = state.history[id] else { continue }
            if new.contains(entry.row) {
                host.addRow(entry.row, to: .historyList, from: .historyRow, before: older)
                draw(entry)
            }
            older = entry.row
        }
    }

    private func draw(_ entry: HistoryEntry) {
        func part(_ part: Name) -> Element {
            Element(.historyList, row: entry.row, part: part)
        }
        if let text = entry.text {
            host.setText(start(of: text, longest: Self.previewLength), of: part(.text))
        } else {
            host.setText(.memoUnreadable, of: part(.text))
        }
        host.setText(entry.status.text, of: part(.status))
        let state = entry.status.isFailure ? utf8("attention") : entry.status.name
        host.setAttribute(.dataState, to: state, of: part(.none))
        if let explanation = entry.status.explanation {
            host.setText(explanation.text, explanation.values, of: part(.reason))
        } else {
            host.setText([], of: part(.reason))
        }
        host.setTime(entry.id.rawValue.time, of: part(.time))
    }
}
