import MemoCore
import MemoSyncCore
import MemoTexts
import OutboxCore
import StoreCore
import SyncCore

/// The records that all devices of the person share, as this page or worker knows them: the shell of
/// `SyncMachine` over IndexedDB.
///
/// Every page and the service worker have one, over one database. An event is handled by a copy of the
/// machine, and counts once everything that the copy has changed is stored:
/// ```
/// rest ──event──▶ reading (if others have stored) ──▶ deciding ──▶ sealing ──▶ storing ──▶ rest
///                    ▲                                                           │
///                    └──────────────────── overtaken ────────────────────────────┘
/// ```
///
/// ## Invariants
/// 1. A revision is stored as a whole: records, state, settings and statuses of the history. It follows
///    the revision that the writer knew, so that no page overwrites what it has not seen.
/// 2. The machine of a page is never ahead of the database, and effects are performed after the storing.
/// 3. Events are handled one at a time, in their order.
/// 4. Records belong to the account of their address. Another account begins anew.
///
/// ## Failures
/// | failure | outcome |
/// |---|---|
/// | the page ends at any moment | the revision is stored, or nothing is |
/// | another page has stored meanwhile | its revision is read, and the event decided again |
/// | the database is full, or the key is gone | the event's author is told; the next event reads all again |
/// | a record or the state is damaged | it is left out, and everything is pulled again |
/// | the key is out of reach for now | nothing is decided |
final class SharedRecords {
    typealias Machine = SyncMachine<WebRules, NoIndexes<ShownRecord>>
    typealias Event = (inout Machine) throws(SyncEditError) -> [SyncEffect]

    /// The outcome of an event.
    enum Outcome {
        /// It is stored, or changed nothing; the effects that are left to perform.
        case done([SyncEffect])
        /// The machine takes no such edit.
        case refused
        case failed(StorageFailure)
    }

    private struct Work {
        let event: Event
        let durability: Durability
        let then: (Outcome) -> Void
    }

    private let context: AppContext
    private let repository: SharedRepository
    /// The machine of the latest known revision; `nil` before the first event.
    private(set) var machine: Machine?
    private var state: SharedState?
    private var revision: UInt64 = 0
    /// Whether the stored records are another account's.
    private var isForeign = false
    /// Whether another page may have stored a later revision.
    private var isStale = true
    /// Whether the last revision was not stored, because another one was there.
    private var isOvertaken = false
    private var work: [Work] = []
    private var isBusy = false

    init(context: AppContext) {
        self.context = context
        repository = SharedRepository(host: context.host, vault: context.vault)
    }

    /// The relay's name of this device; empty until the relay has told it.
    var device: [UInt8] { state?.device ?? [] }

    /// The fields of a record, as a person sees them.
    func fields(of key: RecordKey) -> [Field]? { machine?.record(key)?.fields }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - durability: ``Durability/strict`` for an edit of a person.
    ///   - then: Called when everything that the event has changed is stored, or nothing is.
    func handle(
        _ durability: Durability = .relaxed,
        _ event: @escaping Event,
        _ then: @escaping (Outcome) -> Void
    ) {
        work.append(Work(event: event, durability: durability, then: then))
        next()
    }

    /// Another page has stored a revision.
    func changed() {
        isStale = true
        if machine != nil { read {} }
    }

    /// Reads what others may have stored.
    ///
    /// - Parameter then: Called when it is read, or could not be.
    func read(_ then: @escaping () -> Void) {
        isStale = true
        handle(.read) { _ in
            []
        } _: { _ in
            then()
        }
    }

    /// The relay has told its name of this device, which the next revision stores.
    func told(device: [UInt8]) { state?.device = device }

    private func next() {
        guard !isBusy, let work = work.first else { return }
        guard let address = context.store.state.owner, context.vault.key != nil
        else { return finish(work, .failed(.unavailable)) }
        isBusy = true
        if state?.address != address { machine = nil }
        guard isStale || machine == nil else { return decide(work) }
        read(for: address) { isRead in
            isRead ? self.decide(work) : self.finish(work, .failed(.unavailable))
        }
    }

    private func finish(_ work: Work, _ outcome: Outcome) {
        isBusy = false
        self.work.removeFirst()
        work.then(outcome)
        next()
    }

    // MARK: Reading

    private func read(for address: [UInt8], _ then: @escaping (Bool) -> Void) {
        isStale = false
        guard machine != nil else {
            return repository.readAll { stored in
                if let stored { self.begin(stored, for: address) }
                then(stored != nil)
            }
        }
        repository.readNews(after: revision) { news in
            guard let news else {
                self.isStale = true
                return then(false)
            }
            if news.revision == 0, !self.isOvertaken { return then(true) }
            self.isOvertaken = false
            // An overtaker without a later revision has deleted everything.
            guard let state = news.state, state.address == address,
                state.generation == self.state?.generation, !news.isDamaged
            else {
                self.machine = nil
                return self.read(for: address, then)
            }
            let before = self.machine
            self.machine?.takeOver(state.meta, news.records, removed: [])
            (self.state, self.revision) = (state, news.revision)
            if let machine = self.machine { self.show(self.settings(machine, since: before)) }
            self.context.happened(.sharedChanged)
            then(true)
        }
    }

    /// Begins with what is stored.
    private func begin(_ stored: SharedRepository.Stored, for address: [UInt8]) {
        let random = context.clock.random
        let node = NodeID(high: random(), low: random())
        var limits = SyncLimits(pending: Self.pending)
        // The sharing chooses the moment of each request.
        limits.underWay = 0
        var machine = Machine(node: node, rules: WebRules(), limits: limits)
        var state = SharedState(address: address, meta: machine.meta)
        isForeign = stored.state.map { $0.address != address } ?? false
        if let kept = stored.state { state.generation = kept.generation }
        if isForeign {
            state.generation += 1
        } else {
            if let kept = stored.state { state = kept }
            machine.takeOver(state.meta, stored.records, removed: [])
            if stored.isDamaged { pullAll(&machine) }
        }
        show(settings(machine, since: nil))
        self.machine = machine
        self.state = state
        revision = stored.revision
        context.happened(.sharedChanged)
    }

    /// The most changes that may wait.
    private static let pending = 1000

    /// Lets everything be pulled again with the next pull.
    private func pullAll(_ machine: inout Machine) {
        for effect in machine.handle(.refresh) {
            if case .pull(let request) = effect {
                _ = machine.handle(.pullFailed(request: request.number))
            }
        }
    }

    // MARK: Deciding

    private func decide(_ work: Work) {
        guard var machine, var state else { return finish(work, .failed(.unavailable)) }
        var effects: [SyncEffect]
        do throws(SyncEditError) {
            effects = try work.event(&machine)
        } catch {
            return finish(work, .refused)
        }
        if effects.contains(where: { if case .makeNode = $0 { true } else { false } }) {
            let random = context.clock.random
            effects += machine.handle(.nodeMade(NodeID(high: random(), low: random())))
        }
        var keys: [RecordKey] = []
        var isChanged = false
        for effect in effects {
            guard case .store(let touched) = effect else { continue }
            isChanged = true
            for key in touched where !keys.contains(key) { keys.append(key) }
        }
        // A pull without news changes times alone, which are as good a little older.
        let isNews =
            !keys.isEmpty || isForeign || machine.meta.cursor != state.meta.cursor
            || machine.meta.clock.node != state.meta.clock.node
        state.meta = machine.meta
        guard isChanged, isNews else {
            (self.machine, self.state) = (machine, state)
            return finish(work, .done(effects))
        }
        var next = SharedRepository.Revision(known: revision, state: state)
        next.isAnew = isForeign
        for key in keys {
            guard let record = machine.record(key) else {
                next.removed.append(key)
                continue
            }
            next.records.append(record)
            if let status = record.status { next.statuses.append(status) }
        }
        if keys.contains(.settings) {
            next.settings = settings(machine, since: self.machine)
        }
        if !next.removed.isEmpty {
            state.generation += 1
            next.state = state
        }
        store(next, machine, state, effects, work)
    }

    /// The settings with the shared ones. A setting that is shared no more, because its change was given
    /// up, is reset.
    private func settings(_ machine: Machine, since before: Machine?) -> Settings {
        let shared = machine.record(.settings)?.fields ?? []
        var fields = shared
        for field in before?.record(.settings)?.fields ?? [] where shared[field.name] == nil {
            fields.append(Field(name: field.name, value: []))
        }
        return context.store.state.settings.following(fields)
    }

    private func show(_ settings: Settings) {
        guard settings != context.store.state.settings else { return }
        context.change { $0.settings = settings }
        context.happened(.settingsShared)
    }

    private func store(
        _ next: SharedRepository.Revision,
        _ machine: Machine,
        _ state: SharedState,
        _ effects: [SyncEffect],
        _ work: Work
    ) {
        let clock = context.clock
        repository.store(next, at: clock.now, settingsID: clock.makeID(), work.durability) {
            outcome in
            switch outcome {
            case .stored:
                self.machine = machine
                self.state = state
                self.revision = next.known + 1
                self.isForeign = false
                self.tell(next)
                self.finish(work, .done(effects))
            case .overtaken:
                (self.isStale, self.isOvertaken) = (true, true)
                self.isBusy = false
                self.next()
            case .failed(let failure):
                // A request of this event was never sent: all is read as a start does.
                self.machine = nil
                self.finish(work, .failed(failure))
            }
        }
    }

    private func tell(_ stored: SharedRepository.Revision) {
        context.host.ring(.shared)
        if let settings = stored.settings { show(settings) }
        context.happened(.sharedChanged)
        if !stored.statuses.isEmpty { context.happened(.statusesStored) }
    }
}

extension SyncRecord {
    /// The status of the memo, for the history; `nil` for another record, and for a status that only a
    /// device can give.
    fileprivate var status: MemoChange? {
        guard let fields, let memo = SharedMemo(key, fields),
            let status = HistoryStatus(told: memo.status.name, reason: memo.status.reason?.utf8)
        else { return nil }
        return MemoChange(id: memo.id, status: status)
    }
}

/// The rules of the shared records. No device creates one, and the page asks for each by its name.
struct WebRules: SyncRules {
    static var hasCreations: Bool { false }
    static var keepsShown: Bool { false }

    func policy(for kind: [UInt8]) -> ConflictPolicy { SharedRules().policy(for: kind) }

    func isValid(_ fields: [Field], in kind: [UInt8]) -> Bool {
        SharedRules().isValid(fields, in: kind)
    }

    func merge(
        _ kind: [UInt8],
        base: [Field],
        mine: [Field],
        theirs: [Field]?
    ) -> [Field]? {
        SharedRules().merge(kind, base: base, mine: mine, theirs: theirs)
    }
}
