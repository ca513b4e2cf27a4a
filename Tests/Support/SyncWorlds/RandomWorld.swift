package import OfflineFirstTesting
internal import OutboxCore
internal import StoreCore
internal import SyncCore

/// A world whose steps a seed chooses.
package struct RandomWorld {
    /// The seed, which repeats the run.
    package let seed: UInt64
    /// The world.
    package private(set) var world: World
    private var random: Dice
    private let log: WorldLog?
    /// Decides about backups, in the worlds that have some.
    private var fate: Dice
    private var backup: (device: Int, content: World.Backup)?

    /// Runs the world of a seed to its end.
    package init(seed: UInt64, bug: PlantedBug? = nil, keepsLines: Bool = false) {
        self.seed = seed
        random = Dice(state: seed)
        log = keepsLines ? WorldLog() : nil
        fate = Dice(state: ~seed)
        let count = 1 + Int(random.below(6))
        world = World(devices: count, bug: bug, underWay: 1 + Int(random.below(4)), log: log)
        run()
    }

    /// The events, if they were to be kept.
    package var report: [String] { log?.lines ?? [] }

    private mutating func run() {
        let length = 20 + Int(random.below(120))
        // A run has a sort of fault or does not have it, so that some runs are nearly quiet.
        let loses = random.below(2) == 0
        let repeats = random.below(2) == 0
        let restarts = random.below(2) == 0
        let purges = random.below(3) == 0
        let jumps = random.below(3) == 0
        let kinds = random.below(3) == 0 ? 5 : 1
        let firstKind = random.below(5)
        let forbids = random.below(2) == 0
        world.server.pageSize = 1 + Int(random.below(4))
        if !forbids { world.server.forbidden = nil }
        let hasBackups = fate.below(6) == 0
        for _ in 0..<length {
            if hasBackups { copyDevices() }
            let device = Int(random.below(UInt64(world.devices.count)))
            let kind = UInt8((firstKind + random.below(UInt64(kinds))) % 5)
            switch random.below(20) {
            case 0..<5: edit(device, kind)
            case 5..<7:
                log?.note("woken \(device)")
                world.tell(device, .woken)
            case 7..<14:
                guard !world.wires.isEmpty else { continue }
                let position = Int(random.below(UInt64(world.wires.count)))
                let isRepeated = repeats && random.below(8) == 0
                if loses, random.below(8) == 0 {
                    log?.note("lost \(world.wires[position])")
                    world.wires.remove(at: position)
                } else {
                    log?.note("deliver \(world.wires[position]) \(isRepeated)")
                    world.deliver(position, isRepeated: isRepeated)
                }
            case 14 where loses:
                let requests = world.devices[device].awaited
                guard !requests.isEmpty else { continue }
                let request = requests[Int(random.below(UInt64(requests.count)))]
                log?.note("give up \(device) \(request)")
                world.giveUp(device, request)
            case 15 where restarts && random.below(3) == 0:
                log?.note("restart \(device)")
                world.restart(device)
            case 16 where purges && random.below(3) == 0:
                log?.note("purge")
                world.server.purge()
                world.tally.forgotten += 1
            case 16 where random.below(6) == 0:
                log?.note("refresh \(device)")
                world.tell(device, .refresh)
            case 17: choose(device)
            case 18:
                world.server.now = world.server.now.advanced(
                    by: Milliseconds(Int64(random.below(2000)))
                )
                let span: Int64 = jumps ? 40_000_000_000 : 500
                let jump = Int64(random.below(UInt64(2 * span))) - span
                let isJumping = random.below(4) == 0
                world.devices[device].wall = world.server.now.advanced(
                    by: Milliseconds(isJumping ? jump : 0)
                )
                log?.note("clock \(device) \(isJumping ? jump : 0)")
            case 19 where world.devices[device].isNodeWanted:
                log?.note("new node \(device)")
                world.makeNode(device)
            default: break
            }
            if !world.violations.isEmpty { return finish() }
        }
        log?.note("heal")
        world.heal()
        finish()
    }

    /// Sometimes takes a backup of a device, puts it back, or makes a clone of a device.
    private mutating func copyDevices() {
        let device = Int(fate.below(UInt64(world.devices.count)))
        switch fate.below(50) {
        case 0:
            backup = (device, world.backup(of: device))
        case 1..<4:
            guard let backup else { break }
            log?.note("restore \(backup.device)")
            world.restore(backup.content, on: backup.device)
        case 4 where world.devices.count < 6:
            log?.note("clone \(device)")
            world.clone(device)
        default: break
        }
    }

    private mutating func finish() {
        for violation in world.violations {
            log?.note("violation: \(violation.promise.rawValue): \(violation.text)")
        }
    }

    private mutating func edit(_ index: Int, _ kind: UInt8) {
        let records = world.devices[index].machine.shown.map(\.key).sorted()
        let deleted = world.devices[index].deleted.keys.sorted()
        let choice = random.below(10)
        if choice < 2 || records.isEmpty {
            let key = RecordKey(kind: [kind], id: world.newTemporary())
            let values = values(index, [WorldRules.a, WorldRules.b, WorldRules.g, WorldRules.h])
            log?.note("create \(index) \(key) \(values)")
            world.edit(index, key, .create, values)
        } else if choice < 8 {
            let key = records[Int(random.below(UInt64(records.count)))]
            var names: [[UInt8]] = []
            for name in [WorldRules.a, WorldRules.b, WorldRules.g, WorldRules.h, WorldRules.r]
            where random.below(3) == 0 { names.append(name) }
            let values = values(index, names.isEmpty ? [WorldRules.a] : names)
            log?.note("update \(index) \(key) \(values)")
            world.edit(index, key, .update, values)
        } else if choice == 8 || deleted.isEmpty {
            let key = records[Int(random.below(UInt64(records.count)))]
            log?.note("delete \(index) \(key)")
            world.edit(index, key, .delete, [])
        } else {
            let key = deleted[Int(random.below(UInt64(deleted.count)))]
            log?.note("put \(index) \(key)")
            world.edit(index, key, .put, world.devices[index].deleted[key] ?? [])
        }
    }

    private mutating func values(_ index: Int, _ names: [[UInt8]]) -> [Field] {
        names.map { name in
            if name == WorldRules.r {
                let records = world.devices[index].machine.shown.map(\.key).sorted()
                    .filter { $0.kind == [0] }
                guard !records.isEmpty else { return Field(name: name, value: []) }
                let id = records[Int(random.below(UInt64(records.count)))].id
                return Field(name: name, value: id)
            }
            if random.below(12) == 0 { return Field(name: name, value: [0xFF]) }
            // Sometimes two persons write the same.
            if random.below(8) == 0 { return Field(name: name, value: [0xAA]) }
            return Field(name: name, value: world.newValue())
        }
    }

    private mutating func choose(_ index: Int) {
        let entries = world.devices[index].machine.entries
        guard !entries.isEmpty else { return }
        let entry = entries[Int(random.below(UInt64(entries.count)))]
        let choice = World.Choice(rawValue: UInt8(random.below(3))) ?? .discard
        log?.note("choose \(index) \(entry.change.id.number) \(choice)")
        world.choose(index, entry, choice)
    }
}

/// One seed, one sequence (SplitMix64).
struct Dice: Sendable {
    var state: UInt64

    mutating func below(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return (word ^ word >> 31) % bound
    }
}
