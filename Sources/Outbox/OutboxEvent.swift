public import OutboxCore

/// What happened to an operation, for a log under the category `outbox`. Never holds content.
public struct OutboxEvent: Sendable, Hashable {
    /// A change of an operation, or of the queue as a whole.
    @nonexhaustive public enum Change: Sendable, Hashable {
        /// Stored, durably.
        case enqueued
        /// The handler is about to run, for the n-th time that counts.
        case attempting(number: UInt32)
        /// The handler answered `.done`; the operation is removed.
        case delivered
        /// The operation is queued again, with the cause and the length of its wait.
        case waiting(WaitCause, Milliseconds)
        /// Refused for good, expired or without a handler: a person decides.
        case parked
        /// A person made it eligible at once.
        case requeued
        /// A person deleted it.
        case deleted
        /// The entry cannot be read, and is kept as it is.
        case quarantined(QuarantineReason)
        /// The outcome could not be written and will be written later.
        case outcomeNotStored
        /// The storage is damaged at the operation's entry, so that its outcome cannot be stored.
        /// The entry stays as it is until another drain begins.
        case leftAlone
        /// The queue, or the key, could not be read; the queue is looked at again later.
        case queueNotRead
        /// The storage is damaged beyond single entries; ``reason`` says how, see
        /// ``StorageDamage``. Said when a drain begins.
        case damaged
    }

    /// The change.
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
