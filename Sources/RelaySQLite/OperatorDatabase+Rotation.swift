import Outbox
public import OutboxCore
import OutboxSQLite
public import RelayServer

extension OperatorDatabase {
    /// Seals all that a relay has stored again under a new key, removes the old one, and replaces the
    /// secret of links, tags and cursors. Or finishes a rotation that was interrupted.
    ///
    /// The relay must not run. A process that is killed at any moment leaves everything readable, and the
    /// next call finishes the rotation.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - now: The present time.
    /// - Throws: ``KeyRotationError``. What is stored is as readable as before.
    /// - Complexity: O(records), in transactions of some records each.
    public static func rotateKey(
        in folder: String,
        at now: WallTime
    ) throws(KeyRotationError) -> KeyRotationReport {
        let (storage, keyPath) = try open(folder)
        let claim = try claim(folder)
        defer { withExtendedLifetime(claim) {} }
        do {
            try storage.write { try RelaySchema.prepare($0, at: now) }
            var report = KeyRotationReport()
            do {
                let sealer = Sealer(store: FileKeyStore(path: keyPath), storage: storage)
                let rotation = KeyRotation(storage: storage, sealer: sealer)
                report.isContinued = try rotation.begin(at: now)
                let progress = try rotation.reseal()
                report.resealed = progress.resealed
                report.unreadable = progress.unreadable
            }
            // The sealer is gone: it holds the keys that it has read.
            let keys = FileKeyStore(path: keyPath)
            let removed = try keys.retireKeys { try KeyRotation.keysInUse(in: storage) }
            guard removed != nil else { return report }
            try KeyRotation.end(in: storage)
            report.isFinished = true
            report.isOldKeyGone = try keys.keys(creating: false).count == 1
            return report
        } catch {
            throw .relay(OperatorError(error))
        }
    }

    /// Storage and key of a data folder, with no key read.
    private static func open(
        _ folder: String
    ) throws(KeyRotationError) -> (storage: SQLiteStorage, keyPath: String) {
        do throws(OperatorError) {
            let database = try OperatorDatabase(folder: folder)
            return (database.storage, database.keyPath)
        } catch {
            throw .relay(error)
        }
    }

    private static func claim(_ folder: String) throws(KeyRotationError) -> FileLock {
        do throws(RelayStartError) {
            return try SQLiteRelayStore.claim(folder)
        } catch {
            switch error {
            case .dataFolder(let code): throw .folder(code: code)
            default: throw .relayRuns
            }
        }
    }
}

/// The outcome of a rotation of the relay's key.
public struct KeyRotationReport: Hashable, Sendable {
    /// The number of records that were sealed again.
    public internal(set) var resealed = 0
    /// The number of records that no key opens. They stay as they are, with their keys.
    public internal(set) var unreadable = 0
    /// Whether an earlier rotation, which was interrupted, was continued: no further key was made.
    public internal(set) var isContinued = false
    /// Whether the rotation is finished. Else another process has read the keys, and an old one stays
    /// until the next call.
    public internal(set) var isFinished = false
    /// Whether the new key is the only one.
    public internal(set) var isOldKeyGone = false
}

/// The reason for which a relay's key was not replaced.
public enum KeyRotationError: Error, Hashable, Sendable {
    /// A relay, or another rotation, uses the folder. Nothing was changed.
    case relayRuns
    /// The folder cannot be locked; with the system's number of the failure. Nothing was changed.
    case folder(code: Int32)
    /// Database or key cannot be used. A part may be sealed again; everything is readable.
    case relay(OperatorError)
}
