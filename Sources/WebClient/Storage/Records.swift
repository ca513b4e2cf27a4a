import OutboxCore

/// The kinds of records, each in an object store of IndexedDB. A record has a key, a head by which
/// it is ordered and which may change, and a body, which is sealed and never changes.
package enum Records {
    /// Operations. Key: the identifier. Head: ``OperationHead``. Body: the sealed payload.
    case outbox
    /// Memos that were sent from here. Key: the identifier. Head: ``HistoryHead``. Body:
    /// ``HistoryText``.
    case history
    /// Drafts, one for each page. Key: an identifier. Head: when it was saved.
    case drafts
    /// Texts that other apps shared and no page has taken yet. The same shape as drafts.
    case shares
    /// Account, settings and the like, under a name of one byte.
    case things
    /// What all devices of the person share. See ``SharedRepository``.
    case shared

    static let all: [Records] = [.outbox, .history, .drafts, .shares, .things, .shared]

    /// The stores that each version of the database adds to those of the version before. A line that
    /// a person's browser may have performed never changes.
    package static let migrations: [[StaticString]] = [
        ["outbox", "history", "drafts", "shares", "things", "key"],
        ["shared"],
    ]

    package var name: StaticString {
        switch self {
        case .outbox: "outbox"
        case .history: "history"
        case .drafts: "drafts"
        case .shares: "shares"
        case .things: "things"
        case .shared: "shared"
        }
    }
}

/// A record as it is stored.
package struct Record {
    package let key: [UInt8]
    package let head: [UInt8]
    package let body: [UInt8]

    package init(key: [UInt8], head: [UInt8], body: [UInt8]) {
        self.key = key
        self.head = head
        self.body = body
    }
}

/// Steps that are performed all together or not at all.
struct Transaction {
    fileprivate(set) var steps = BorderWriter()
    fileprivate(set) var count: UInt32 = 0
    /// The changes that the steps make to operations.
    private(set) var transitions: [TransitionLog.Transition] = []

    /// - Returns: The number of the step.
    @inline(never) @discardableResult
    private mutating func step(_ step: Step, _ store: StaticString) -> Int {
        steps.byte(step.rawValue)
        steps.block(store)
        count += 1
        return Int(count) - 1
    }

    private mutating func note(
        _ head: [UInt8],
        _ key: [UInt8],
        _ records: Records,
        kind: OperationKind? = nil
    ) {
        guard records == .outbox else { return }
        let names = OperationHead(decoding: head)?.names ?? (kind: kind?.utf8 ?? [], error: [])
        transitions.append(
            TransitionLog.Transition(state: head.first ?? 0, key: key, names.kind, names.error)
        )
    }

    /// The transaction fails, as signed out, if the key is not stored any more.
    ///
    /// - Parameter key: The key, for a body that is not sealed; `nil` for the key that the body is
    ///   sealed under.
    @inline(never)
    mutating func put(_ record: Record, in records: Records, whileKey key: KeyID? = nil) {
        step(.put, records.name)
        note(record.head, record.key, records)
        steps.block(record.key)
        steps.block(record.head)
        steps.block(record.body)
        steps.block(key?.bytes ?? Array(record.body[1..<9]))
    }

    @inline(never)
    mutating func delete(_ key: [UInt8], from records: Records, kind: OperationKind? = nil) {
        step(.delete, records.name)
        note([], key, records, kind: kind)
        steps.block(key)
    }

    /// Changes the head of a record, if the record is still there and its head still is `expected`.
    /// An empty `expected` stands for any head. The head `kept`, if not empty, stays.
    @inline(never)
    mutating func setHead(
        _ head: [UInt8],
        of key: [UInt8],
        in records: Records,
        ifStill expected: [UInt8] = [],
        unless kept: [UInt8] = []
    ) {
        step(.setHead, records.name)
        note(head, key, records)
        steps.block(key)
        steps.block(head)
        steps.block(expected)
        steps.block(kept)
    }

    @inline(never)
    mutating func get(_ key: [UInt8], from records: Records) -> Slot<Record?> {
        let step = step(.get, records.name)
        steps.block(key)
        return Slot(step: step)
    }

    mutating func get(_ thing: Thing) -> Slot<Record?> { get(thing.key, from: .things) }

    /// Finds records from `lower` up to, not including, `upper`. An empty bound is no bound.
    @inline(never)
    mutating func find(
        in records: Records,
        by order: Order,
        from lower: [UInt8] = [],
        to upper: [UInt8] = [],
        descending: Bool = false,
        limit: UInt32,
        bodies: Bool
    ) -> Slot<[Record]> {
        let step = step(.find, records.name)
        steps.byte(order == .head ? 1 : 0)
        steps.byte(descending ? 1 : 0)
        steps.byte(bodies ? 1 : 0)
        steps.block(lower)
        steps.block(upper)
        steps.number(limit)
        return Slot(step: step)
    }

    /// Counts records by their heads.
    mutating func count(
        in records: Records,
        from lower: [UInt8] = [],
        to upper: [UInt8] = []
    ) -> Slot<Int> {
        let step = step(.count, records.name)
        steps.block(lower)
        steps.block(upper)
        return Slot(step: step)
    }

    /// The transaction fails, as overtaken, if the record has another head.
    ///
    /// - Parameter head: The expected head; empty for no record.
    mutating func require(_ head: [UInt8], of key: [UInt8], in records: Records) {
        step(.require, records.name)
        steps.block(key)
        steps.block(head)
    }

    mutating func clear(_ records: Records) { step(.clear, records.name) }

    /// Reads the names of the keys, which the host then holds.
    mutating func readKeys() -> Slot<[[UInt8]]> { Slot(step: step(.readKeys, "key")) }

    mutating func clearKeys() { step(.clear, "key") }

    enum Order: Hashable {
        case key, head
    }
}

/// The place of a step's finding among the ``Findings`` of its transaction.
struct Slot<Value> {
    fileprivate let step: Int
}

/// The findings of a transaction's steps. Each is read by the slot that its step returned.
struct Findings {
    private var steps: [(count: UInt32, records: [Record])] = []

    init(_ reader: BorderReader) {
        for _ in 0..<reader.number() {
            let count = reader.number()
            var records: [Record] = []
            for _ in 0..<reader.number() {
                records.append(
                    Record(key: reader.block(), head: reader.block(), body: reader.block())
                )
            }
            steps.append((count, records))
        }
    }

    subscript(slot: Slot<[Record]>) -> [Record] { steps[slot.step].records }

    subscript(slot: Slot<Record?>) -> Record? { steps[slot.step].records.first }

    subscript(slot: Slot<Int>) -> Int { Int(steps[slot.step].count) }

    /// The keys of the records.
    subscript(slot: Slot<[[UInt8]]>) -> [[UInt8]] { steps[slot.step].records.map { $0.key } }
}
