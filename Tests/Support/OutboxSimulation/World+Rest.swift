import OutboxCore
import OutboxTesting

/// Observations of disks that were taken out, and of the operations that are left on them.
extension World {
    func observeDisk(_ device: any Device) {
        history.observe(.atRest(disk: device.name, bytes: device.allBytes))
    }

    func observeRelay() {
        guard let bytes = try? relay.database.allBytes() else { return }
        history.observe(.atRest(disk: "relay", bytes: bytes))
    }

    func countDiskOperation(_ operation: FileOperation, of process: NativeProcess) {
        history.count { $0.diskOperations += 1 }
        history.mix([UInt8(process.number), operation.number])
    }
}

extension FileOperation {
    /// For the sum of what happened: names of temporary files are random.
    fileprivate var number: UInt8 {
        switch self {
        case .makeFolder: 0
        case .length: 1
        case .read: 2
        case .write: 3
        case .syncFile: 4
        case .syncFolder: 5
        case .tryLock: 6
        case .isNamed: 7
        case .exists: 8
        case .names: 9
        case .open(.new): 10
        case .open(.shared): 11
        case .open(.reading): 12
        case .open(.folder): 13
        case .rename: 14
        case .remove: 15
        }
    }
}
