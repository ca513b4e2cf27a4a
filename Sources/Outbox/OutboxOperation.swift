public import OutboxCore

/// A durable intent, opened: what a handler receives.
public struct OutboxOperation: Sendable {
    /// The operation's identifier, the same in every attempt: the other side recognises repetitions
    /// by it.
    public let id: OperationID
    /// The name under which the handler is registered.
    public let kind: OperationKind
    /// When the operation was enqueued, by the wall clock of that moment.
    public let createdAt: WallTime
    /// Attempts that failed before this one.
    public let attemptCount: UInt32
    /// The operation's lane; `nil` for an operation in no lane.
    public let orderingKey: OrderingKey?
    /// The bytes that were enqueued.
    public let payload: [UInt8]
}

/// Tries to hand one operation to the other side.
///
/// May be run again with the same operation after a crash, or when the answer was lost: the other
/// side recognises it by ``OutboxOperation/id``. Answers `.done` only when the other side holds the
/// operation durably. Begins on the drain's own thread, which it should not keep for long before it
/// waits for something. The task is cancelled when draining stops; an outcome other than `.done`
/// and `.park` is then ignored and the operation stays as it was.
public typealias OperationHandler = @Sendable (OutboxOperation) async -> DeliveryMachine.Outcome

/// An operation that was validated and sealed, and that no storage holds yet.
public struct SealedOperation: Sendable {
    /// The bookkeeping, which is not sealed.
    public let envelope: Envelope
    /// The payload as ``/OutboxCore/SealedRecord`` bytes.
    public let record: [UInt8]
    /// Whether the identifier was made for this operation, which is inserted once: no storage can
    /// hold the identifier yet, so that none needs to look it up.
    package let hasNewIdentifier: Bool

    /// An operation of these parts; ``Outbox`` makes them with `seal`.
    public init(envelope: Envelope, record: [UInt8]) {
        self.init(envelope: envelope, record: record, hasNewIdentifier: false)
    }

    package init(envelope: Envelope, record: [UInt8], hasNewIdentifier: Bool) {
        self.envelope = envelope
        self.record = record
        self.hasNewIdentifier = hasNewIdentifier
    }

    /// The same operation for a caller that may insert it twice: a storage may hold its identifier.
    var repeatable: SealedOperation { SealedOperation(envelope: envelope, record: record) }
}
