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
/// | an answer's row is older than a full pull | the record is pulled, not taken from the answer |
/// | a page makes no progress | the pull ends; the next wake-up tries again |
/// | the row changed elsewhere | the policy of the kind decides, see ``ConflictPolicy`` |
/// | the server refuses | an entry, until a person chooses |
/// | a creation is discarded | changes that refer to the record are refused |
/// | the server contradicts itself | an entry, not an endless loop |
/// | this is a clone or a restored backup | a new node; nothing is applied twice |
/// | the wall clock jumps | see ``SyncClock`` |
/// | more changes than ``SyncLimits/pending`` | the edit is refused at once |
public struct SyncMachine<Rules: SyncRules, Indexes: EntityIndexes<ShownRecord>> {
    /// The state that is stored beside the records.
    public internal(set) var meta: SyncMeta
    /// The limits of what a person and the network can make grow.
    public let limits: SyncLimits

    private(set) var held = HeldRecords()
    /// The records with changes, in the order in which they got their first one, and some of those whose
    /// last change has gone.
    private(set) var busy: [RecordKey] = []
    /// The number of records in ``busy`` without changes. They leave it together, so that one does not
    /// cost a look at all.
    private var idle = 0
    /// A number through which all changes of this machine's node are settled; it may be behind.
    private var settled: UInt64 = 0
    /// The number of pushes since ``settled`` was found.
    private var pushes = 0
    /// The record that is said to have the change of the present event; `nil` if nothing is said.
    var hint: RecordKey?
    package internal(set) var pulling = Pulling.idle
    /// The number of the last pull request.
    var lastRequest: UInt64 = 0
    var isNodeAwaited = false

    /// The effects of the event that is being handled.
    private var effects: [SyncEffect] = []
    /// The records on which the event works. No record that was handed out is among them.
    private var open: [SyncRecord] = []
    /// The records to be stored with the next event.
    private var touched: [RecordKey] = []

    // Last, so that the places of the others are the same for all apps.
    /// The records as a person sees them, with the indexes that the app declares; none if
    /// ``SyncRules/keepsShown`` says so.
    public private(set) var shown = EntityTable<ShownRecord, Indexes>()
    /// The app's rules.
    public let rules: Rules

    package enum Pulling: UInt8, Hashable, Sendable {
        case idle
        /// A request is under way.
        case pulling
        /// A request is under way, and a change was accepted after it began, so that its answer may
        /// lack the change's echo.
        case pullingAgain
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
    /// - Complexity: O(*n* log *n*) for *n* records, of which few have changes.
    public init(
        meta: SyncMeta,
        records stored: [SyncRecord],
        rules: Rules,
        limits: SyncLimits = SyncLimits()
    ) {
        self.meta = meta
        self.rules = rules
        self.limits = limits
        for given in stored {
            // Nothing that a machine holds is another's.
            let record = SyncRecord(copying: given)
            record.isBusy = !record.changes.isEmpty
            held.insert(record)
            show(record)
            guard record.isBusy else { continue }
            for change in record.changes {
                if change.isUnderWay { change.state = .unknown }
                // The number is stored in another place than the changes; the greater one counts.
                if change.id.node == meta.clock.node {
                    self.meta.clock.number = max(self.meta.clock.number, change.id.number)
                }
            }
            busy.append(record.key)
        }
        sortBusy()
        if Rules.hasCreations { forgetTemporaryNames(stored) }
    }

    /// Sorts the busy records by their first changes: storage has no order of its own. A Shell sort,
    /// which is a tenth of the code of the standard library's.
    private mutating func sortBusy() {
        var records = busyRecords
        var gap = records.count / 2
        while gap > 0 {
            for position in gap..<records.count {
                let record = records[position]
                let first = record.changes[0].id
                var place = position
                while place >= gap, first < records[place - gap].changes[0].id {
                    records[place] = records[place - gap]
                    place -= gap
                }
                records[place] = record
            }
            gap /= 2
        }
        busy = []
        for record in records { busy.append(record.key) }
    }

    /// Forgets the temporary identifiers of records that are gone: no part of the program that begins
    /// anew knows them. The next event stores that.
    private mutating func forgetTemporaryNames(_ stored: [SyncRecord]) {
        for record in stored where !record.movedTo.isEmpty {
            if held.find(RecordKey(kind: record.key.kind, id: record.movedTo)) != nil { continue }
            held.remove(record.key)
            touched.append(record.key)
        }
    }

    /// Takes over what another machine of this replica has stored since this one did, and forgets what it
    /// has removed: several processes may use one storage. A shell calls this before any other event, and
    /// in the transaction of that event.
    ///
    /// A change that this machine has under way stays under way, with the other's changes behind it.
    ///
    /// - Parameters:
    ///   - meta: The stored ``meta``.
    ///   - stored: The records that were stored.
    ///   - removed: The names of the records that were removed.
    /// - Complexity: O(*r* log *n* + *p*) for *r* records and *p* changes.
    public mutating func takeOver(
        _ meta: SyncMeta,
        _ stored: [SyncRecord],
        removed: [RecordKey]
    ) {
        dropIdle()
        self.meta = meta
        for key in removed {
            held.remove(key)
            if Rules.keepsShown { shown.remove(EntityID(key)) }
        }
        for given in stored {
            let record = SyncRecord(copying: given)
            record.isBusy = !record.changes.isEmpty
            let known = held.find(record.key)
            let wasBusy = known?.isBusy ?? false
            for old in known?.changes ?? [] where old.isUnderWay {
                for change in record.changes
                where change.id == old.id && change.attempt == old.attempt
                    && change.state == .unknown
                {
                    change.state = old.state
                }
            }
            held.insert(record)
            show(record)
            if record.isBusy, !wasBusy { busy.append(record.key) }
        }
        dropIdle()
        sortBusy()
    }

    // MARK: Looking

    /// The held record, also under its former temporary identifier; `nil` if there is none.
    ///
    /// - Complexity: O(1).
    public func record(_ key: RecordKey) -> SyncRecord? { held.find(key) }

    /// All that is held, in no order.
    ///
    /// - Complexity: O(*n*).
    public var stored: [SyncRecord] { held.all }

    /// The present name of a record that may be known by its temporary identifier.
    ///
    /// - Complexity: O(1).
    @inline(never)
    public func name(_ key: RecordKey) -> RecordKey {
        guard Rules.hasCreations, let record = held.find(key), !record.movedTo.isEmpty else {
            return key
        }
        return RecordKey(kind: key.kind, id: record.movedTo)
    }

    /// The number of changes that the server has not accepted, refused ones included. Counted, never
    /// kept beside the changes.
    ///
    /// - Complexity: O(*p*) for *p* changes.
    @inline(never)
    public var pendingCount: Int {
        var count = 0
        for record in busyRecords {
            for change in record.changes where change.state != .accepted { count += 1 }
        }
        return count
    }

    /// The refused changes, which wait for a person: in the order in which their records got the
    /// first change.
    ///
    /// - Complexity: O(*p*) for *p* changes.
    public var entries: [SyncEntry] {
        var entries: [SyncEntry] = []
        for record in busyRecords {
            for change in record.changes {
                guard change.state == .refused, let reason = change.reason else { continue }
                entries.append(
                    SyncEntry(
                        key: record.key,
                        change: change,
                        reason: reason,
                        server: change.met ?? record.base
                    )
                )
            }
        }
        return entries
    }

    /// Whether a request is under way, or a change can be pushed at the next wake-up.
    public var isSyncing: Bool {
        if pulling != .idle { return true }
        for record in busyRecords {
            for change in record.changes where change.isUnderWay { return true }
        }
        return false
    }

    /// The records with changes, in the order in which they got their first one.
    ///
    /// - Complexity: O(*p*) for *p* changes.
    public var changed: [SyncRecord] { busyRecords }

    /// The records with changes, in their order, as they are now.
    @inline(never)
    var busyRecords: [SyncRecord] {
        var records: [SyncRecord] = []
        for key in busy {
            if let record = held.find(key), record.isBusy { records.append(record) }
        }
        return records
    }

    /// The place of a change.
    ///
    /// - Complexity: O(1) in the record that is said to have it, else O(*p*) for *p* changes.
    @inline(never)
    func find(_ id: ChangeID) -> (record: SyncRecord, position: Int)? {
        if let hint, let record = held.find(hint), let position = record.position(of: id) {
            return (record, position)
        }
        for record in busyRecords {
            if let position = record.position(of: id) { return (record, position) }
        }
        return nil
    }

    // MARK: Changing

    /// The record on which the present event works: no other part of the program has it. It is shown
    /// and stored when the event ends.
    mutating func open(_ key: RecordKey) -> SyncRecord { open(key, at: held.slot(of: key)) }

    /// The record of a key whose slot is known.
    @inline(never)
    mutating func open(_ key: RecordKey, at slot: Int) -> SyncRecord {
        let record: SyncRecord
        if let own = held.own(slot) {
            if own.isOpen { return own }
            record = own
        } else {
            record = SyncRecord(key)
            held.insert(record, at: slot)
        }
        record.isOpen = true
        open.append(record)
        return record
    }

    /// Counts a record among those with changes.
    mutating func noteBusy(_ record: SyncRecord) {
        guard !record.isBusy, !record.changes.isEmpty else { return }
        // The record may be among them.
        if idle > 0 { dropIdle() }
        record.isBusy = true
        busy.append(record.key)
    }

    /// Lets the records without changes leave ``busy``.
    private mutating func dropIdle() {
        let records = busyRecords
        busy = []
        for record in records { busy.append(record.key) }
        idle = 0
    }

    /// The number through which the server may forget its answers: all changes of this node with
    /// smaller numbers are accepted, refused or gone. A refused change gets another number before it
    /// is pushed again.
    ///
    /// It only grows, so that one that was found earlier serves while few changes have been pushed.
    ///
    /// - Complexity: O(1), averaged over pushes of single changes.
    @inline(never)
    mutating func settledThrough() -> UInt64 {
        pushes += 1
        if pushes * 16 < busy.count, settled > 0 { return settled }
        pushes = 0
        var least = meta.clock.number + 1
        for record in busyRecords {
            for change in record.changes
            where change.state.rawValue < SyncChange.State.accepted.rawValue
                && change.id.node == meta.clock.node
            {
                least = min(least, change.id.number)
            }
        }
        settled = least - 1
        return settled
    }

    mutating func perform(_ effect: SyncEffect) { effects.append(effect) }

    /// Ends an event: shows what it changed, and lets it be stored before all else.
    @inline(never)
    mutating func finish(since before: SyncMeta) -> [SyncEffect] {
        for record in open {
            record.isOpen = false
            if record.isEmpty { held.remove(record.key) }
            show(record)
            if record.isBusy, record.changes.isEmpty {
                record.isBusy = false
                idle += 1
            }
            touched.append(record.key)
        }
        if idle * 4 > busy.count { dropIdle() }
        var result: [SyncEffect] = []
        if !touched.isEmpty || meta != before { result.append(.store(touched)) }
        for effect in effects { result.append(effect) }
        open = []
        effects = []
        touched = []
        return result
    }

    @inline(never)
    private mutating func show(_ record: SyncRecord) {
        guard Rules.keepsShown else { return }
        if let view = record.shown {
            shown.insert(view)
        } else {
            shown.remove(EntityID(record.key))
        }
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
    case overruled(RecordKey, ChangeID, [Field])
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
