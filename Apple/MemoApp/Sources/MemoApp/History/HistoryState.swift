import MemoCore
import MemoKit
import MemoTexts
import OutboxCore

/// What the history screen knows of the memos that were sent from this device.
struct HistoryState: Sendable {
    enum RowID: Hashable, Sendable {
        case memo(OperationID)
        /// A memo of another device, whose text is there.
        case elsewhere(OperationID)
        /// There is no memo.
        case empty
        /// There are older memos.
        case more
    }

    /// What one row is made of.
    struct Part: Hashable, Sendable {
        var entry: HistoryEntry?
        /// Whether all of a long memo is shown.
        var isWhole: Bool
    }

    private(set) var rows: [RowID] = []
    private(set) var entries: [OperationID: HistoryEntry] = [:]
    private var elsewhere: [OperationID: SharedView.Memo] = [:]
    private var whole: Set<OperationID> = []

    func part(_ id: OperationID) -> Part {
        Part(entry: entries[id], isWhole: whole.contains(id))
    }

    func memoElsewhere(_ id: OperationID) -> SharedView.Memo? { elsewhere[id] }

    /// Takes what was read, each the latest first. A memo of another device that is older than all that were
    /// read of this one is shown when there are no more of these.
    mutating func show(_ read: [HistoryEntry], _ others: [SharedView.Memo], hasMore: Bool) {
        entries = Dictionary(read.map { ($0.id, $0) }) { first, _ in first }
        let oldest = hasMore ? read.last?.createdAt : nil
        let others = others.filter { memo in
            entries[memo.id] == nil && oldest.map { memo.acceptedAt >= $0 } ?? true
        }
        elsewhere = Dictionary(others.map { ($0.id, $0) }) { first, _ in first }
        var rest = others[...]
        rows = []
        for entry in read {
            while let other = rest.first, other.acceptedAt > entry.createdAt {
                rows.append(.elsewhere(rest.removeFirst().id))
            }
            rows.append(.memo(entry.id))
        }
        rows += rest.map { .elsewhere($0.id) }
        if rows.isEmpty { rows = [.empty] }
        if hasMore { rows.append(.more) }
        whole.formIntersection(entries.keys)
    }

    /// Shows all of a long memo, or its beginning again.
    mutating func toggle(_ id: OperationID) {
        if whole.remove(id) == nil { whole.insert(id) }
    }
}

extension ListRow {
    /// How much of a memo is in its row.
    private static let previewLength = 200

    /// The row of a memo.
    init(_ part: HistoryState.Part, in language: Language) {
        guard let entry = part.entry else {
            self.init(title: "")
            return
        }
        let text = entry.text ?? language.string(AppText.memoUnreadable)
        let isCut = !part.isWhole && text.count > Self.previewLength
        let lines = [
            "\(language.string(entry.status.text)) · \(Dates.local(entry.createdAt))",
            entry.words.map { words in
                language.string(words.text, String(decoding: words.code, as: UTF8.self))
            },
            isCut ? language.string(AppText.showAll, "\(text.count)") : nil,
        ]
        self.init(
            title: isCut ? text.prefix(Self.previewLength) + "…" : text,
            detail: lines.compactMap { $0 }.joined(separator: "\n"),
            offers: Self.offers(for: entry)
        )
    }

    /// The row of a memo whose text is on another device.
    init(_ memo: SharedView.Memo, in language: Language) {
        let place =
            memo.device.map { language.string(AppText.writtenOn, $0) }
            ?? language.string(AppText.writtenElsewhere)
        self.init(
            title: place,
            detail: "\(language.string(memo.status.text)) · \(Dates.local(memo.acceptedAt))"
        )
    }

    private static func offers(for entry: HistoryEntry) -> [ListOffer] {
        var offers = [ListOffer.delete]
        if entry.text != nil { offers.append(.copy) }
        if entry.status.isInOutbox { offers.append(.retry) }
        if entry.status.isReplacedByResending, entry.text != nil { offers.append(.resend) }
        return offers
    }
}
