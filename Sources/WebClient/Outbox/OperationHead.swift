import OutboxCore

/// The changing part of a stored operation. Its bytes order operations by state, then by due time,
/// then by identifier, so that the next eligible operation is the first of its index, however long
/// the queue is.
enum OperationHead {
    case queued(Envelope)
    /// Not attempted until a person, or a new sign-in, requeues it.
    case parked(Envelope)
    /// An operation whose bytes cannot be read. They are kept.
    case quarantined(reason: ReasonCode, head: [UInt8])

    /// The first byte.
    enum State: UInt8 {
        case queued = 1
        case parked
        case quarantined
    }

    init?(decoding bytes: [UInt8]) {
        guard let state = bytes.first.flatMap({ State(rawValue: $0) }) else { return nil }
        switch state {
        case .quarantined:
            guard bytes.count > 1, bytes.count >= 2 + Int(bytes[1]) else { return nil }
            let end = 2 + Int(bytes[1])
            self = .quarantined(
                reason: ReasonCode(utf8: Array(bytes[2..<end])),
                head: Array(bytes[end...])
            )
        case .queued, .parked:
            guard bytes.count > 9,
                let envelope = try? Envelope(decoding: Array(bytes[9...]))
            else { return nil }
            self = state == .queued ? .queued(envelope) : .parked(envelope)
        }
    }

    func encoded() -> [UInt8] {
        switch self {
        case .queued(let envelope):
            [State.queued.rawValue] + envelope.nextEligibleAt.ordered + envelope.encoded()
        case .parked(let envelope):
            [State.parked.rawValue] + envelope.createdAt.ordered + envelope.encoded()
        case .quarantined(let reason, let head):
            [State.quarantined.rawValue, UInt8(reason.utf8.count)] + reason.utf8 + head
        }
    }

    /// The operation's kind and the type of its last error, as far as they can be read.
    var names: (kind: [UInt8], error: [UInt8]) {
        switch self {
        case .queued(let envelope), .parked(let envelope):
            (envelope.kind.utf8, envelope.lastError?.utf8 ?? [])
        case .quarantined(let reason, let head):
            (OperationHead(decoding: head)?.names.kind ?? [], reason.utf8)
        }
    }

    /// The bounds of all heads in one state.
    static func bounds(of state: State) -> (lower: [UInt8], upper: [UInt8]) {
        ([state.rawValue], [state.rawValue + 1])
    }

    /// The first bytes of heads that are due at `time` or later.
    static func queued(from time: WallTime) -> [UInt8] {
        [State.queued.rawValue] + time.ordered
    }
}

extension Transaction {
    /// Changes the head of an operation, if it still is as it was found.
    @inline(never)
    mutating func setHead(_ head: OperationHead, of record: Record) {
        setHead(head.encoded(), of: record.key, in: .outbox, ifStill: record.head)
    }
}
