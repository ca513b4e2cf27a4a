internal import ConnectivityCore
internal import OfflineFirst
internal import OfflineFirstTesting
internal import Outbox
internal import OutboxCore
internal import OutboxSQLite
internal import OutboxTesting
internal import SQLite
internal import SyncCore
internal import WatchedFiles

/// A device of a ``DeviceWorld``: a disk, a clock, a network, and one process after the other.
///
/// A terminal has an agent, whose process runs from start to death. A telephone's app has its records open for
/// seconds: a person looks at it, or the system gives it time. It synchronises once, closes them, and is
/// suspended, at the latest after ``patience``; until it is woken it does nothing, and has no file open.
///
/// Confined to the scheduler's thread; it is `Sendable` for this reason only.
final class WorldDevice: @unchecked Sendable {
    /// A process, from its start to its death.
    final class Process: @unchecked Sendable {
        var isAlive = true
        var storage: SQLiteStorage?
        var outbox: Outbox<SQLiteStorage>?
        var records: SyncedRecords<WorldRules>?
        var manager: SyncManager<WorldRules>?
        var run: Task<Void, Never>?
        /// The revision at the last look.
        var seen: Int64 = 0
    }

    /// How the device's processes live.
    enum Life {
        case terminal, telephone
    }

    /// The longest time for which a telephone has its records open, in milliseconds.
    private static let patience: Int64 = 20_000

    /// The end of a process.
    enum Death {
        /// A kill: the system keeps what was written.
        case kill
        /// A power cut: the disk keeps what was synced, and any part of the rest.
        case powerCut
        /// The end of the world.
        case end
    }

    /// An edit whose process died before it returned: it is stored or not.
    private struct Uncertain {
        let key: RecordKey
        let intent: SyncChange.Intent
        let seen: ShownRecord?
        let version: UInt64
    }

    let number: Int
    let life: Life
    unowned let world: DeviceWorld
    private(set) var isOnline = true
    /// The records that a person can bring back.
    private(set) var deleted: [RecordKey: [Field]] = [:]

    private let folder: WatchedFolder
    private let clock: SimulatedClock
    private var keys = MemoryKeyStore()
    private var process: Process?
    /// The writes of the disk until the process dies, and its death.
    private var fuse: (writes: Int, death: Death)?
    private var uncertain: Uncertain?
    private var known: Set<ChangeID> = []
    /// The occurrences of all transactions, also of those that were undone: the table `told` has the
    /// numbers of the others.
    private var occurrences: [SyncOccurrence] = []
    private var lastTold: Int64 = 0
    /// The losses that were told, and that a person has not been shown.
    private var unseenLosses = 0

    init(
        number: Int,
        life: Life,
        world: DeviceWorld,
        contents: [String: [UInt8]]
    ) throws {
        self.number = number
        self.life = life
        self.world = world
        folder = try WatchedFolder(contents)
        clock = SimulatedClock(scheduler: world.scheduler, seed: world.random.next())
        folder.apply { [unowned self] request, _ in answer(request) }
    }

    /// A clone has stored what its original had told.
    func takeHistory(of other: WorldDevice) {
        keys = other.keys
        known = other.known
        occurrences = other.occurrences
        lastTold = other.lastTold
        unseenLosses = other.unseenLosses
    }

    // MARK: Processes

    func start() {
        guard process == nil, !world.isOver else { return }
        let process = Process()
        self.process = process
        do {
            try open(process)
        } catch {
            if process.isAlive {
                world.check { $0.broken(.nothingWedged, "\(self.number) cannot open: \(error)") }
            }
            return
        }
        guard process.isAlive, let manager = process.manager else { return }
        world.note("\(number) starts")
        look()
        if life == .telephone, !world.isHealed { return sync(process, manager) }
        process.run = Task { [self] in
            do {
                try await manager.run()
            } catch  where process.isAlive {
                world.check { $0.broken(.nothingWedged, "a run of \(self.number) ends: \(error)") }
            } catch {}
        }
    }

    /// What an app does in its seconds.
    private func sync(_ process: Process, _ manager: SyncManager<WorldRules>) {
        process.run = Task { [self] in
            do {
                try await manager.run(until: .idle)
            } catch {
                // The next time goes on.
            }
            await suspend(process)
        }
        let time = Milliseconds(Int64.random(in: 0...Self.patience, using: &world.random))
        world.scheduler.after(time) {
            if process.isAlive { process.run?.cancel() }
        }
    }

    /// The app has closed what it had open: the system suspends it, until it is woken.
    private func suspend(_ process: Process) async {
        guard process.isAlive else { return }
        // What was stored last may not have been looked at.
        look()
        await process.outbox?.close()
        guard process.isAlive else { return }
        process.isAlive = false
        (process.records, process.manager, process.outbox, process.storage) = (nil, nil, nil, nil)
        self.process = nil
        world.note("\(number) is suspended")
        world.tally.suspensions += 1
        do {
            try folder.replace(with: folder.disk.latest.filter { !$0.key.hasSuffix("-shm") })
        } catch {
            world.check { $0.broken(.nothingWedged, "\(self.number) is suspended with open files") }
        }
        let wait = Milliseconds(Int64.random(in: 0..<600_000, using: &world.random))
        world.scheduler.after(wait) { self.start() }
    }

    /// A person takes the telephone, whose app comes to the front.
    func comeToFront() {
        if life == .telephone { start() }
    }

    private func open(_ process: Process) throws {
        let storage = try SQLiteStorage(path: folder.file("store"), busyTimeoutMilliseconds: 0)
        process.storage = storage
        try storage.write {
            try $0.execute(
                """
                CREATE TABLE IF NOT EXISTS told(
                    number INTEGER PRIMARY KEY AUTOINCREMENT, occurrence INTEGER NOT NULL
                )
                """
            )
        }
        var policy = RetryPolicy.device
        policy.cap = .seconds(60)
        policy.serverWaitCap = .seconds(60)
        let outbox = Outbox(storage: storage, keys: keys, policy: policy, clock: clock.clock)
        process.outbox = outbox
        let records = try SyncedRecords(
            in: outbox,
            rules: WorldRules(),
            clock: clock.clock,
            following: { [unowned self] occurrence, database in
                occurrences.append(occurrence)
                try database.run(
                    "INSERT INTO told(occurrence) VALUES (?)",
                    .integer(Int64(occurrences.count - 1))
                )
            },
            random: { [unowned world = world] in world.random.next() }
        )
        process.records = records
        let settings = SyncSettings(longestWait: .seconds(60), recheck: .seconds(10))
        process.manager = SyncManager(
            records,
            server: WorldLine(device: self, process: process),
            settings: settings
        ) { AsyncStream { _ in } }
    }

    /// Lets the process die before one of the next writes of its disk.
    func lightFuse() {
        let death: Death = Bool.random(using: &world.random) ? .kill : .powerCut
        fuse = (Int.random(in: 0..<30, using: &world.random), death)
    }

    private func answer(_ request: WatchedFolder.Request) -> WatchedFolder.Answer {
        guard let process else { return .pass }
        if process.isAlive, request.changesDisk, let (writes, death) = fuse {
            fuse = writes > 0 ? (writes - 1, death) : nil
            if writes == 0 { die(death) }
        }
        switch request {
        case .open, .read, .write, .truncate, .sync, .length, .lock, .delete, .access:
            return process.isAlive ? .pass : .refuse
        default: return .pass
        }
    }

    /// Ends the process in the middle of whatever it does.
    func die(_ death: Death) {
        guard let process, process.isAlive else { return }
        process.isAlive = false
        fuse = nil
        world.note("\(number) dies: \(death)")
        let disk = folder.disk
        // Not inside a call of SQLite.
        world.scheduler.after(Milliseconds(0)) { [self] in
            process.run?.cancel()
            process.storage?.close()
            Task {
                await process.run?.value
                bury(process, disk, death)
            }
        }
    }

    private func bury(_ process: Process, _ disk: RecordedDisk, _ death: Death) {
        (process.records, process.manager, process.outbox, process.storage) = (nil, nil, nil, nil)
        self.process = nil
        var contents = disk.latest
        if death == .powerCut { contents = PowerCut(disk, &world.random).any(using: &world.random) }
        do {
            try folder.replace(with: contents.filter { !$0.key.hasSuffix("-shm") })
        } catch {
            preconditionFailure("a dead process has its files open: \(error)")
        }
        guard death != .end else { return }
        world.tally.restarts += 1
        let wait = Milliseconds(Int64.random(in: 0..<600_000, using: &world.random))
        world.scheduler.after(wait) { self.start() }
    }

    /// The content of the disk, as a person copies it while no process runs; `nil` while one does.
    var contents: [String: [UInt8]]? {
        process == nil ? folder.disk.latest.filter { !$0.key.hasSuffix("-shm") } : nil
    }

    // MARK: Looking

    private var living: (records: SyncedRecords<WorldRules>, manager: SyncManager<WorldRules>)? {
        guard let process, process.isAlive, let records = process.records,
            let manager = process.manager
        else { return nil }
        return (records, manager)
    }

    /// Shows the checkers what is stored and shown, if there is something new.
    func look() {
        guard let process, process.isAlive, let records = process.records,
            let held = records.held, held.revision != process.seen
        else { return }
        process.seen = held.revision
        tellOccurrences(process)
        findUncertain(held)
        let snapshot = records.snapshot
        if snapshot.overruled.count != unseenLosses {
            world.check { book in
                book.broken(
                    .policyKept,
                    "\(snapshot.overruled.count) losses are listed, \(unseenLosses) were told"
                )
            }
        }
        _ = world.check { book in book.looks(number, held.records) { snapshot[$0] } }
        for record in held.records { known.formUnion(record.changes.map(\.id)) }
    }

    private func tellOccurrences(_ process: Process) {
        let told: [(Int64, Int64)]
        do {
            told =
                try process.storage?.read {
                    try $0.query(
                        "SELECT number, occurrence FROM told WHERE number > ? ORDER BY number",
                        .integer(lastTold)
                    ) { ($0.integer(0), $0.integer(1)) }
                } ?? []
        } catch {
            preconditionFailure("a reading fails that nobody disturbs: \(error)")
        }
        for (number, occurrence) in told {
            lastTold = number
            tell(occurrences[Int(occurrence)])
        }
    }

    private func tell(_ occurrence: SyncOccurrence) {
        world.note("\(number) \(occurrence)")
        switch occurrence {
        case .renamed(let old, let new):
            world.check { $0.renamed(number, from: old, to: new) }
            world.tally.renames += 1
        case .refused(_, let id): world.check { $0.refusalTold(id) }
        case .overruled(_, let id, let values):
            unseenLosses += 1
            world.tally.overruled += 1
            world.check { $0.overruled(id, values) }
        }
    }

    /// Looks whether the edit whose process died is stored.
    private func findUncertain(_ held: SyncedRecords<WorldRules>.Held) {
        guard let edit = uncertain else { return }
        uncertain = nil
        for record in held.records {
            for change in record.changes
            where !known.contains(change.id)
                && (edit.intent == .create ? change.intent == .create : record.key == edit.key)
            {
                wrote(record.key, change, edit.seen, edit.version)
            }
        }
    }

    private func wrote(
        _ key: RecordKey,
        _ change: SyncChange,
        _ seen: ShownRecord?,
        _ version: UInt64
    ) {
        world.tally.edits += 1
        known.insert(change.id)
        world.note("\(number) \(change.intent) \(key.id) \(WorldLog.text(change.fields))")
        world.check { book in
            book.wrote(
                number,
                change.id,
                key,
                change.intent,
                change.fields,
                seen: seen?.fields ?? [],
                version: version
            )
        }
    }

    /// The names of the records that a person sees.
    var shownKeys: [RecordKey] { view.keys.sorted() }

    /// The records that a person sees.
    var view: [RecordKey: [Field]] {
        guard let (records, _) = living else { return [:] }
        var view: [RecordKey: [Field]] = [:]
        for kind in WorldRules.policies.keys {
            for record in records.snapshot.records(of: kind) { view[record.key] = record.values }
        }
        return view
    }

    var isQuiet: Bool {
        guard let (records, _) = living, let process else { return false }
        do {
            return try records.counts() == SyncCounts() && records.snapshot.refused.isEmpty
                && process.outbox?.counts() == OutboxCounts()
        } catch {
            return false
        }
    }

    // MARK: A person

    func edit(_ key: RecordKey, _ intent: SyncChange.Intent, _ values: [Field]) {
        guard let (records, _) = living, let before = records.held else { return }
        let name = intent == .create ? key : records.name(of: key)
        let seen = records.snapshot[name]
        let version = before.records.first { $0.key == name }?.base?.version ?? 0
        uncertain = Uncertain(
            key: name,
            intent: intent,
            seen: seen,
            version: version
        )
        var made = name
        do {
            switch intent {
            case .create:
                made = try records.create(String(decoding: key.kind, as: UTF8.self), values)
            case .update: try records.update(key, values)
            case .put: try records.put(key, values)
            case .delete: try records.delete(key)
            }
        } catch {
            // A dead process does not know.
            if process?.isAlive == true {
                uncertain = nil
                if case .edit = error { return }
                world.check { $0.broken(.nothingLost, "an edit fails: \(error)") }
            }
            return
        }
        guard process?.isAlive == true, let held = records.held else { return }
        uncertain = nil
        if intent == .delete, let seen { deleted[name] = seen.values }
        guard held.lastNumber != before.lastNumber else { return }
        guard let change = held.records.first(where: { $0.key == made })?.changes.last else {
            return world.check { $0.broken(.overlayHonest, "an edit is not held") }
        }
        wrote(made, change, seen, version)
    }

    /// Decides on a refused change.
    func choose() {
        guard let (records, _) = living,
            let entry = records.snapshot.refused.randomElement(using: &world.random)
        else { return }
        choose(entry, Int.random(in: 0..<3, using: &world.random), records)
    }

    func chooseAll() {
        guard let (records, _) = living else { return }
        for (number, entry) in records.snapshot.refused.enumerated()
        where records.snapshot.refused.contains(where: { $0.change.id == entry.change.id }) {
            choose(entry, entry.reason == .referenceDiscarded || number % 2 == 1 ? 2 : 0, records)
        }
    }

    /// A choice is not interrupted: the checkers would not know which one counts.
    private func choose(_ entry: SyncEntry, _ choice: Int, _ records: SyncedRecords<WorldRules>) {
        let lit = fuse
        fuse = nil
        defer { fuse = lit }
        let id = entry.change.id
        world.tally.choices += 1
        do {
            switch choice {
            case 1 where entry.change.intent != .delete:
                // A reference that was discarded leads nowhere.
                var fields = entry.change.fields.filter {
                    $0.name != WorldRules.a && $0.name != WorldRules.r
                }
                fields.append(Field(name: WorldRules.a, value: world.newValue()))
                if entry.change.fields.contains(where: { $0.name == WorldRules.r }) {
                    fields.append(Field(name: WorldRules.r, value: []))
                }
                world.note("\(number) edits \(WorldLog.text(id))")
                world.check { $0.insisted(id, fields) }
                try records.edit(id, fields)
            case 2:
                world.note("\(number) discards \(WorldLog.text(id))")
                world.check { $0.gaveUp(id) }
                if entry.change.intent == .create { deleted[entry.key] = nil }
                try records.discard(id)
            default:
                world.note("\(number) tries \(WorldLog.text(id)) again")
                world.check { $0.insisted(id, nil) }
                try records.tryAgain(id)
            }
        } catch {
            world.check { $0.broken(.refusalTold, "an entry takes no choice: \(error)") }
        }
    }

    func acknowledge() {
        guard let (records, _) = living, let loss = records.snapshot.overruled.first else { return }
        let lit = fuse
        fuse = nil
        defer { fuse = lit }
        unseenLosses -= 1
        do {
            try records.acknowledge(loss)
        } catch {
            world.check { $0.broken(.policyKept, "a loss is not acknowledged: \(error)") }
        }
    }

    func wake() { living?.manager.wake() }

    func setOnline(_ isOnline: Bool) {
        self.isOnline = isOnline
        world.note("\(number) is \(isOnline ? "online" : "offline")")
        guard let (records, manager) = living else { return }
        if isOnline { manager.wake() } else { records.outbox.networkLost() }
    }

    /// Sets the wall clock up to three years wrong.
    func moveClock() {
        let span: Int64 = 100_000_000_000
        clock.moveWallTime(
            by: Milliseconds(Int64.random(in: -span...span, using: &world.random))
        )
    }

    func heal() {
        fuse = nil
        clock.moveWallTime(by: world.serverClock.wallTime.since(clock.wallTime))
        if process == nil { start() }
        setOnline(true)
    }
}

/// The network between a process and the server.
private struct WorldLine: SyncServer {
    let device: WorldDevice
    let process: WorldDevice.Process

    func pull(_ request: PullRequest) async throws -> ServerAnswer<PullAnswer> {
        try await carry { try await $0.pull(request) }
    }

    func push(_ request: PushRequest) async throws -> ServerAnswer<PushAnswer> {
        try await carry { try await $0.push(request) }
    }

    func answer(to question: AskRequest) async throws -> ServerAnswer<PushAnswer?> {
        try await carry { try await $0.answer(to: question) }
    }

    private func carry<Answer: Sendable>(
        _ call: (MemorySyncServer) async throws -> ServerAnswer<Answer>
    ) async throws -> ServerAnswer<Answer> {
        // A process that died before its request left sends none.
        guard process.isAlive else { throw SyncFailure.offline }
        let world = device.world
        await world.scheduler.sleep(delay(world))
        guard device.isOnline else { throw SyncFailure.offline }
        let answer = try await call(world.server)
        await world.scheduler.sleep(delay(world))
        guard device.isOnline else { throw SyncFailure.offline }
        return answer
    }

    /// Mostly short; at times longer than a device waits.
    private func delay(_ world: DeviceWorld) -> Milliseconds {
        let longest: Int64 = world.chance(30) ? 60_000 : 400
        return Milliseconds(Int64.random(in: 1...longest, using: &world.random))
    }
}
