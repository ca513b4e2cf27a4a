public import MemoCore
public import OutboxCore

/// A memo that was sent from this device, and what became of it.
public struct HistoryEntry: Sendable {
    /// The memo's identifier, in the outbox and at the relay too.
    public let id: OperationID
    /// When the memo was sent, as the device's clock had it.
    public let createdAt: WallTime
    /// What became of it, as far as this device knows.
    public let status: HistoryStatus
    /// The memo, `nil` when the entry does not open under the present key. It is kept as it is.
    public let text: String?

    /// The memo in one short line, by the rule of subjects; `nil` when it does not open.
    public var title: String? {
        text.map {
            SubjectRule().subject(of: $0, day: CalendarDay(local: createdAt), id: id)
        }
    }
}
