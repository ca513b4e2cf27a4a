/// The bookkeeping of an operation: all data that the outbox itself needs.
///
/// The envelope does not contain the payload. The payload is opaque to the outbox and is stored
/// beside the envelope as a ``SealedRecord``.
public struct Envelope: Hashable, Sendable {
    /// The greatest length of `kind`, `lastError` and `orderingKey`, in bytes.
    public static let maximumNameLength = 255

    /// The operation's identifier. The client makes it, and the other side recognises repetitions
    /// by it.
    public let id: OperationID
    /// The name of the handler that attempts the operation.
    public let kind: OperationKind
    /// The time at which the operation was enqueued, according to the wall clock at that moment.
    public let createdAt: WallTime

    /// The operation's lane. `nil`: the operation is in no lane and waits for no other.
    public let orderingKey: OrderingKey?

    /// The number of failed attempts. A wait that a server asked for does not count.
    public var attemptCount: UInt32

    /// The earliest wall-clock moment of the next attempt.
    public var nextEligibleAt: WallTime

    /// The cause of the wait until ``nextEligibleAt``.
    public var waitCause: WaitCause

    /// The type of the most recent failure, never its text.
    public var lastError: ReasonCode?

    /// Whether the operation, while parked or quarantined, holds back the operations behind it in
    /// its lane: ``LanePolicy/blockLane``. The value has no meaning while the operation is queued,
    /// or when it has no lane.
    public var blocksLane: Bool

    /// The fields that a newer build wrote. This build keeps them and writes them back unchanged.
    public var unknownFields: [UnknownField]

    /// Creates the envelope of a new operation, which is eligible at once.
    public init(
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime,
        orderingKey: OrderingKey? = nil
    ) {
        self.id = id
        self.kind = kind
        self.createdAt = createdAt
        self.orderingKey = orderingKey
        attemptCount = 0
        nextEligibleAt = .distantPast
        waitCause = .nothing
        lastError = nil
        blocksLane = false
        unknownFields = []
    }
}

/// The cause of an operation's wait. The cause decides which event ends the wait early.
public enum WaitCause: UInt8, Hashable, Sendable {
    /// The operation does not wait: it is eligible at once.
    case nothing = 0
    /// The server answered with a failure, and the operation backs off.
    case backoff = 1
    /// The server could not be reached. The return of the network ends this wait.
    case network = 2
    /// The server asked for the wait. Only the time, or a person, ends it.
    case server = 3
}

/// A field of an envelope that this build does not know.
public struct UnknownField: Hashable, Sendable {
    /// The field's tag in the newer build's format.
    public let tag: UInt8
    /// The field's bytes, at most 65,535.
    public let value: [UInt8]

    /// Creates a field, which is written back unchanged.
    public init(tag: UInt8, value: [UInt8]) {
        self.tag = tag
        self.value = value
    }
}
