public import OutboxCore
public import StoreCore

/// A state machine that keeps a device's copy of a server's records, with the changes that a person
/// makes while the server is away. Pure: no clock, no storage, no network, no randomness.
///
/// A shell tells what a person does and what happened, and performs the effects in their order. All
/// records are in memory. The shell stores, in one transaction, the records that ``SyncEffect/store(_:)``
/// names and ``meta``; the machine of the next start is made of them.
///
/// ## States of a change
/// ```
///            push                   accepted                row of that version
/// queued ───────────▶ sending ────────────────▶ accepted ────────────────────▶ (gone)
///   ▲  ▲               │  │  │  no answer                     settled by a conflict
///   │  │    conflict   │  │  └──────────▶ unknown ◀──┐ ┌──────▶ (gone, told if values are lost)
///   │  └───────────────┘  │                 │ woken  │ │
///   │                     │ refused         ▼        │ no answer
///   │   try again, edit   ▼               asking ────┘
///   └────────────────── refused ◀───────────┘  answered as a push is; unheard: queued
///                         └──discard──▶ (gone)
/// ```
///
/// ## States of pulling
/// ```
/// idle ──woken, refresh, accepted──▶ pulling ──page with more──▶ pulling
///   ▲                                  └──last page, no answer, a page without progress──▶ idle
///   cursorForgotten, refresh: from the beginning; the rows that do not come are removed at its end
/// ```
///
/// ## Invariants
/// 1. At any time the shown records are the rows with the pending changes over them, in order.
/// 2. At most one change of a record is under way, the first that is not accepted. Changes of other
///    records never wait for it, except those that refer to a record that has no identifier yet.
/// 3. A change leaves ``SyncChange/State-swift.enum/sending`` and
///    ``SyncChange/State-swift.enum/asking`` only by an answer for this change and this attempt, or
///    by the news that none came. Only `accepted` confirms.
/// 4. The content of an attempt never changes once it may have been sent. Another content has
///    another attempt, made only after an answer that says that nothing was applied.
/// 5. An accepted change is shown until a row of its version, or a later one, arrives.
/// 6. A row is replaced only by a row of a greater version, and removed only by a tombstone or at the
///    end of a full pull that did not name it.
/// 7. A refused change stays, and is shown, until a person chooses. Those behind it wait.
/// 8. A temporary identifier is replaced everywhere in one step, and leads to the record afterwards.
/// 9. An edit that changes nothing makes no change and takes no stamp.
/// 10. Only the answer to the last pull request is taken. A cursor is stored with its rows.
/// 11. A change is pushed under the node of this machine; when the node changes, a change that may
///     have been sent keeps its identity until the server has said that it was not applied.
///
/// ## Failures
/// | failure | outcome |
/// |---|---|
/// | a request or its answer is lost | unknown; the next wake-up asks, then pushes the same again |
/// | an answer comes twice, late, or for another attempt | nothing |
/// | the process ends | what was being sent is unknown; a full pull goes on where it was |
/// | the server forgot the cursor | everything is pulled; pending changes stay |
/// | a page makes no progress | the pull ends; the next wake-up tries again |
/// | the row changed elsewhere | the policy of the kind decides, see ``ConflictPolicy`` |
/// | the server refuses | an entry, until a person chooses |
/// | a creation is discarded | changes that refer to the record are refused |
/// | the server contradicts itself | an entry, not an endless loop |
/// | this is a clone or a restored backup | a new node; nothing is applied twice |
/// | the wall clock jumps | see ``SyncClock`` |
/// | more changes than ``SyncLimits/pending`` | the edit is refused at once |
public struct SyncMachine<Rules: SyncRules, Indexes: EntityIndexes<ShownRecord>> {
    /// The records as a person sees them, with the indexes that the app declares.
    public private(set) var shown = EntityTable<ShownRecord, Indexes>()
    /// The state that is stored beside the records.
    public internal(set) var meta: SyncMeta
    /// The app's rules.
    public let rules: Rules
    /// The limits of what a person and the network can make grow.
    public let limits: SyncLimits

    private(set) var records = EntityTable<SyncRecord, NoIndexes<SyncRecord>>()
    /// The records with changes, in the order in which they got their first one.
    private(set) var busy: [RecordKey] = []
    package internal(set) var pulling = Pulling.idle
    /// The number of the last pull request.
    var lastRequest: UInt64 = 0
    var isNodeAwaited = false

    /// The effects of the event that is being handled.
    private var effects: [SyncEffect] = []
    private var touched: [RecordKey] = []

    package enum Pulling: Hashable, Sendable {
        case idle
        /// A request is under way.
        ///
        /// - Parameter again: Whether a change was accepted after the request began, so that its
        ///   answer may lack the change's echo.
        case pulling(again: Bool)
    }

    /// A machine of an empty replica.
    public init(node: NodeID, rules: Rules, limits: SyncLimits = SyncLimits()) {
        meta = SyncMeta(node: node)
        self.rules = rules
        self.limits = limits
    }

    /// The machine after a restart.
    ///
    /// - Parameters:
    ///   - meta: The stored ``meta``.
    ///   - stored: The stored records, in any order.
    ///   - rules: The app's rules.
    ///   - limits: The limits.
    /// - Complexity: O(*n* log *n*) for *n* records.
    public init(
        meta: SyncMeta,
        records stored: some Sequence<SyncRecord>,
        rules: Rules,
        limits: SyncLimits = SyncLimits()
    ) {
        self.meta = meta
        self.rules = rules
        self.limits = limits
        for record in stored {
            var record = record
            for position in record.changes.indices {
                if record.changes[position].isUnderWay { record.changes[position].state = .unknown }
                // The number is stored in another place than the changes; the greater one counts.
                let id = record.changes[position].id
                if id.node == meta.clock.node {
                    self.meta.clock.number = max(self.meta.clock.number, id.number)
                }
            }
            put(record, was: nil)
        }
        // Storage has no order of its own.
        let order = busy.map { (key: $0, first: first($0)) }
        busy = order.sorted { $0.first < $1.first }.map { $0.key }
        touched = []
        forgetTemporaryNames()
    }

    /// Forgets the temporary identifiers of records that are gone: no part of the program that begins
    /// anew knows them. The next event stores that.
    private mutating func forgetTemporaryNames() {
        for record in records where !record.movedTo.isEmpty {
            let key = RecordKey(kind: record.key.kind, id: record.movedTo)
            guard self.record(key) == nil else { continue }
            records.remove(record.id)
            touched.append(record.key)
        }
    }

    private func first(_ key: RecordKey) -> ChangeID {
        record(key)?.changes.first?.id
            ?? ChangeID(number: 0, node: NodeID(high: 0, low: 0))
    }

    // MARK: Looking

    /// The held record, also under its former temporary identifier; `nil` if there is none.
    ///
    /// - Complexity: O(log *n*).
    public func record(_ key: RecordKey) -> SyncRecord? { records[EntityID(key)] }

    /// All that is held, in no order.
    public var stored: EntityTable<SyncRecord, NoIndexes<SyncRecord>> { records }

    /// The present name of a record that may be known by its temporary identifier.
    ///
    /// - Complexity: O(log *n*).
    public func name(_ key: RecordKey) -> RecordKey {
        guard let moved = record(key)?.movedTo, !moved.isEmpty else { return key }
        return RecordKey(kind: key.kind, id: moved)
    }

    /// The number of changes that the server has not accepted, refused ones included. Counted, never
    /// kept beside the changes.
    ///
    /// - Complexity: O(*p*) for *p* changes.
    public var pendingCount: Int {
        busy.reduce(0) { count, key in
            count + (record(key)?.changes.reduce(0) { $0 + ($1.isAccepted ? 0 : 1) } ?? 0)
        }
    }

    /// The refused changes, which wait for a person: in the order in which their records got the
    /// first change.
    ///
    /// - Complexity: O(*p*) for *p* changes.
    public var entries: [SyncEntry] {
        var entries: [SyncEntry] = []
        for key in busy {
            guard let record = record(key) else { continue }
            for change in record.changes {
                guard case .refused(let reason, let row) = change.state else { continue }
                entries.append(
                    SyncEntry(key: key, change: change, reason: reason, server: row ?? record.base)
                )
            }
        }
        return entries
    }

    /// Whether a request is under way, or a change can be pushed at the next wake-up.
    public var isSyncing: Bool {
        if pulling != .idle { return true }
        return busy.contains { key in record(key)?.changes.contains { $0.isUnderWay } ?? false }
    }

    // MARK: Changing

    /// Runs what one event does, and collects its effects.
    mutating func collect(_ body: (inout Self) -> Void) -> [SyncEffect] {
        let before = meta
        body(&self)
        var result: [SyncEffect] = []
        if !touched.isEmpty || meta != before { result.append(.store(touched)) }
        result += effects
        effects = []
        touched = []
        return result
    }

    mutating func perform(_ effect: SyncEffect) { effects.append(effect) }

    /// Changes what is held of a record, and what is shown of it.
    mutating func change(_ key: RecordKey, _ body: (inout SyncRecord) -> Void) {
        let old = records[EntityID(key)]
        var new = old ?? SyncRecord(key)
        body(&new)
        put(new, was: old)
    }

    private mutating func put(_ record: SyncRecord, was old: SyncRecord?) {
        let key = record.key
        if record.isEmpty {
            records.remove(record.id)
        } else {
            records.insert(record)
        }
        if let view = record.shown {
            shown.insert(view)
        } else {
            shown.remove(EntityID(key))
        }
        if record.changes.isEmpty != (old?.changes.isEmpty ?? true) {
            if record.changes.isEmpty { busy.removeAll { $0 == key } } else { busy.append(key) }
        }
        touched.append(key)
    }
}

/// The limits of a ``SyncMachine``.
public struct SyncLimits: Hashable, Sendable {
    /// The most changes that may wait.
    public var pending: Int
    /// The most pushes and questions under way at once.
    public var underWay: Int
    /// The most fields of a record, and the most bytes of a name or an identifier.
    public var names: Int
    /// The most bytes of one value.
    public var value: Int

    /// Limits of the app's own.
    public init(pending: Int = 10_000, underWay: Int = 4, names: Int = 255, value: Int = 1 << 20) {
        self.pending = pending
        self.underWay = underWay
        self.names = names
        self.value = value
    }
}

/// The state that a shell stores beside the records.
public struct SyncMeta: Hashable, Sendable {
    /// The clock.
    public internal(set) var clock: SyncClock
    /// The cursor of the last page; `nil` before the first one.
    public internal(set) var cursor: [UInt8]?
    /// The number of the full pull that is going on, or was the last.
    var sweep: UInt32 = 0
    /// Whether a full pull is going on, as the first one is: rows that it does not name are removed at
    /// its end.
    var isSweeping = true
    /// The server's time at the last complete pull; it never goes back.
    public internal(set) var lastPulled: WallTime?

    init(node: NodeID) { clock = SyncClock(node: node) }
}

/// A task of the shell.
public enum SyncEffect: Hashable, Sendable {
    /// Store these records, or remove those that ``SyncMachine/record(_:)`` no longer knows, together
    /// with ``SyncMachine/meta``, in one transaction, before any later effect. A key may occur twice.
    case store([RecordKey])
    /// Send the request, and tell ``SyncEvent/pulled(request:_:serverTime:)`` or
    /// ``SyncEvent/pullFailed(request:)``.
    case pull(PullRequest)
    /// Send the request, and tell ``SyncEvent/answered(_:attempt:_:serverTime:)`` or
    /// ``SyncEvent/unanswered(_:attempt:)``.
    case push(PushRequest)
    /// Send the question, and tell ``SyncEvent/asked(_:attempt:_:serverTime:)`` or
    /// ``SyncEvent/unanswered(_:attempt:)``.
    case ask(AskRequest)
    /// Make 128 random bits, and tell ``SyncEvent/nodeMade(_:)``.
    case makeNode
    /// The record has the server's identifier now.
    case renamed(from: RecordKey, to: RecordKey)
    /// Tell the person that a change was refused: it is in ``SyncMachine/entries``.
    case refused(RecordKey, ChangeID)
    /// Tell the person that these values gave way to another change, as the policy says. For a
    /// deletion that gave way there are none.
    case overruled(RecordKey, ChangeID, [FieldValue])
    /// A page made no progress, or a full pull was refused: the server is at fault.
    case pullStalled
}

/// An event that the shell tells.
public enum SyncEvent: Hashable, Sendable {
    /// The program has started, the network is back, or the pause after a failure is over.
    case woken
    /// A person wants everything to be pulled again. Nothing that is pending is given up.
    case refresh
    /// The answer to a pull.
    case pulled(request: UInt64, PullAnswer, serverTime: WallTime)
    /// There will be no answer to a pull.
    case pullFailed(request: UInt64)
    /// The answer to a push.
    case answered(ChangeID, attempt: UInt32, PushAnswer, serverTime: WallTime)
    /// There will be no answer to a push or a question.
    case unanswered(ChangeID, attempt: UInt32)
    /// The answer to a question; `nil` if the server has not heard of this attempt.
    case asked(ChangeID, attempt: UInt32, PushAnswer?, serverTime: WallTime)
    /// The server's time.
    case timeTold(WallTime)
    /// A new node: 128 random bits.
    case nodeMade(NodeID)
}

extension SyncMachine: Sendable where Rules: Sendable, Indexes: Sendable {}
