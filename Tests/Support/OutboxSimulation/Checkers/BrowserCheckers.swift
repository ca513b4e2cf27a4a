import MemoCore
import OutboxCore

/// After each transaction of a browser, history and outbox say the same of each memo, and a memo is
/// once in the history.
///
/// The relay may tell a status before the outbox has the answer, and only of a memo that has reached
/// the relay.
struct HistoryAgrees: Checker {
    let name = "history and outbox agree"

    private var requested: Set<OperationID> = []
    private var accepted: Set<OperationID> = []
    private var deleted: Set<OperationID> = []

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        switch observation {
        case .requested(let id, _): requested.insert(id)
        case .accepted(let id): accepted.insert(id)
        case .deleting(let id): deleted.insert(id)
        case .stored(let records, _, _):
            for memo in records.memos {
                if let problem = problem(with: memo) { return "\(problem): \(memo)" }
            }
            let numbers = records.memos.flatMap(\.numbers)
            if Set(numbers).count < numbers.count { return "a memo is in the history twice" }
        default: break
        }
        return nil
    }

    private func problem(with memo: BrowserRecords.Memo) -> String? {
        guard let status = memo.status else { return "a memo is in no history" }
        switch (memo.place, status) {
        case (.queued, .queued): return nil
        case (.parked(let reason), .queued):
            let waits = reason == .unauthorized || reason == .noHandler
            return waits ? nil : "a parked memo is said to be queued"
        case (.parked(let reason), .refused(let told)) where reason == told: return nil
        case (.quarantined, .quarantined): return nil
        case (nil, .queued), (nil, .quarantined): return "a memo that is gone is said to wait"
        case (nil, .deleted): return deleted.contains(memo.id) ? nil : "nobody deleted a memo"
        case (nil, _): return accepted.contains(memo.id) ? nil : "a memo is gone"
        case (_, .sent), (_, .delivered), (_, .bounced), (_, .expired), (_, .refused):
            return requested.contains(memo.id) ? nil : "a memo is said to have left"
        default: return "a memo is said to have another state"
        }
    }
}

/// A text that a browser has stored, as a draft or in the history, stays there: a page that dies
/// loses only texts that were not stored yet. A power cut may undo the latest transactions.
struct TextsKept: Checker {
    let name = "a stored text is kept"

    /// The numbers of the stored memos, for each browser.
    private var stored: [String: Set<Int>] = [:]

    mutating func problem(with observation: Observation, at time: Milliseconds) -> String? {
        guard case .stored(let records, let browser, let isAfterPowerCut) = observation else {
            return nil
        }
        let before = stored.updateValue(records.texts, forKey: browser) ?? []
        guard !isAfterPowerCut, !before.isSubset(of: records.texts) else { return nil }
        return "the texts of memos \(before.subtracting(records.texts).sorted()) are gone"
    }
}
