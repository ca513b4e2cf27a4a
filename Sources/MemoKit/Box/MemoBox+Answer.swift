public import MemoCore
import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite

/// A memo that did not arrive, without its text.
public struct MemoFailure: Hashable, Sendable {
    /// The memo.
    public let id: OperationID
    /// The status, which is a failure.
    public let status: HistoryStatus

    /// Whether ``MemoBox/sendAgain(_:)`` can send the memo: bytes that cannot be read cannot leave.
    public var canBeSentAgain: Bool {
        if case .quarantined = status { false } else { true }
    }

    /// Reads the columns `id`, `status` and `reason`, in this order.
    fileprivate init?(_ row: borrowing Row) {
        guard let id = OperationID(bytes: row.blob(0)) else { return nil }
        self.id = id
        status = HistoryStatus(row, from: 1)
    }
}

/// The sentences about memos that have not arrived.
extension MemoBox {
    /// The answer to a person whose memo was stored.
    ///
    /// - Parameters:
    ///   - id: The memo.
    ///   - isBlocked: Whether nothing delivers now, because the courier cannot work or be called.
    public func sendAnswer(
        to id: OperationID,
        isBlocked: Bool
    ) throws(MemoError) -> SendAnswer {
        let queued = try translatingErrors { try outbox.entries(in: .queued, limit: 2) }
        let earlier = queued.first { $0.id != id }
        let isLate = earlier?.envelope.map {
            WaitingRule.isLate(since: $0.createdAt, now: OutboxClock.system.wallTime())
        }
        // With an empty queue, nothing was attempted since the last note, or the note's memo is gone.
        let failure = earlier == nil ? nil : folder.relayAbsence?.reason
        return SendAnswer(
            account: try accountStanding(),
            way: isBlocked ? .blocked : WayOut(lastError: failure),
            backlog: earlier == nil ? .none : isLate == true ? .late : .waiting,
            hasUnseenFailure: try unseenFailures() > 0
        )
    }

    /// The number of memos that did not arrive, and that no person has seen since.
    ///
    /// - Complexity: O(their number).
    public func unseenFailures() throws(MemoError) -> Int {
        try translatingErrors {
            try storage.read { connection in
                Int(
                    try connection.first(
                        "SELECT count(*) FROM memo_history WHERE is_unseen = 1",
                        row: { $0.integer(0) }
                    ) ?? 0
                )
            }
        }
    }

    /// Notes that a person sees these entries of the history.
    public func noteSeen(_ entries: [HistoryEntry]) throws(MemoError) {
        let failures = entries.filter(\.status.isFailure)
        guard !failures.isEmpty, try unseenFailures() > 0 else { return }
        try translatingErrors {
            try storage.write { connection in
                for entry in failures {
                    _ = try connection.run(
                        "UPDATE memo_history SET is_unseen = 0 WHERE id = ? AND is_unseen = 1",
                        .blob(entry.id.bytes)
                    )
                }
            }
        }
    }

    /// Memos that did not arrive, that no person has seen since, and of which no notification has told: the
    /// oldest first. A memo that fails again after a person has tried it again is untold again.
    ///
    /// - Parameter limit: The most memos.
    /// - Complexity: O(the number of memos that no person has seen).
    public func untoldFailures(limit: Int) throws(MemoError) -> [MemoFailure] {
        try translatingErrors {
            try storage.read { connection in
                try connection.query(
                    """
                    SELECT id, status, reason FROM memo_history WHERE is_unseen = 1 AND is_told = 0
                    ORDER BY number LIMIT ?
                    """,
                    .integer(Int64(max(0, limit))),
                    row: { MemoFailure($0) }
                ).compactMap(\.self)
            }
        }
    }

    /// Notes that a notification has told of these memos.
    public func noteTold(_ ids: [OperationID]) throws(MemoError) {
        try translatingErrors {
            try storage.write { connection in
                for id in ids {
                    _ = try connection.run(
                        "UPDATE memo_history SET is_told = 1 WHERE id = ? AND is_unseen = 1",
                        .blob(id.bytes)
                    )
                }
            }
        }
    }

    /// Whether this memo did not arrive, and no person has seen that since.
    package func isUnseenFailure(_ id: OperationID) throws(MemoError) -> Bool {
        try translatingErrors {
            try storage.read { connection in
                try connection.first(
                    "SELECT 1 FROM memo_history WHERE id = ? AND is_unseen = 1",
                    .blob(id.bytes),
                    row: { $0.integer(0) }
                ) != nil
            }
        }
    }

    /// The number of entries of the outbox that leave only when a person decides. An entry that waits
    /// for a sign-in is none of them: it leaves by itself after the sign-in.
    ///
    /// - Complexity: O(entries that are not queued).
    public func entriesThatNeedPerson() throws(MemoError) -> Int {
        try translatingErrors {
            var number = try outbox.state(patience: WaitingRule.patience).quarantined
            var last: EntryID?
            while true {
                let entries = try outbox.entries(in: .parked, after: last)
                number += entries.count { $0.envelope?.lastError != .unauthorized }
                guard let end = entries.last?.entryID else { return number }
                last = end
            }
        }
    }
}
