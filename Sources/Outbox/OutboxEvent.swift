public import OutboxCore

/// An event of an operation or of the queue, for a log under the category `outbox`. An event never
/// holds content.
public struct OutboxEvent: Sendable, Hashable {
    /// A change of an operation, or of the queue as a whole.
    @nonexhaustive public enum Change: Sendable, Hashable {
        /// The operation is stored durably.
        case enqueued
        /// The handler is about to run, for the n-th time that counts.
        case attempting(number: UInt32)
        /// The handler answered `.done`; the operation is removed.
        case delivered
        /// The operation is queued again, with the cause and the length of its wait.
        case waiting(WaitCause, Milliseconds)
        /// The operation was refused for good, has expired or has no handler: a person decides.
        case parked
        /// A person made the operation eligible at once.
        case requeued
        /// A person deleted the operation.
        case deleted
        /// The entry cannot be read, and is kept as it is.
        case quarantined(QuarantineReason)
        /// The outcome could not be written. The drain writes it later.
        case outcomeNotStored
        /// The storage is damaged at the operation's entry, so that the outcome cannot be stored.
        /// The entry stays as it is until another drain begins.
        case leftAlone
        /// The queue or the key could not be read. The drain reads the queue again later.
        case queueNotRead
        /// The storage is damaged beyond single entries. ``reason`` gives the ``StorageDamage``. A
        /// drain reports this when it begins.
        case damaged
    }

    /// The change that the event reports.
    public let change: Change
    /// The operation; `nil` when the event is about the queue, or about an entry whose envelope is
    /// unreadable.
    public let id: OperationID?
    /// The operation's kind; `nil` when ``id`` is `nil`, or the kind is unknown.
    public let kind: OperationKind?
    /// The type of the failure; `nil` when nothing failed.
    public let reason: ReasonCode?

    init(_ change: Change, _ envelope: Envelope? = nil, reason: ReasonCode? = nil) {
        self.init(change, id: envelope?.id, kind: envelope?.kind, reason: reason)
    }

    init(_ change: Change, id: OperationID?, kind: OperationKind?, reason: ReasonCode? = nil) {
        self.change = change
        self.id = id
        self.kind = kind
        self.reason = reason
    }
}
