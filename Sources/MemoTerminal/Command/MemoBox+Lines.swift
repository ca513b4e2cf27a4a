import MemoCore
public import MemoKit
public import MemoTexts
import Outbox
import OutboxCore

/// The lines by which a terminal shows memos: one with the time, the identifier, the status and the
/// memo's first line, and indented ones with the reason and with what can be done.
extension MemoBox {
    /// The lines of an entry of the outbox.
    ///
    /// - Parameter name: The entry's identifier, whole or shortened; `nil` for its number.
    public func lines(of item: OutboxItem, named name: String?, in language: Language) -> String {
        let entry = item.id.flatMap { try? historyEntry($0) }
        let title = entry?.title ?? "(\(language.string(.memoUnreadable)))"
        let time = item.createdAt.map { Dates.local($0) + "  " } ?? ""
        let name = name ?? "entry:\(item.number)"
        var lines = ["\(time)\(name)  \(language.string(item.word))  \(title)"]
        if let words = item.words { lines.append(language.sentence(words)) }
        var course: [String] = []
        if item.attempts > 0 { course.append(language.string(.attempts, "\(item.attempts)")) }
        if let next = item.nextEligibleAt {
            let wait = next.since(OutboxClock.system.wallTime())
            course.append(language.string(.nextAttemptIn, language.words(for: wait)))
        }
        if !course.isEmpty { lines.append(course.joined(separator: "  ")) }
        return lines.joined(separator: "\n    ") + "\n"
    }
}

extension HistoryEntry {
    /// The lines of a memo of the history.
    ///
    /// - Parameter name: The memo's identifier, whole or shortened.
    public func lines(named name: String, in language: Language) -> String {
        let title = title ?? "(\(language.string(.memoUnreadable)))"
        let word = language.string(status.text)
        var lines = ["\(Dates.local(createdAt))  \(name)  \(word)  \(title)"]
        if let words { lines.append(language.sentence(words)) }
        if status.isReplacedByResending { lines.append("memo history resend \(name)") }
        return lines.joined(separator: "\n    ") + "\n"
    }
}

extension SharedView.Memo {
    /// The lines of a memo of another device.
    ///
    /// - Parameter name: The memo's identifier, whole or shortened.
    public func lines(named name: String, in language: Language) -> String {
        let device = device ?? language.string(.elsewhere)
        let word = language.string(status.text)
        var lines = ["\(Dates.local(acceptedAt))  \(name)  \(word)  (\(device))"]
        if let words = status.explanation { lines.append(language.sentence(words)) }
        return lines.joined(separator: "\n    ") + "\n"
    }
}

extension OutboxItem {
    fileprivate var word: AppText {
        switch state {
        case .queued: .statusQueued
        case .parked: needsPerson ? .statusParked : .statusQueued
        case .quarantined: .statusUnreadable
        }
    }
}

extension Language {
    /// A reason's sentence.
    func sentence(_ words: ReasonWords) -> String {
        // A damaged storage may hold any bytes in the place of a code.
        let code = ReasonCode(utf8: words.code)
        return string(words.text, code.isPlain ? code.description : "?")
    }

    /// A time in the largest unit that fits, rounded up: `3 s`, `4 min`, `2 h`, `5 d`.
    func words(for time: Milliseconds) -> String {
        let seconds = max(1, (time.count + 999) / 1000)
        let unit: (text: CommandText, length: Int64) =
            switch seconds {
            case ..<60: (.seconds, 1)
            case ..<3600: (.minutes, 60)
            case ..<172_800: (.hours, 3600)
            default: (.days, 86_400)
            }
        return string(unit.text, "\((seconds + unit.length - 1) / unit.length)")
    }
}
