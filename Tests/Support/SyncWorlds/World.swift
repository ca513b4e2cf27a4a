package import OfflineFirstTesting
internal import OutboxCore
internal import StoreCore
internal import SyncCore

/// Devices, a network and a server in one value. A step is one thing that happens; after each one the
/// checkers look at everything.
package struct World {
    typealias Machine = SyncMachine<WorldRules, NoIndexes<ShownRecord>>

    struct Device: Sendable {
        var machine: Machine
        /// The content of the storage, as bytes.
        var stored: [RecordKey: [UInt8]] = [:]
        var storedMeta: [UInt8] = []
        var wall: WallTime
        /// Grows with each restart: answers to an earlier process find nobody.
        var process: UInt8 = 0
        /// The requests of this process for which the shell owes an answer, or the news of none.
        var awaited: [Body] = []
        /// The names that a person can bring back.
        var deleted: [RecordKey: [Field]] = [:]
        var isNodeWanted = false
    }

    /// A message that is under way.
    struct Wire: Hashable, Sendable {
        let device: Int
        let process: UInt8
        let body: Body
    }

    enum Body: Hashable, Sendable {
        case pull(PullRequest)
        case push(PushRequest)
        case ask(AskRequest)
        case pulled(PullRequest, PullAnswer, WallTime)
        case answered(PushRequest, PushAnswer, WallTime)
        case asked(AskRequest, PushAnswer?, WallTime)

        var isRequest: Bool {
            switch self {
            case .pull, .push, .ask: true
            case .pulled, .answered, .asked: false
            }
        }
    }

    /// The server.
    package internal(set) var server: ReferenceServer
    /// The checkers.
    package internal(set) var book: Book
    var devices: [Device] = []
    var wires: [Wire] = []
    private var lastNode: UInt64 = 0
    private var lastTemporary: UInt16 = 0
    private var lastValue: UInt16 = 0
    /// The number of steps.
    package private(set) var steps = 0
    /// How often each thing happened that a run should meet.
    package internal(set) var tally = Tally()
    /// The lines of a run that is being repeated.
    var log: WorldLog?
    let rules = WorldRules()
    let limits: SyncLimits

    /// A world of some devices, which have pulled nothing.
    package init(
        devices count: Int,
        bug: PlantedBug? = nil,
        underWay: Int = 4,
        log: WorldLog? = nil
    ) {
        self.log = log
        server = ReferenceServer(now: WallTime(millisecondsSinceEpoch: 1_000_000_000))
        server.bug = bug
        limits = SyncLimits(underWay: underWay)
        book = Book(policies: WorldRules.policies, groups: WorldRules.group)
        for _ in 0..<count {
            lastNode += 1
            var device = Device(
                machine: Machine(
                    node: NodeID(high: 7, low: lastNode),
                    rules: rules,
                    limits: limits
                ),
                wall: server.now
            )
            device.storedMeta = device.machine.meta.encoded()
            devices.append(device)
        }
    }

    /// The broken promises.
    package var violations: [Violation] { book.violations }

    mutating func newTemporary() -> [UInt8] {
        lastTemporary += 1
        return [0xEE, UInt8(lastTemporary >> 8), UInt8(truncatingIfNeeded: lastTemporary)]
    }

    mutating func newValue() -> [UInt8] {
        lastValue += 1
        return [UInt8(lastValue >> 8), UInt8(truncatingIfNeeded: lastValue)]
    }

    // MARK: Steps of persons

    mutating func edit(
        _ index: Int,
        _ key: RecordKey,
        _ intent: SyncChange.Intent,
        _ values: [Field]
    ) {
        steps += 1
        let machine = devices[index].machine
        let key = machine.name(key)
        let seen = machine.shown[.init(key)]
        let version = machine.record(key)?.base?.version ?? 0
        let now = devices[index].wall
        let numberBefore = machine.meta.clock.number
        var effects: [SyncEffect] = []
        do throws(SyncEditError) {
            switch intent {
            case .create: effects = try devices[index].machine.create(key, values, now: now)
            case .update: effects = try devices[index].machine.update(key, values, now: now)
            case .put: effects = try devices[index].machine.put(key, values, now: now)
            case .delete: effects = try devices[index].machine.delete(key, now: now)
            }
        } catch { return look(index, []) }
        if let seen, intent == .delete { devices[index].deleted[key] = seen.values }
        let clock = devices[index].machine.meta.clock
        if clock.number == numberBefore {
            if !effects.isEmpty { book.broken(.overlayHonest, "an edit of nothing does something") }
            return look(index, effects)
        }
        let made = devices[index].machine.record(key)?.changes.last
        guard let made else { return book.broken(.overlayHonest, "an edit is not held") }
        tally.edits += 1
        book.wrote(
            index,
            made.id,
            key,
            made.intent,
            made.fields,
            seen: seen?.fields ?? [],
            version: version
        )
        look(index, effects)
    }

    enum Choice: UInt8, Hashable, Sendable, CaseIterable { case tryAgain, edit, discard }

    mutating func choose(_ index: Int, _ entry: SyncEntry, _ choice: Choice) {
        steps += 1
        let id = entry.change.id
        let now = devices[index].wall
        var choice = choice
        if choice == .edit, entry.change.intent == .delete { choice = .tryAgain }
        var effects: [SyncEffect] = []
        do throws(SyncEditError) {
            switch choice {
            case .tryAgain:
                book.insisted(id, nil)
                effects = try devices[index].machine.tryAgain(id, now: now)
            case .edit:
                let values = [Field(name: WorldRules.a, value: newValue())]
                var fields = entry.change.fields.filter {
                    $0.name != WorldRules.a
                        && !($0.name == WorldRules.r && $0.value.first == 0xEE)
                }
                fields += values
                if entry.change.fields.contains(where: { $0.name == WorldRules.r }),
                    !fields.contains(where: { $0.name == WorldRules.r })
                {
                    fields.append(Field(name: WorldRules.r, value: []))
                }
                book.insisted(id, fields)
                effects = try devices[index].machine.edit(id, fields, now: now)
            case .discard:
                book.gaveUp(id)
                if entry.change.intent == .create { devices[index].deleted[entry.key] = nil }
                effects = try devices[index].machine.discard(id)
            }
        } catch { book.broken(.refusalTold, "an entry takes no choice") }
        tally.choices += 1
        look(index, effects)
    }

    // MARK: Steps of devices

    mutating func tell(_ index: Int, _ event: SyncEvent) {
        steps += 1
        look(index, devices[index].machine.handle(event))
    }

    /// The process ends, and begins anew with what is stored.
    mutating func restart(_ index: Int) {
        steps += 1
        tally.restarts += 1
        do {
            var records: [SyncRecord] = []
            for bytes in devices[index].stored.values {
                records.append(try SyncRecord(decoding: bytes))
            }
            devices[index].machine = Machine(
                meta: try SyncMeta(decoding: devices[index].storedMeta),
                records: records,
                rules: rules,
                limits: limits
            )
        } catch { book.broken(.storedWhole, "stored bytes are not read") }
        // The next event stores the names that the machine has forgotten.
        let machine = devices[index].machine
        devices[index].stored = devices[index].stored.filter { machine.record($0.key) != nil }
        devices[index].process &+= 1
        devices[index].deleted = [:]
        devices[index].awaited = []
        devices[index].isNodeWanted = false
        look(index, [], isRestart: true)
    }

    /// The stored state of a device.
    struct Backup: Sendable {
        let stored: [RecordKey: [UInt8]]
        let meta: [UInt8]
    }

    /// A copy of what a device has stored.
    func backup(of index: Int) -> Backup {
        Backup(stored: devices[index].stored, meta: devices[index].storedMeta)
    }

    /// Puts a backup in the place of what a device has stored, and begins its process anew.
    mutating func restore(_ backup: Backup, on index: Int) {
        book.isStrict = false
        tally.restored += 1
        devices[index].stored = backup.stored
        devices[index].storedMeta = backup.meta
        restart(index)
    }

    /// Makes another device of what a device has stored.
    mutating func clone(_ index: Int) {
        book.isStrict = false
        tally.restored += 1
        devices.append(devices[index])
        restart(devices.count - 1)
    }

    /// Notes that a request has had its end.
    ///
    /// - Returns: Whether it was still to have one.
    @discardableResult
    private mutating func forget(_ request: Body, on index: Int) -> Bool {
        guard let position = devices[index].awaited.firstIndex(of: request) else { return false }
        devices[index].awaited.remove(at: position)
        return true
    }

    /// The shell gives up waiting for an answer, which may still come.
    mutating func giveUp(_ index: Int, _ request: Body) {
        guard forget(request, on: index) else { return }
        tally.timeouts += 1
        switch request {
        case .pull(let pull): tell(index, .pullFailed(request: pull.number))
        case .push(let push): tell(index, .unanswered(push.stamp.id, attempt: push.attempt))
        case .ask(let ask): tell(index, .unanswered(ask.id, attempt: ask.attempt))
        case .pulled, .answered, .asked: break
        }
    }

    // MARK: Steps of the network

    /// A message arrives.
    ///
    /// - Parameter isRepeated: Whether the network keeps a copy that may arrive later.
    mutating func deliver(_ position: Int, isRepeated: Bool = false) {
        steps += 1
        let wire = isRepeated ? wires[position] : wires.remove(at: position)
        if isRepeated { tally.repeats += 1 }
        let answer: Body
        switch wire.body {
        case .pull(let request): answer = .pulled(request, server.pull(request), server.now)
        case .push(let request): answer = .answered(request, push(request), server.now)
        case .ask(let request): answer = .asked(request, server.answer(request), server.now)
        case .pulled, .answered, .asked: return arrive(wire)
        }
        wires.append(Wire(device: wire.device, process: wire.process, body: answer))
    }

    private mutating func push(_ request: PushRequest) -> PushAnswer {
        let (answer, applied) = server.push(request)
        book.pushed(request, answer, applied, now: server.now)
        if case .conflict = answer { tally.conflicts += 1 }
        if case .newNode = answer { tally.newNodes += 1 }
        if case .refused = answer { tally.refusals += 1 }
        if applied != nil { tally.applied += 1 }
        return answer
    }

    private mutating func arrive(_ wire: Wire) {
        guard devices[wire.device].process == wire.process else { return }
        switch wire.body {
        case .pulled(let request, let answer, let time):
            forget(.pull(request), on: wire.device)
            tell(wire.device, .pulled(request: request.number, answer, serverTime: time))
        case .answered(let request, let answer, let time):
            forget(.push(request), on: wire.device)
            tell(
                wire.device,
                .answered(
                    request.stamp.id,
                    attempt: request.attempt,
                    answer,
                    serverTime: time
                )
            )
        case .asked(let request, let answer, let time):
            forget(.ask(request), on: wire.device)
            tell(
                wire.device,
                .asked(request.id, attempt: request.attempt, answer, serverTime: time)
            )
        case .pull, .push, .ask: break
        }
    }

    // MARK: Looking

    private mutating func send(_ index: Int, _ body: Body) {
        if !devices[index].awaited.contains(body) { devices[index].awaited.append(body) }
        wires.append(Wire(device: index, process: devices[index].process, body: body))
    }

    /// Performs effects, and looks at a device.
    private mutating func look(_ index: Int, _ effects: [SyncEffect], isRestart: Bool = false) {
        log?.note(devices[index].machine, index, effects)
        var isStored = false
        for effect in effects {
            switch effect {
            case .store(let keys):
                isStored = true
                devices[index].storedMeta = devices[index].machine.meta.encoded()
                for key in keys {
                    devices[index].stored[key] = devices[index].machine.record(key)?.encoded()
                }
            case .pull(let request): send(index, .pull(request))
            case .push(let request):
                if !isStored { book.broken(.storedWhole, "a push goes out before it is stored") }
                if case .create = request.write {
                } else if request.key.id.first == 0xEE {
                    book.broken(.overlayHonest, "a push names a temporary identifier")
                }
                send(index, .push(request))
            case .ask(let request): send(index, .ask(request))
            case .makeNode: devices[index].isNodeWanted = true
            case .renamed(let old, let new):
                book.renamed(index, from: old, to: new)
                tally.renames += 1
            case .refused(_, let id): book.refusalTold(id)
            case .overruled(_, let id, let values):
                tally.overruled += 1
                book.overruled(id, values)
            case .pullStalled: book.broken(.nothingWedged, "the server is told to be at fault")
            }
        }
        let device = devices[index]
        if !isRestart { checkStorage(device) }
        let underWay = book.looks(index, device.machine.stored) { key in
            device.machine.shown[.init(key)]
        }
        for shown in device.machine.shown
        where device.machine.record(shown.key) == nil {
            book.broken(.overlayHonest, "a record is shown and not held")
        }
        let awaited = Set(
            device.awaited.compactMap { body -> ChangeID? in
                switch body {
                case .push(let request): request.stamp.id
                case .ask(let request): request.id
                default: nil
                }
            }
        )
        let isPullAwaited = device.awaited.contains {
            if case .pull = $0 { true } else { false }
        }
        book.waits(
            for: underWay,
            ofRequests: awaited,
            isPulling: underWay.isEmpty && device.machine.isSyncing,
            isPullRequested: isPullAwaited
        )
    }

    private mutating func checkStorage(_ device: Device) {
        var held: [RecordKey: [UInt8]] = [:]
        for record in device.machine.stored { held[record.key] = record.encoded() }
        book.stores(
            device.stored,
            meta: device.storedMeta,
            holding: held,
            heldMeta: device.machine.meta.encoded()
        )
    }

    // MARK: The end

    /// Lets faults end, and looks whether everything comes to rest.
    package mutating func heal() {
        server.forbidden = nil
        for index in devices.indices { devices[index].wall = max(devices[index].wall, server.now) }
        var rounds = 0
        while rounds < 40 {
            rounds += 1
            for index in devices.indices {
                tell(index, .woken)
                for (number, entry) in devices[index].machine.entries.enumerated() {
                    let isHeld = devices[index].machine.entries.contains {
                        $0.change.id == entry.change.id
                    }
                    guard isHeld else { continue }
                    let mustGo = entry.reason == .referenceDiscarded
                    choose(index, entry, mustGo || number % 2 == 1 ? .discard : .tryAgain)
                }
            }
            settleNetwork()
            if violations.count > 0 { return }
            if isQuiet { break }
        }
        tally.longestHealing = max(tally.longestHealing, rounds)
        // Each device pulls what the last ones have pushed.
        for index in devices.indices { tell(index, .woken) }
        settleNetwork()
        let views = devices.map { device in
            var view: [RecordKey: [Field]] = [:]
            for record in device.machine.shown { view[record.key] = record.values }
            return view
        }
        for (index, device) in devices.enumerated() where device.machine.pendingCount > 0 {
            book.broken(
                .converges,
                "device \(index) has \(device.machine.pendingCount) changes after \(rounds) rounds"
            )
        }
        book.ended(views, server: server.live)
        pullOnceMore()
    }

    private var isQuiet: Bool {
        devices.allSatisfy { device in
            !device.isNodeWanted && device.machine.entries.isEmpty
                && device.machine.stored.allSatisfy { $0.changes.isEmpty }
        }
    }

    /// Delivers all that is under way, and ends what has been lost.
    mutating func settleNetwork() {
        for _ in 0..<4000 {
            if let wanting = devices.firstIndex(where: { $0.isNodeWanted }) {
                makeNode(wanting)
            } else if !wires.isEmpty {
                deliver(0)
            } else if let index = devices.firstIndex(where: { !$0.awaited.isEmpty }),
                let request = devices[index].awaited.first
            {
                giveUp(index, request)
            } else {
                return
            }
        }
        book.broken(.converges, "messages are sent for ever")
    }

    mutating func makeNode(_ index: Int) {
        lastNode += 1
        devices[index].isNodeWanted = false
        tell(index, .nodeMade(NodeID(high: 7, low: lastNode)))
    }

    private mutating func pullOnceMore() {
        for index in devices.indices {
            let before = devices[index].stored
            let shown = devices[index].machine.shown
            let versions = server.history.count
            tell(index, .woken)
            settleNetwork()
            book.pulledAgain(
                index,
                isMoved: devices[index].stored != before || devices[index].machine.shown != shown
                    || server.history.count != versions
            )
        }
    }
}

/// How often something happened.
package struct Tally: Hashable, Sendable {
    /// Edits of persons.
    package internal(set) var edits = 0
    /// Changes that the server applied.
    package internal(set) var applied = 0
    /// Pushes that met another row.
    package internal(set) var conflicts = 0
    /// Losses that a policy caused, and that were told.
    package internal(set) var overruled = 0
    /// Pushes that the server refused.
    package internal(set) var refusals = 0
    /// Choices of persons on refused changes.
    package internal(set) var choices = 0
    /// Temporary identifiers that were replaced.
    package internal(set) var renames = 0
    /// Processes that ended and began anew.
    package internal(set) var restarts = 0
    /// Telephones that were suspended.
    package internal(set) var suspensions = 0
    /// Requests that a shell gave up.
    package internal(set) var timeouts = 0
    /// Messages that arrived twice.
    package internal(set) var repeats = 0
    /// Backups that were put in the place of what was stored, and clones.
    package internal(set) var restored = 0
    /// Devices that were told to take a new node.
    package internal(set) var newNodes = 0
    /// Times at which the server dropped its tombstones.
    package internal(set) var forgotten = 0
    /// The most rounds after the faults until everything was at rest.
    package internal(set) var longestHealing = 0

    /// Nothing happened.
    package init() {}

    /// Adds the counts of another run.
    package static func += (left: inout Self, right: Self) {
        left.edits += right.edits
        left.applied += right.applied
        left.conflicts += right.conflicts
        left.overruled += right.overruled
        left.refusals += right.refusals
        left.choices += right.choices
        left.suspensions += right.suspensions
        left.renames += right.renames
        left.restarts += right.restarts
        left.timeouts += right.timeouts
        left.repeats += right.repeats
        left.restored += right.restored
        left.newNodes += right.newNodes
        left.forgotten += right.forgotten
        left.longestHealing = max(left.longestHealing, right.longestHealing)
    }
}
