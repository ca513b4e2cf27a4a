public import MemoCore
import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite

/// A memo that was sent from this device, and its status.
public struct HistoryEntry: Hashable, Sendable {
    /// The memo's identifier, in the outbox and at the relay too.
    public let id: OperationID
    /// The time of sending, by the device's clock.
    public let createdAt: WallTime
    /// The last status that this device knows.
    public let status: HistoryStatus
    /// The memo; `nil` when the entry does not open under the present key. The entry is kept
    /// unchanged.
    public let text: String?
    /// The reason for which the memo waits in the outbox, in a person's words; `nil` for a memo that
    /// does not wait, and for a memo that was not attempted.
    public let waiting: ReasonWords?

    /// The reason for which the memo did not arrive, or has not left.
    public var words: ReasonWords? { status.explanation ?? waiting }

    /// The memo in one short line, by the rule of subjects, with an ellipsis where more lines follow;
    /// `nil` when it does not open.
    public var title: String? {
        guard let text else { return nil }
        let line = SubjectRule().subject(of: text, day: CalendarDay(local: createdAt), id: id)
        return Self.hasMoreLines(text) && !line.hasSuffix("…") ? line + " …" : line
    }

    /// Whether anything stands behind the first line that holds anything.
    private static func hasMoreLines(_ text: String) -> Bool {
        var hasLine = false
        var isBehindLine = false
        for byte in text.utf8 {
            if byte > 0x20 {
                if isBehindLine { return true }
                hasLine = true
            } else if byte == 0x0A || byte == 0x0D {
                isBehindLine = hasLine
            }
        }
        return false
    }
}

extension MemoBox {
    /// The memos sent from this device, the latest first.
    ///
    /// - Throws: ``MemoError``. An entry that does not open is not an error: it comes without text.
    /// - Complexity: O(`limit`), however long the history.
    public func history(limit: Int = 50) throws(MemoError) -> [HistoryEntry] {
        try translatingErrors {
            let rows = try storage.read { connection in
                try connection.query(
                    """
                    SELECT id, created_at, sealed, status, reason FROM memo_history
                    ORDER BY number DESC LIMIT ?
                    """,
                    .integer(Int64(max(0, limit))),
                    row: { HistoryRow($0) }
                )
            }
            return try rows.compactMap { try $0.map(entry) }
        }
    }

    /// The number of memos that were stored on this device and have left its outbox, however they fared.
    /// Memos that a person has deleted count as far as later ones were stored.
    public func memosSent() throws(MemoError) -> Int64 {
        try translatingErrors {
            let waiting = try outbox.state(patience: WaitingRule.patience).total
            let stored = try storage.read { connection in
                try connection.first(
                    "SELECT coalesce(max(number), 0) FROM memo_history",
                    row: { $0.integer(0) }
                )
            }
            return (stored ?? 0) - Int64(waiting)
        }
    }

    /// The memo with this identifier; `nil` when it was not sent from this device.
    public func historyEntry(_ id: OperationID) throws(MemoError) -> HistoryEntry? {
        try translatingErrors {
            let row = try storage.read { connection in
                try connection.first(
                    """
                    SELECT id, created_at, sealed, status, reason FROM memo_history WHERE id = ?
                    """,
                    .blob(id.bytes),
                    row: { HistoryRow($0) }
                )
            }
            return try (row ?? nil).map(entry)
        }
    }

    /// Whether a memo was sent from this device. Needs no key.
    package func hasInHistory(_ id: OperationID) throws(MemoError) -> Bool {
        try translatingErrors {
            try storage.read { connection in
                try connection.first(
                    "SELECT 1 FROM memo_history WHERE id = ?",
                    .blob(id.bytes),
                    row: { _ in true }
                ) ?? false
            }
        }
    }

    /// The memo of an identifier, or of the beginning or the end of one.
    ///
    /// - Throws: ``MemoError/unknownMemo`` and ``MemoError/ambiguousIdentifier``, for a text that
    ///   names no memo of the history, or several.
    /// - Complexity: O(length of the history) for a shortened identifier.
    public func historyEntry(named text: String) throws(MemoError) -> HistoryEntry {
        if let id = OperationID(text: text.utf8) {
            guard let entry = try historyEntry(id) else { throw .unknownMemo }
            return entry
        }
        guard let digits = ShortIdentifier.digits(of: text) else { throw .unknownMemo }
        let found = try translatingErrors {
            try storage.read { connection in
                try connection.query(
                    """
                    SELECT id FROM memo_history
                    WHERE lower(hex(id)) LIKE ? OR lower(hex(id)) LIKE ? LIMIT 2
                    """,
                    .text(digits + "%"),
                    .text("%" + digits),
                    row: { OperationID(bytes: $0.blob(0)) }
                )
            }
        }
        guard found.count < 2 else { throw .ambiguousIdentifier }
        guard let id = found.first ?? nil, let entry = try historyEntry(id) else {
            throw .unknownMemo
        }
        return entry
    }

    /// Deletes a memo from this device: from the history, and from the outbox where the memo waits
    /// there, in one transaction.
    ///
    /// Does not recall an attempt that is under way, nor a mail.
    ///
    /// - Throws: ``MemoError/unknownMemo`` when the history has no such memo.
    public func deleteFromHistory(_ id: OperationID) throws(MemoError) {
        try translatingErrors {
            let waiting = try outbox.entry(for: id)
            try storage.write { connection in
                if let waiting { _ = try storage.delete(waiting.entryID, in: connection) }
                let deleted = try connection.first(
                    "DELETE FROM memo_history WHERE id = ? RETURNING 1",
                    .blob(id.bytes),
                    row: { $0.integer(0) }
                )
                guard deleted != nil else { throw MemoError.unknownMemo }
            }
            if waiting != nil { outbox.deleted(id, kind: .memo) }
        }
    }

    /// Sends a memo that did not arrive again: from the outbox, where it still is, else as
    /// ``resend(_:)`` does. Call the courier afterwards.
    ///
    /// - Returns: The identifier of the memo that leaves.
    /// - Throws: What ``retry(_:)`` and ``resend(_:)`` throw; nothing has changed.
    @discardableResult
    public func sendAgain(_ id: OperationID) throws(MemoError) -> OperationID {
        guard let entry = try historyEntry(id), entry.status.isFailure else {
            throw .notResendable
        }
        guard entry.status.isInOutbox else { return try resend(id) }
        try retry(id)
        return id
    }

    private func entry(_ row: HistoryRow) throws -> HistoryEntry {
        var waiting: ReasonWords?
        if row.status == .queued, let entry = try outbox.entry(for: row.sealed.id) {
            waiting = entry.envelope?.lastError
                .map { ReasonWords($0, isParked: entry.state == .parked) }
        }
        return HistoryEntry(
            id: row.sealed.id,
            createdAt: row.sealed.createdAt,
            status: row.status,
            text: try row.sealed.openedText(as: .history, with: outbox.sealer),
            waiting: waiting
        )
    }

    /// Sends the text of a memo that did not arrive again, as a memo of its own. The old memo is
    /// `HistoryStatus.resent` from then on, so that no second call sends a third one.
    ///
    /// - Returns: The new memo's identifier.
    /// - Throws: ``MemoError/notResendable``; ``MemoError/entryDamaged`` when the text does not open;
    ///   what ``send(_:of:)`` throws. Nothing was stored.
    @discardableResult
    public func resend(_ id: OperationID) throws(MemoError) -> OperationID {
        guard let entry = try historyEntry(id) else { throw .notResendable }
        guard entry.status.isReplacedByResending else { throw .notResendable }
        guard let text = entry.text else { throw .entryDamaged }
        return try send(text, of: nil) { connection in
            // Another process may have been first.
            var isReplaced = false
            try Self.change(id, in: connection) { status in
                isReplaced = status.isReplacedByResending
                return isReplaced ? .resent : status
            }
            guard isReplaced else { throw MemoError.notResendable }
        }
    }

    /// Records what became of a memo's operation. A memo that is not in the history is not an
    /// error.
    package func record(_ standing: OperationStanding, of id: OperationID) throws(MemoError) {
        try translatingErrors {
            try storage.write { try Self.record(standing, of: id, in: $0) }
        }
    }

    static func record(
        _ standing: OperationStanding,
        of id: OperationID,
        in connection: Connection
    ) throws {
        try change(id, in: connection) { $0.following(standing) }
        if standing == .accepted { try forgetRefusal(in: connection) }
    }

    /// Stores a memo's next status. A memo that is not in the history is not an error.
    ///
    /// - Parameter next: Makes the next status of the stored one.
    static func change(
        _ id: OperationID,
        in connection: Connection,
        to next: (HistoryStatus) throws -> HistoryStatus
    ) throws {
        let stored = try connection.first(
            "SELECT status, reason FROM memo_history WHERE id = ?",
            .blob(id.bytes),
            row: { HistoryStatus($0, from: 0) }
        )
        guard let stored else { return }
        let status = try next(stored)
        if status != stored { try setStatus(status, of: id, in: connection) }
    }

    private static func setStatus(
        _ status: HistoryStatus,
        of id: OperationID,
        in connection: Connection
    ) throws {
        try connection.run(
            // From one failure to another, a notification has told already.
            """
            UPDATE memo_history SET status = ?, reason = ?, is_unseen = ?, is_told = is_told AND ?
            WHERE id = ?
            """,
            .text(String(decoding: status.name, as: UTF8.self)),
            status.reason.map { .text($0.description) } ?? .null,
            .integer(status.isFailure ? 1 : 0),
            .integer(status.isFailure ? 1 : 0),
            .blob(id.bytes)
        )
    }

    static func insertHistory(_ sealed: SealedBytes, in connection: Connection) throws {
        let columns = sealed.columns
        try connection.run(
            "INSERT INTO memo_history (id, created_at, status, sealed) VALUES (?, ?, ?, ?)",
            columns.id,
            columns.createdAt,
            .text(String(decoding: HistoryStatus.queued.name, as: UTF8.self)),
            columns.record
        )
    }
}

/// An entry as stored.
private struct HistoryRow {
    let sealed: SealedBytes
    let status: HistoryStatus

    init?(_ row: borrowing Row) {
        guard let sealed = SealedBytes(row, from: 0) else { return nil }
        self.sealed = sealed
        status = HistoryStatus(row, from: 3)
    }
}

extension HistoryStatus {
    /// Reads columns `status` and `reason`, the first of them being `column`.
    init(_ row: borrowing Row, from column: Int) {
        self.init(
            name: Array(row.text(column).utf8),
            reason: row.optionalText(column + 1).map { ReasonCode(utf8: Array($0.utf8)) }
        )
    }
}
