/// The bookkeeping around an operation's payload: all that the outbox itself needs to know.
///
/// The payload is not here: it is opaque to the outbox and travels beside the envelope as a
/// ``SealedRecord``.
public struct Envelope: Hashable, Sendable {
    /// The longest `kind`, `lastError` and `orderingKey`, in bytes.
    public static let maximumNameLength = 255

    /// Made by the client; the other side recognises repetitions by it.
    public let id: OperationID
    /// Whose handler attempts the operation.
    public let kind: OperationKind
    /// When it was enqueued, by the wall clock of that moment.
    public let createdAt: WallTime

    /// The lane to which the operation belongs; `nil` for none, so that it waits for no other.
    public let orderingKey: OrderingKey?

    /// Attempts that failed. Waiting because a server asked for it is not an attempt.
    public var attemptCount: UInt32

    /// The earliest wall-clock moment of the next attempt.
    public var nextEligibleAt: WallTime

    /// What the operation waits for until ``nextEligibleAt``.
    public var waitCause: WaitCause

    /// The type of the most recent failure, never its text.
    public var lastError: ReasonCode?

    /// Whether the operation, while parked or quarantined, holds back the operations behind it in
    /// its lane: ``LanePolicy/blockLane``. Without meaning while it is queued, or without a lane.
    public var blocksLane: Bool

    /// Fields that a newer build wrote. Kept and written back as they were.
    public var unknownFields: [UnknownField]

    /// An envelope of an operation that was never attempted and is eligible at once.
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

/// What an operation is waiting for. It decides what ends the wait early.
public enum WaitCause: UInt8, Hashable, Sendable {
    /// Eligible at once.
    case nothing = 0
    /// The server answered with a failure; backing off.
    case backoff = 1
    /// The server could not be reached. The return of the network ends this wait.
    case network = 2
    /// The server asked for the wait. Only the time, or a person, ends it.
    case server = 3
}

/// A field of an envelope that this build does not know.
public struct UnknownField: Hashable, Sendable {
    /// What the newer build calls the field.
    public let tag: UInt8
    /// Its bytes, at most 65,535.
    public let value: [UInt8]

    /// A field to be written back as it is.
    public init(tag: UInt8, value: [UInt8]) {
        self.tag = tag
        self.value = value
    }
}
