import CSQLite
import LibC
import Outbox
import OutboxFiles
import OutboxSQLite
import OutboxTesting
import WatchedFiles

/// The loss of a device's disk by a power cut.
struct DiskDamage {
    var droppedWrites = 0
    var tornWrites = 0
    var droppedNames = 0
}

/// Where a device keeps its outbox. Confined to the scheduler's thread.
protocol DeviceDisk: AnyObject {
    /// Opens the store as `process` does, which is asked about each of its operations.
    func open(for process: NativeProcess) throws -> DeviceStorage
    /// Every process is dead.
    func cutPower(using random: inout SeededRandom) -> DiskDamage
    func powerOn() throws
    /// Every file that is there.
    var allBytes: [[UInt8]] { get }
}

/// One file for each operation, on a simulated disk.
final class FilesDisk: DeviceDisk {
    private static let folder = "/data/store"

    private let disk = SimulatedDisk.prepared()

    var allBytes: [[UInt8]] { disk.content.allBytes }

    func open(for process: NativeProcess) throws -> DeviceStorage {
        let files = InterposedFiles(disk) { [unowned process] operation throws(FileError) in
            guard process.isAlive else { throw FileError(code: EIO) }
            return try process.device.decide(operation, of: process)
        }
        do {
            let storage = try FileStorage(folder: Self.folder, system: files, patience: 1)
            return DeviceStorage(storage) { files.closeAll() }
        } catch {
            files.closeAll()
            throw error
        }
    }

    func cutPower(using random: inout SeededRandom) -> DiskDamage {
        let damage = disk.cutPower(using: &random)
        return DiskDamage(
            droppedWrites: damage.droppedWrites,
            tornWrites: damage.tornWrites,
            droppedNames: damage.droppedNames
        )
    }

    func powerOn() {}
}

/// A SQLite database, whose files are real and watched. Nobody waits for a lock, as nobody who has
/// it could go on meanwhile.
final class DatabaseDisk: DeviceDisk, @unchecked Sendable {
    private let folder: WatchedFolder
    /// Whose calls are under way, the innermost last; `nil` for what no process asks for.
    private var callers: [NativeProcess?] = []
    /// The content that the power cut has left, until the power is back.
    private var left: [String: [UInt8]]?

    init() throws {
        folder = try WatchedFolder()
        folder.apply { [unowned self] request, name in answer(request, name) }
    }

    var allBytes: [[UInt8]] { Array((left ?? folder.disk.latest).values) }

    func open(for process: NativeProcess) throws -> DeviceStorage {
        let storage = try call(of: process) {
            try SQLiteStorage(
                path: folder.file("outbox.sqlite"),
                busyTimeoutMilliseconds: 0
            )
        }
        return DeviceStorage(storage, process, self)
    }

    /// Runs one call of a process.
    func call<Result>(of process: NativeProcess?, _ body: () throws -> Result) rethrows -> Result {
        callers.append(process)
        defer { callers.removeLast() }
        return try body()
    }

    func isCalled(by process: NativeProcess) -> Bool {
        callers.contains { $0 === process }
    }

    func cutPower(using random: inout SeededRandom) -> DiskDamage {
        let disk = folder.disk
        let (latest, left) = (disk.latest, PowerCut(disk, &random).any(using: &random))
        self.left = left
        var damage = DiskDamage()
        for (name, bytes) in left where bytes != latest[name] {
            if bytes == disk.worst[name] {
                damage.droppedWrites += 1
            } else {
                damage.tornWrites += 1
            }
        }
        damage.droppedNames = Set(latest.keys).symmetricDifference(left.keys).count
        return damage
    }

    func powerOn() throws {
        guard let left else { return }
        try folder.replace(with: left)
        self.left = nil
    }

    private func answer(
        _ request: WatchedFolder.Request,
        _ name: String
    ) -> WatchedFolder.Answer {
        guard let process = callers.last ?? nil, let operation = FileOperation(request, name)
        else { return .pass }
        guard process.isAlive else { return .refuse }
        do {
            return try process.device.decide(operation, of: process) ? .pass : .leaveOut
        } catch {
            guard process.isAlive || request == .write else { return .refuse }
            return .fail(error.code == ENOSPC ? SQLITE_FULL : SQLITE_IOERR)
        }
    }
}

extension FileOperation {
    /// `nil` for what never fails, and for memory.
    fileprivate init?(_ request: WatchedFolder.Request, _ name: String) {
        switch request {
        case .open: self = .open(.shared)
        case .read: self = .read(name)
        case .write, .truncate: self = .write
        case .sync: self = .syncFile
        case .length: self = .length(of: name)
        case .lock: self = .tryLock
        case .delete: self = .remove(name)
        case .access: self = .exists
        case .close, .unlock, .syncFolder, .mapSharedMemory, .lockSharedMemory: return nil
        }
    }
}
