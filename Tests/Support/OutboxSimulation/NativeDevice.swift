import LibC
import Outbox
import OutboxCore
import OutboxFiles
import OutboxTesting
import RelayServer

/// A machine on which the person uses the terminal: a disk, a clock, a key, and processes that share
/// one store.
///
/// Confined to the scheduler's thread; only therefore `Sendable`.
final class NativeDevice: Device, @unchecked Sendable {
    private let number: Int
    unowned let world: World
    let clock: SimulatedClock
    let connection: Connection
    let disk: any DeviceDisk
    let keys = MemoryKeyStore()
    private(set) var processes: [NativeProcess] = []
    var unwritten: [WrittenMemo] = []
    /// The fault of the disk; `nil` for none.
    private var condition: Fault?
    private var isPowered = true
    private var isInterleaving = false
    /// The event at a later disk operation, and the number of operations before it.
    private var fuse: (operations: Int, body: (any DeviceProcess) -> Void)?

    init(number: Int, world: World, identity: AuthenticatedDevice) {
        self.number = number
        self.world = world
        connection = Connection(identity: identity, history: world.history)
        disk = world.plan.isOnDatabase ? Self.databaseDisk() : FilesDisk()
        clock = SimulatedClock(scheduler: world.scheduler, seed: world.random.next())
    }

    private static func databaseDisk() -> any DeviceDisk {
        do {
            return try DatabaseDisk()
        } catch {
            preconditionFailure("no folder can be watched here: \(error)")
        }
    }

    var name: String { "device \(number)" }

    func start() {
        for index in 0..<world.plan.processesPerDevice { startProcess(index) }
    }

    /// Starts a process, unless one with this number runs already. One that cannot open the store
    /// is started again later.
    func startProcess(_ index: Int) {
        guard isPowered, !world.isOver, !processes.contains(where: { $0.number == index }) else {
            return
        }
        if let process = NativeProcess(number: index, device: self) {
            processes.append(process)
            process.run()
        } else {
            world.scheduler.after(.seconds(30)) { self.startProcess(index) }
        }
    }

    func ended(_ process: NativeProcess) {
        processes.removeAll { $0 === process }
        guard !world.isOver else { return }
        world.scheduler.after(world.random.duration(upTo: .seconds(300))) {
            self.startProcess(process.number)
        }
    }

    func cutPower() {
        guard isPowered else { return }
        isPowered = false
        for process in processes { process.die() }
        let damage = disk.cutPower(using: &world.random)
        world.history.count(.writeDropped, times: damage.droppedWrites)
        world.history.count(.writeTorn, times: damage.tornWrites)
        world.history.count(.nameDropped, times: damage.droppedNames)
        world.observeDisk(self)
        world.scheduler.after(world.random.duration(upTo: .seconds(3600))) { self.powerOn() }
    }

    private func powerOn() {
        isPowered = true
        do {
            try disk.powerOn()
        } catch {
            preconditionFailure("a dead process has its files open: \(error)")
        }
        if !world.isOver { start() }
    }

    func heal() {
        condition = nil
        fuse = nil
        keys.fail(with: nil)
        for process in processes { process.die() }
        setOnline(true)
        powerOn()
    }

    func end() {
        for process in processes { process.die() }
    }

    // MARK: What a person does

    func write() {
        guard let process = processes.randomElement(using: &world.random),
            let memo = unwritten.popLast()
        else { return }
        process.write(memo)
    }

    func decide(deletingOnly: Bool) {
        guard let process = processes.randomElement(using: &world.random) else { return }
        process.decide(deletingOnly: deletingOnly)
    }

    // MARK: Network

    func setOnline(_ isOnline: Bool) {
        guard connection.setOnline(isOnline, name), isOnline else { return }
        for process in processes { process.outbox.networkReturned() }
    }

    func setKey(isThere: Bool) { keys.fail(with: isThere ? nil : .unreadable(code: 5)) }

    // MARK: What is stored

    var queued: Int { processes.first.flatMap { try? $0.outbox.counts().queued } ?? 1 }

    func place(of id: OperationID) -> Observation.OnDevice? {
        let entry = processes.first.flatMap { try? $0.outbox.entry(for: id) }
        return switch entry?.state {
        case nil: nil
        case .queued: .queued
        case .parked: .parked(entry?.envelope?.lastError)
        case .quarantined: .quarantined
        }
    }

    var allBytes: [[UInt8]] { disk.allBytes }

    // MARK: What all devices share

    // The outbox alone is simulated here.
    var shared: SharedFound? { nil }
    var isShared: Bool { true }
    func edit() {}
    func signOutFormer() {}

    // MARK: Disk

    func setDisk(_ condition: Fault?) { self.condition = condition }

    var anyProcess: (any DeviceProcess)? { processes.randomElement(using: &world.random) }

    func lightFuse(_ body: @escaping (any DeviceProcess) -> Void) {
        fuse = (Int.random(in: 1...40, using: &world.random), body)
    }

    /// Decides about one disk operation of a living process.
    ///
    /// - Returns: Whether it is done at all.
    func decide(_ operation: FileOperation, of process: NativeProcess) throws(FileError) -> Bool {
        world.countDiskOperation(operation, of: process)
        if let (operations, body) = fuse {
            fuse = operations > 1 ? (operations - 1, body) : nil
            if operations <= 1 { body(process) }
        }
        interleave(with: process)
        guard process.isAlive else { throw FileError(code: EIO) }
        if !world.plan.isOnDatabase, world.has(.interrupted), world.random.isTrue(20) {
            world.history.count { $0.count(.interrupted) }
            throw FileError(code: EINTR)
        }
        switch condition {
        case .diskFull where operation.needsRoom:
            world.history.count(.refusedForRoom)
            throw FileError(code: ENOSPC)
        case .writesFailing where operation.isWriting && world.random.isTrue(world.plan.permille):
            world.history.count(.writeFailed)
            throw FileError(code: EIO)
        case .readsFailing where !operation.isWriting && world.random.isTrue(world.plan.permille):
            world.history.count(.readFailed)
            tell(operation, false, process)
            throw FileError(code: EIO)
        default: break
        }
        if case .read = operation { tell(operation, true, process) }
        return !(world.sabotage == .diskThatLiesAboutSyncs && operation.isSync)
    }

    /// Tells whether a process could read a memo's file.
    private func tell(_ operation: FileOperation, _ isRead: Bool, _ process: NativeProcess) {
        guard world.plan.faults.contains(.readsFailing) else { return }
        let path: String
        switch operation {
        case .open(.reading(let file)), .length(of: let file), .read(let file): path = file
        default: return
        }
        guard let name = path.split(separator: "/").last,
            let id = OperationID(text: Array(name.utf8))
        else { return }
        world.history.observe(.fileRead(id, isRead, by: process.name))
    }

    /// Lets another process do something in the middle of this one's disk operation.
    private func interleave(with process: NativeProcess) {
        guard !isInterleaving, world.has(.processesInterleaved), process.isAlive,
            process.isOpen || !world.plan.isOnDatabase,
            world.random.isTrue(20), let other = another(than: process)
        else { return }
        isInterleaving = true
        defer { isInterleaving = false }
        world.history.count(.processesInterleaved, other.name)
        if world.has(.personActs), world.random.isTrue(300) {
            other.decide(deletingOnly: false)
        } else if let memo = unwritten.popLast() {
            other.write(memo)
        }
    }

    /// Another process; one that does not run yet is started, if it can.
    private func another(than process: NativeProcess) -> NativeProcess? {
        let number = Int.random(in: 0..<world.plan.processesPerDevice, using: &world.random)
        guard number != process.number else { return nil }
        isInterleaving = true
        startProcess(number)
        isInterleaving = false
        return processes.first { $0.number == number }
    }
}

extension FileOperation {
    fileprivate var needsRoom: Bool {
        switch self {
        case .makeFolder, .write, .open(.new), .open(.shared): true
        default: false
        }
    }

    fileprivate var isWriting: Bool {
        switch self {
        case .rename, .remove, .syncFile, .syncFolder: true
        default: needsRoom
        }
    }

    fileprivate var isSync: Bool { self == .syncFile || self == .syncFolder }
}
