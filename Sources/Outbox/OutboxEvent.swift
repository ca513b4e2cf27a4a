public import OutboxCore

/// What happened to an operation, for a log under the category `outbox`. Never holds content.
public struct OutboxEvent: Sendable, Hashable {
    public enum Change: Sendable, Hashable {
        case enqueued
        case attempting(number: UInt32)
        case delivered
        /// Queued again; the wait in milliseconds.
        case waiting(WaitCause, Milliseconds)
        case parked
        case quarantined(QuarantineReason)
        /// The outcome could not be written and will be written later.
        case outcomeNotStored
        /// The queue, or the key, could not be read; the queue is looked at again later.
        case queueNotRead
    }

    public let change: Change
    /// `nil` when the event is about the queue, or about an entry whose envelope is unreadable.
    public let id: OperationID?
    public let kind: OperationKind?
    /// The type of the failure.
    public let reason: ReasonCode?

    init(_ change: Change, _ envelope: Envelope? = nil, reason: ReasonCode? = nil) {
        self.change = change
        id = envelope?.id
        kind = envelope?.kind
        self.reason = reason
    }
}
