internal import OfflineFirst
package import OfflineFirstTesting
internal import OutboxCore
internal import OutboxTesting
internal import SyncCore
internal import WatchedFiles

/// Devices with the records, the manager, the outbox and the database that an app has, over a server in
/// memory: their tasks, disks, clocks and networks follow from one seed. The checkers are those of ``World``.
///
/// Some worlds are those of one person with two telephones and a terminal, see ``WorldDevice/Life``.
///
/// A device dies before any write of its disk, by a kill or by a power cut, and begins anew with what the
/// disk kept. Confined to the scheduler's thread; it is `Sendable` for this reason only.
package final class DeviceWorld: @unchecked Sendable {
    /// The seed. It repeats the run in a process with the same seed of hashes, see `scripts/explore-sync`.
    package let seed: UInt64
    /// The checkers.
    package private(set) var book = Book(policies: WorldRules.policies, groups: WorldRules.group)
    /// The numbers of things that happened.
    package internal(set) var tally = Tally()
    /// The events, if they were to be kept.
    package private(set) var report: [String] = []

    let scheduler: SimulatedScheduler
    let server: MemorySyncServer
    let serverClock: SimulatedClock
    var random: SeededRandom
    private(set) var devices: [WorldDevice] = []
    /// Whether faults have ended, and every device may run for as long as it wants.
    private(set) var isHealed = false
    /// Whether the devices are two telephones and a terminal.
    private let hasTelephones: Bool
    /// Whether no process begins any more.
    private(set) var isOver = false
    private let keepsLines: Bool
    private var lastValue: UInt16 = 0
    /// The faults that this world has, of a thousand calls.
    private let losses: Int
    private let refusals: Int
    /// The sorts of trouble that this world has.
    private let crashes: Bool
    private let jumps: Bool
    private let purges: Bool
    private let clones: Bool
    private let kinds: ClosedRange<UInt8>

    /// Runs the world of a seed to its end.
    ///
    /// - Parameters:
    ///   - bug: A duty that the server breaks, if any.
    ///   - hasTelephones: Whether the devices are two telephones and a terminal; `nil` where the seed says so, in one
    ///     world of four.
    /// - Throws: An error of the machine that runs it, such as a full disk.
    package init(
        seed: UInt64,
        bug: PlantedBug? = nil,
        hasTelephones: Bool? = nil,
        keepsLines: Bool = false
    ) throws {
        self.seed = seed
        self.keepsLines = keepsLines
        scheduler = SimulatedScheduler(seed: seed)
        var random = SeededRandom(seed: ~seed)
        serverClock = SimulatedClock(scheduler: scheduler, seed: seed)
        server = MemorySyncServer(
            pageSize: Int.random(in: 1...4, using: &random),
            clock: serverClock.clock
        )
        // A run has a sort of fault or does not have it, so that some runs are nearly quiet.
        losses = Bool.random(using: &random) ? Int.random(in: 20...300, using: &random) : 0
        refusals = Bool.random(using: &random) ? 40 : 0
        crashes = Bool.random(using: &random)
        jumps = Int.random(in: 0..<3, using: &random) == 0
        purges = Int.random(in: 0..<3, using: &random) == 0
        clones = Int.random(in: 0..<8, using: &random) == 0
        let first = UInt8.random(in: 0...4, using: &random)
        kinds = Int.random(in: 0..<3, using: &random) == 0 ? 0...4 : first...first
        self.random = random
        self.hasTelephones = hasTelephones ?? seed.isMultiple(of: 4)
        if let bug { server.plant(bug) }
        try run()
    }

    /// The broken promises.
    package var violations: [Violation] { book.violations }

    func note(_ line: @autoclosure () -> String) {
        if keepsLines { report.append("\(scheduler.now.count) \(line())") }
    }

    /// Lets the checkers hear something.
    func check<Result>(_ body: (inout Book) -> Result) -> Result { body(&book) }

    func chance(_ permille: Int) -> Bool { Int.random(in: 0..<1000, using: &random) < permille }

    // MARK: The run

    private func run() throws {
        server.observe { [unowned self] request, answer, applied in
            note("push \(WorldLog.text(request)): \(answer)")
            book.pushed(request, answer, applied, now: serverClock.wallTime)
            switch answer {
            case .conflict: tally.conflicts += 1
            case .newNode: tally.newNodes += 1
            case .refused: tally.refusals += 1
            case .accepted: if applied != nil { tally.applied += 1 }
            }
        }
        server.inject { [unowned self] call in fault(of: call) }
        server.refuse { $0.write.fields.contains { $0.value == [0xFF] } ? "forbidden" : nil }
        let number = Int.random(in: 1...4, using: &random)
        let lives: [WorldDevice.Life] =
            hasTelephones
            ? [.telephone, .telephone, .terminal] : Array(repeating: .terminal, count: number)
        for life in lives { try addDevice(life) }
        for _ in 0..<Int.random(in: 20...80, using: &random) { plan() }
        scheduler.beforeStep = { [unowned self] in for device in devices { device.look() } }
        scheduler.run(until: .seconds(3600), while: { violations.isEmpty })
        heal()
        scheduler.beforeStep = nil
        finish()
        for violation in violations {
            note("violation: \(violation.promise.rawValue): \(violation.text)")
        }
    }

    private func addDevice(_ life: WorldDevice.Life) throws {
        let device = try WorldDevice(
            number: devices.count,
            life: life,
            world: self,
            contents: [:]
        )
        devices.append(device)
        scheduler.after(Milliseconds(0)) { device.start() }
    }

    private func fault(of call: SyncCall) -> SyncFault? {
        if isHealed { return nil }
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<losses:
            tally.timeouts += 1
            let failures: [SyncFailure] = [
                .offline, .timedOut, .server("http.503"), .busy(retryAfter: .seconds(3)),
            ]
            let failure = failures.randomElement(using: &random) ?? .offline
            return Bool.random(using: &random) ? .requestLost(failure) : .answerLost(failure)
        case 300..<300 + losses / 4:
            tally.repeats += 1
            return .repeated
        case 400..<400 + refusals: return .refused("out-of-stock")
        case 500..<500 + refusals: return .preconditionFailed
        default: return nil
        }
    }

    /// Plans an event at a random moment of the first half hour.
    private func plan() {
        let moment = Int64.random(in: 0..<1_800_000, using: &random)
        scheduler.after(Milliseconds(moment)) { [unowned self] in
            guard let device = devices.randomElement(using: &random) else { return }
            device.comeToFront()
            happen(to: device)
        }
    }

    private func happen(to device: WorldDevice) {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<9: edit(device)
        case 9, 10: device.choose()
        case 11: device.acknowledge()
        case 12: device.wake()
        case 13: device.setOnline(!device.isOnline)
        case 14, 15: if crashes { device.lightFuse() }
        case 16: if jumps { device.moveClock() }
        case 17:
            guard purges, chance(300) else { return }
            note("the server forgets its tombstones")
            tally.forgotten += 1
            server.dropTombstones()
        case 18: if losses > 0 { server.repeatAllPushes() }
        default: if clones, devices.count < 5 { clone(device) }
        }
    }

    private func clone(_ device: WorldDevice) {
        guard let contents = device.contents else { return }
        note("\(device.number) is cloned as \(devices.count)")
        book.isStrict = false
        tally.restored += 1
        do {
            let clone = try WorldDevice(
                number: devices.count,
                life: device.life,
                world: self,
                contents: contents
            )
            clone.takeHistory(of: device)
            devices.append(clone)
            scheduler.after(Milliseconds(0)) { clone.start() }
        } catch {
            preconditionFailure("no folder can be watched here: \(error)")
        }
    }

    // MARK: Edits

    private func edit(_ device: WorldDevice) {
        let kind = UInt8.random(in: kinds, using: &random)
        let records = device.shownKeys
        let deleted = device.deleted.keys.sorted()
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            let names = [WorldRules.a, WorldRules.b, WorldRules.g, WorldRules.h]
            device.edit(RecordKey(kind: [kind], id: []), .create, values(device, names))
        case 8:
            guard let key = records.randomElement(using: &random) else { return }
            device.edit(key, .delete, [])
        case 9:
            guard let key = deleted.randomElement(using: &random) else { return }
            device.edit(key, .put, device.deleted[key] ?? [])
        default:
            guard let key = records.randomElement(using: &random) else { return }
            var names: [[UInt8]] = []
            for name in [WorldRules.a, WorldRules.b, WorldRules.g, WorldRules.h, WorldRules.r]
            where chance(333) { names.append(name) }
            device.edit(key, .update, values(device, names.isEmpty ? [WorldRules.a] : names))
        }
    }

    private func values(_ device: WorldDevice, _ names: [[UInt8]]) -> [Field] {
        names.map { name in
            if name == WorldRules.r {
                let lists = device.shownKeys.filter { $0.kind == [0] }
                let id = lists.randomElement(using: &random)?.id ?? []
                return Field(name: name, value: id)
            }
            if chance(80) { return Field(name: name, value: [0xFF]) }
            // Sometimes two persons write the same.
            if chance(120) { return Field(name: name, value: [0xAA]) }
            return Field(name: name, value: newValue())
        }
    }

    func newValue() -> [UInt8] {
        lastValue += 1
        return [UInt8(lastValue >> 8), UInt8(truncatingIfNeeded: lastValue)]
    }

    // MARK: The end

    /// Lets faults end, and looks whether everything comes to rest.
    private func heal() {
        guard violations.isEmpty else { return }
        note("heal")
        isHealed = true
        server.refuse(nil)
        var rounds = 0
        repeat {
            rounds += 1
            for device in devices {
                scheduler.after(Milliseconds(0)) { device.heal() }
                scheduler.after(.seconds(1)) { device.chooseAll() }
            }
            run(for: .seconds(240))
        } while rounds < 40 && violations.isEmpty && !devices.allSatisfy(\.isQuiet)
        tally.longestHealing = max(tally.longestHealing, rounds)
        // Each device pulls what the last ones have pushed.
        for device in devices { scheduler.after(Milliseconds(0)) { device.wake() } }
        run(for: .seconds(240))
        guard violations.isEmpty else { return }
        for device in devices where !device.isQuiet {
            book.broken(.converges, "device \(device.number) is not at rest after \(rounds) rounds")
        }
        let rows = Dictionary(uniqueKeysWithValues: server.rows.map { ($0.key, $0) })
        book.ended(devices.map(\.view), server: rows)
    }

    private func run(for time: Milliseconds) {
        let end = Milliseconds(scheduler.now.count + time.count)
        scheduler.run(until: end, while: { violations.isEmpty })
    }

    /// Ends all processes, so that nothing of this world stays.
    private func finish() {
        isOver = true
        for device in devices { scheduler.after(Milliseconds(0)) { device.die(.end) } }
        scheduler.run(until: Milliseconds(scheduler.now.count + 600_000))
    }
}

extension DeviceWorld {
    /// The number of steps of tasks, and of events.
    package var steps: Int { scheduler.steps }
}
