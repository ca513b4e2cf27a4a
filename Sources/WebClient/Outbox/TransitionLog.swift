import MemoCore
import OutboxCore

/// The latest transitions of operations: times, kinds and identifiers, no text.
struct TransitionLog {
    /// How many are kept.
    static let kept = 50

    /// A state that an operation came into, and the operation's key. The state is the first byte of
    /// its head, or 0 if it left the outbox.
    typealias Transition = (state: UInt8, key: [UInt8])

    struct Entry: Hashable {
        let time: WallTime
        let state: UInt8
        let key: [UInt8]
    }

    /// The length of a stored entry: a time, a state and an identifier.
    private static let length = 8 + 1 + 16

    /// The latest transitions, the latest last.
    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ new: [Transition], at time: WallTime) {
        add(new.map { Entry(time: time, state: $0.state, key: $0.key) })
    }

    private mutating func add(_ new: [Entry]) {
        entries += new
        entries.removeFirst(max(0, entries.count - Self.kept))
    }

    /// Adds what another log has and this one has not, as later than all that is here.
    ///
    /// - Returns: Whether there was anything to add.
    mutating func add(_ later: TransitionLog) -> Bool {
        let new = later.entries.filter { !entries.contains($0) }
        add(new)
        return !new.isEmpty
    }

    /// The latest of both logs, in the order of time.
    func merged(with other: TransitionLog) -> TransitionLog {
        var merged = TransitionLog()
        var others = other.entries[...]
        for entry in entries {
            while let first = others.first, first.time < entry.time {
                merged.entries.append(first)
                others.removeFirst()
            }
            merged.entries.append(entry)
        }
        merged.add(Array(others))
        return merged
    }

    /// The transitions, the latest first.
    var latestFirst: [Entry] { entries.reversed() }
}

extension TransitionLog.Entry {
    /// The word for the state that the operation came into.
    var text: AppText {
        switch state {
        case 0: .logRemoved
        case 1: .statusQueued
        case 2: .statusParked
        default: .statusUnreadable
        }
    }
}

// MARK: Storing

extension TransitionLog {
    /// Passes over what is not a whole entry.
    init(decoding bytes: [UInt8]) {
        var rest = bytes.suffix(Self.kept * Self.length)
        while rest.count >= Self.length {
            let entry = Array(rest.prefix(Self.length))
            rest.removeFirst(Self.length)
            guard let time = WallTime(ordered: entry[..<8]) else { continue }
            entries.append(Entry(time: time, state: entry[8], key: Array(entry[9...])))
        }
    }

    /// The entries, without those whose key is no identifier.
    func encoded() -> [UInt8] {
        entries.flatMap { entry in
            entry.key.count == 16 ? entry.time.ordered + [entry.state] + entry.key : []
        }
    }
}
