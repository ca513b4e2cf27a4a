import OutboxCore

/// The latest transitions of operations that this page stored: kinds and identifiers, no text.
struct TransitionLog {
    /// How many are kept.
    static let kept = 50

    /// A state that an operation came into, and the operation's key. The state is the first byte of
    /// its head, or 0 if it left the outbox.
    typealias Entry = (state: UInt8, key: [UInt8])

    /// The latest transitions, the latest last.
    private var entries: [Entry] = []

    mutating func add(_ new: [Entry]) {
        entries += new
        entries.removeFirst(max(0, entries.count - Self.kept))
    }

    /// A line for each transition, the latest first.
    var lines: [UInt8] {
        var lines: [UInt8] = []
        for entry in entries.reversed() {
            lines += utf8(Self.name(of: entry.state))
            lines += OperationID(bytes: entry.key)?.text ?? []
            lines.append(0x0A)
        }
        return lines
    }

    private static func name(of state: UInt8) -> StaticString {
        switch state {
        case 0: "removed "
        case 1: "queued "
        case 2: "parked "
        default: "quarantined "
        }
    }
}
