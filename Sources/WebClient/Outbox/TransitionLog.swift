import MemoTexts
import OutboxCore

/// The latest transitions of operations: times, states, identifiers, kinds and types of errors, no
/// text.
struct TransitionLog {
    /// How many are kept.
    static let kept = 50

    /// A state that an operation came into.
    struct Transition: Hashable {
        /// The first byte of the operation's head, or 0 if it left the outbox.
        let state: UInt8
        let key: [UInt8]
        /// The operation's kind; empty if it is not known.
        let kind: [UInt8]
        /// The type of the operation's last error; empty if it has none.
        let error: [UInt8]

        init(state: UInt8, key: [UInt8], _ kind: [UInt8], _ error: [UInt8]) {
            self.state = state
            self.key = key
            self.kind = kind
            self.error = error
        }
    }

    struct Entry: Hashable {
        let time: WallTime
        let transition: Transition
    }

    /// The latest transitions, the latest last.
    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ new: [Transition], at time: WallTime) {
        add(new.map { Entry(time: time, transition: $0) })
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
        switch transition.state {
        case 0: .logRemoved
        case 1: .statusQueued
        case 2: .statusParked
        default: .statusUnreadable
        }
    }
}

// MARK: Storing

extension TransitionLog {
    /// The first byte of an entry: no time begins with it.
    private static let mark: UInt8 = 1
    /// The length of an entry up to the kind's length. Earlier builds stored the entry without mark,
    /// kind and error.
    private static let fixedLength = 1 + 8 + 1 + 16

    /// Passes over what follows damage.
    init(decoding bytes: [UInt8]) {
        var rest = bytes[...]
        func name() -> [UInt8]? {
            guard let length = rest.popFirst(), rest.count >= Int(length) else { return nil }
            defer { rest.removeFirst(Int(length)) }
            return Array(rest.prefix(Int(length)))
        }
        while let first = rest.first {
            if first == Self.mark { rest.removeFirst() }
            guard rest.count >= Self.fixedLength - 1 else { break }
            let fixed = Array(rest.prefix(Self.fixedLength - 1))
            rest.removeFirst(Self.fixedLength - 1)
            var (kind, error): ([UInt8], [UInt8]) = ([], [])
            if first == Self.mark {
                guard let names = name().flatMap({ kind in name().map { (kind, $0) } }) else {
                    break
                }
                (kind, error) = names
            }
            guard let time = WallTime(ordered: fixed[..<8]) else { continue }
            let transition = Transition(state: fixed[8], key: Array(fixed[9...]), kind, error)
            entries.append(Entry(time: time, transition: transition))
        }
        add([])
    }

    /// The entries, without those whose key is no identifier.
    func encoded() -> [UInt8] {
        entries.flatMap { entry -> [UInt8] in
            let transition = entry.transition
            guard transition.key.count == 16 else { return [] }
            return [Self.mark] + entry.time.ordered + [transition.state] + transition.key
                + Self.named(transition.kind) + Self.named(transition.error)
        }
    }

    private static func named(_ name: [UInt8]) -> [UInt8] {
        [UInt8(min(name.count, 255))] + name.prefix(255)
    }
}
