import MemoCore
import MemoTexts
import OutboxCore
import StoreCore
import WireCore

extension Views {
    /// How much of a memo is on the page.
    private static let previewLength = 600

    /// Adds, removes and changes the rows whose entries a commit changed.
    func showHistory(_ changes: Changes<AppState>, _ isTranslated: Bool) {
        let entries = changes.current.history
        let before = changes.previous?.history ?? []
        guard isTranslated || entries != before else { return }
        let rows = historyRows.show(entries.map { $0.id.bytes }, on: host)
        for index in entries.indices {
            if isTranslated || !before.contains(entries[index]) {
                draw(entries[index], rows[index])
            }
        }
    }

    /// The entry in whose row an element is.
    func historyEntry(in element: Element) -> HistoryEntry? {
        guard element.id == .historyList, let id = historyRows.id(of: element.row) else {
            return nil
        }
        return store.state.history.first { $0.id.bytes == id }
    }

    /// Opens the row of an entry, and gives it the focus.
    ///
    /// - Returns: Whether the entry is on the page.
    func openEntry(_ id: OperationID) -> Bool {
        guard let row = historyRows.row(of: id.bytes) else { return false }
        host.setOpen(true, Element(.historyList, row: row, part: .history))
        return true
    }

    private func draw(_ entry: HistoryEntry, _ row: UInt32) {
        func part(_ part: Name) -> Element {
            Element(.historyList, row: row, part: part)
        }
        let isCut = (entry.text?.count ?? 0) > Self.previewLength && !entry.isWhole
        if let text = entry.text {
            let shown = isCut ? start(of: text, longest: Self.previewLength) + utf8("…") : text
            host.setText(shown, of: part(.text))
            host.setText(.showAll, [decimal(text.characterCount)], of: part(.whole))
        } else if let device = entry.device {
            device.isEmpty
                ? host.setText(.writtenElsewhere, of: part(.text))
                : host.setText(.writtenOn, [device], of: part(.text))
        } else {
            host.setText(.memoUnreadable, of: part(.text))
        }
        host.setHidden(entry.device != nil, part(.copy))
        host.setHidden(entry.device != nil, part(.delete))
        host.setHidden(!isCut, part(.whole))
        let isResent = entry.status.isReplacedByResending && entry.device == nil
        host.setHidden(!isResent, part(.resend))
        host.setHidden(!entry.status.isInOutbox || entry.device != nil, part(.retry))
        host.setText(entry.status.text, of: part(.status))
        let state = entry.status.isFailure ? utf8("attention") : entry.status.name
        host.setAttribute(.dataState, to: state, of: part(.none))
        if let explanation = entry.status.explanation ?? entry.waits {
            host.setText(explanation.text, explanation.values, of: part(.reason))
        } else {
            host.setText([], of: part(.reason))
        }
        host.setTime(entry.id.time, of: part(.time))
    }
}

extension [UInt8] {
    /// The number of Unicode scalars of a text.
    fileprivate var characterCount: Int64 {
        reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
