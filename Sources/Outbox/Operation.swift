public import OutboxCore

/// A durable intent, opened: what a handler receives.
public struct Operation: Sendable {
    public let id: OperationID
    public let kind: OperationKind
    public let createdAt: WallTime
    /// Attempts that failed before this one.
    public let attemptCount: UInt32
    public let orderingKey: OrderingKey?
    /// The bytes that were enqueued.
    public let payload: [UInt8]
}

/// Tries to hand one operation to the other side.
///
/// May be run again with the same operation after a crash, or when the answer was lost: the other
/// side recognises it by ``Operation/id``. Answers `.done` only when the other side holds the
/// operation durably. The task is cancelled when draining stops; an outcome other than `.done` and
/// `.park` is then ignored and the operation stays as it was.
public typealias OperationHandler = @Sendable (Operation) async -> DeliveryMachine.Outcome

/// An operation that was validated and sealed, and that no storage holds yet.
public struct SealedOperation: Sendable {
    public let envelope: Envelope
    /// The payload as ``SealedRecord`` bytes.
    public let record: [UInt8]

    public init(envelope: Envelope, record: [UInt8]) {
        self.envelope = envelope
        self.record = record
    }
}
