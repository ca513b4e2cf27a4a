public import OutboxCore

/// A stored operation with its payload opened, as a handler receives it.
public struct OutboxOperation: Sendable {
    /// The operation's identifier, the same in every attempt. The other side recognises repetitions
    /// by the identifier.
    public let id: OperationID
    /// The name under which the handler is registered.
    public let kind: OperationKind
    /// The time at which the operation was enqueued, according to the wall clock at that moment.
    public let createdAt: WallTime
    /// The number of failed attempts before this attempt.
    public let attemptCount: UInt32
    /// The type of the latest failure; `nil` for an operation that has not failed.
    public let lastError: ReasonCode?
    /// The operation's lane; `nil` for an operation in no lane.
    public let orderingKey: OrderingKey?
    /// The bytes that were enqueued.
    public let payload: [UInt8]
}

extension OutboxOperation: CustomStringConvertible {
    /// The kind, the identifier and the size, such as
    /// `note 01930f6e-1d2a-7b60-9c1f-5f0d6a7e2b11 (8 bytes)`. The payload and the ordering key are
    /// left out, so that a printed operation shows no content.
    public var description: String { "\(kind) \(id) (\(payload.count) bytes)" }
}

/// A function that makes one attempt to hand an operation to the other side.
///
/// A drain may call the handler again with the same operation after a crash or a lost answer: the
/// other side recognises the operation by ``OutboxOperation/id``. The handler answers `.done` only
/// when the other side holds the operation durably. The handler begins on the drain's own thread
/// and should not block that thread for long before its first suspension. The task is cancelled
/// when draining stops. The drain then ignores every outcome except `.done` and `.park`, and the
/// operation stays as it was.
public typealias OperationHandler = @Sendable (OutboxOperation) async -> DeliveryMachine.Outcome

/// A validated and sealed operation that no storage holds yet.
public struct SealedOperation: Sendable {
    /// The bookkeeping, which is not sealed.
    public let envelope: Envelope
    /// The payload as ``/OutboxCore/SealedRecord`` bytes.
    public let record: [UInt8]

    /// Creates an operation from its parts. ``Outbox`` makes these parts with `seal`.
    public init(envelope: Envelope, record: [UInt8]) {
        self.envelope = envelope
        self.record = record
    }
}
