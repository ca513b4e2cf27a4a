/// The bookkeeping of an operation: all data that the outbox itself needs.
///
/// The envelope does not contain the payload. The payload is opaque to the outbox and is stored
/// beside the envelope as a ``SealedRecord``.
public struct Envelope: Hashable, Sendable {
    /// The greatest length of `kind`, `lastError` and `orderingKey`, in bytes.
    public static let maximumNameLength = 255

    /// The fields, behind one reference: a copy of an envelope counts one reference, where it would
    /// count one for each name. Nobody changes fields that two envelopes share.
    private final class Fields: @unchecked Sendable {
        let id: OperationID
        let kind: OperationKind
        let createdAt: WallTime
        let orderingKey: OrderingKey?
        var attemptCount: UInt32 = 0
        var nextEligibleAt = WallTime.distantPast
        var waitCause = WaitCause.nothing
        var lastError: ReasonCode?
        var blocksLane = false
        var unknownFields: [UnknownField] = []

        init(
            _ id: OperationID,
            _ kind: OperationKind,
            _ createdAt: WallTime,
            _ orderingKey: OrderingKey?
        ) {
            self.id = id
            self.kind = kind
            self.createdAt = createdAt
            self.orderingKey = orderingKey
        }

        @inline(never)
        func copy() -> Fields {
            let copy = Fields(id, kind, createdAt, orderingKey)
            copy.attemptCount = attemptCount
            copy.nextEligibleAt = nextEligibleAt
            copy.waitCause = waitCause
            copy.lastError = lastError
            copy.blocksLane = blocksLane
            copy.unknownFields = unknownFields
            return copy
        }
    }

    private var fields: Fields

    private var own: Fields {
        @inline(never)
        mutating get {
            if !isKnownUniquelyReferenced(&fields) { fields = fields.copy() }
            return fields
        }
    }

    /// The operation's identifier. The client makes it, and the other side recognises repetitions
    /// by it.
    public var id: OperationID { fields.id }
    /// The name of the handler that attempts the operation.
    public var kind: OperationKind { fields.kind }
    /// The time at which the operation was enqueued, according to the wall clock at that moment.
    public var createdAt: WallTime { fields.createdAt }

    /// The operation's lane. `nil`: the operation is in no lane and waits for no other.
    public var orderingKey: OrderingKey? { fields.orderingKey }

    /// The number of failed attempts. A wait that a server asked for does not count.
    public var attemptCount: UInt32 {
        get { fields.attemptCount }
        set { own.attemptCount = newValue }
    }

    /// The earliest wall-clock moment of the next attempt.
    public var nextEligibleAt: WallTime {
        get { fields.nextEligibleAt }
        set { own.nextEligibleAt = newValue }
    }

    /// The cause of the wait until ``nextEligibleAt``.
    public var waitCause: WaitCause {
        get { fields.waitCause }
        set { own.waitCause = newValue }
    }

    /// The type of the most recent failure, never its text.
    public var lastError: ReasonCode? {
        get { fields.lastError }
        set { own.lastError = newValue }
    }

    /// Whether the operation, while parked or quarantined, holds back the operations behind it in
    /// its lane: ``LanePolicy/blockLane``. The value has no meaning while the operation is queued,
    /// or when it has no lane.
    public var blocksLane: Bool {
        get { fields.blocksLane }
        set { own.blocksLane = newValue }
    }

    /// The fields that a newer build wrote. This build keeps them and writes them back unchanged.
    public var unknownFields: [UnknownField] {
        get { fields.unknownFields }
        set { own.unknownFields = newValue }
    }

    /// Creates the envelope of a new operation, which is eligible at once.
    public init(
        id: OperationID,
        kind: OperationKind,
        createdAt: WallTime,
        orderingKey: OrderingKey? = nil
    ) {
        fields = Fields(id, kind, createdAt, orderingKey)
    }

    public static func == (left: Self, right: Self) -> Bool {
        let (left, right) = (left.fields, right.fields)
        return left === right
            || left.id == right.id && left.kind == right.kind && left.createdAt == right.createdAt
                && left.orderingKey == right.orderingKey && left.attemptCount == right.attemptCount
                && left.nextEligibleAt == right.nextEligibleAt && left.waitCause == right.waitCause
                && left.lastError == right.lastError && left.blocksLane == right.blocksLane
                && left.unknownFields == right.unknownFields
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(attemptCount)
        hasher.combine(nextEligibleAt)
        hasher.combine(waitCause)
        hasher.combine(lastError)
        hasher.combine(blocksLane)
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
