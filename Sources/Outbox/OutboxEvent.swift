public import OutboxCore

/// What happened to an operation, for a log under the category `outbox`. Never holds content.
public struct OutboxEvent: Sendable, Hashable {
    /// What may happen to an operation, or to the queue as a whole.
    @nonexhaustive public enum Change: Sendable, Hashable {
        /// Stored, durably.
        case enqueued
        /// Its handler is about to run, for the n-th time that counts.
        case attempting(number: UInt32)
        /// Its handler answered `.done`; it is removed.
        case delivered
        /// Queued again; the wait in milliseconds.
        case waiting(WaitCause, Milliseconds)
        /// Refused for good, expired or without a handler: a person decides.
        case parked
        /// A person made it eligible at once.
        case requeued
        /// A person deleted it.
        case deleted
        /// It cannot be read, and is kept as it is.
        case quarantined(QuarantineReason)
        /// The outcome could not be written and will be written later.
        case outcomeNotStored
        /// The storage is damaged where its entry is: what is to become of it cannot be written. It
        /// stays as it is, until another drain begins.
        case leftAlone
        /// The queue, or the key, could not be read; the queue is looked at again later.
        case queueNotRead
        /// The storage is damaged beyond single entries; ``reason`` says how, see
        /// ``StorageDamage``. Said when a drain begins.
        case damaged
    }

    /// What happened.
    public let change: Change
    /// `nil` when the event is about the queue, or about an entry whose envelope is unreadable.
    public let id: OperationID?
    /// `nil` when ``id`` is, or when nobody knows it.
    public let kind: OperationKind?
    /// The type of the failure.
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
