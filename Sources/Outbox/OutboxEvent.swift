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
        /// The wait for the cause ended before its time: the network returned, or a person decided.
        /// When more than 100 waits end at once, one event without ``id`` stands for the rest.
        case waitEnded(WaitCause)
        /// The wait for the cause was longer than the policy allows, as after the wall clock was
        /// set back, and now has this length.
        case waitCut(WaitCause, Milliseconds)
        /// The operation was refused for good, has expired or has no handler: a person decides.
        case parked
        /// A person made the operation eligible at once; without ``id``, all queued and parked
        /// operations.
        case requeued
        /// A person deleted the operation.
        case deleted
        /// The entry cannot be read, and is kept as it is. ``id`` and ``kind`` are those that the
        /// stored bookkeeping names; `nil` where it cannot be read either.
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

    /// Makes an event of a stored entry, as far as its bookkeeping can be read.
    init(_ change: Change, _ entry: StoredEntry) {
        let envelope = try? Envelope(decoding: entry.envelope)
        self.init(change, id: entry.operationID ?? envelope?.id, kind: envelope?.kind)
    }

    init(_ change: Change, id: OperationID?, kind: OperationKind?, reason: ReasonCode? = nil) {
        self.change = change
        self.id = id
        self.kind = kind
        self.reason = reason
    }
}
