import LibC
import Outbox
public import RelayServer

extension SQLiteRelayStore {
    /// Opens the store of a relay that serves. Makes the folder, the database and the key if need be.
    /// A data folder can have one relay at a time: the store keeps others out.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - settings: The relay's settings.
    /// - Throws: The reason why the relay cannot start.
    public init(folder: String, _ settings: StoreSettings) throws(RelayStartError) {
        let claim = try Self.claim(folder)
        do {
            try self.init(
                folder: folder,
                keys: FileKeyStore(path: settings.keyPath),
                policy: settings.mailPolicy,
                clock: settings.clock,
                log: settings.log,
                fateLost: settings.fateLost,
                claim: claim
            )
            guard try read(SQLiteCopySource.copy(in:)) == nil else { throw RelayStartError.copied }
        } catch let error as RelayStartError {
            throw error
        } catch let error as KeyStoreError {
            throw .key(error)
        } catch is SecretMissing {
            throw .secret
        } catch {
            throw .database(DatabaseFault(error))
        }
    }

    /// Makes the folder if need be, and keeps other relays out of it as long as the lock lives.
    static func claim(_ folder: String) throws(RelayStartError) -> FileLock {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .dataFolder(code: errno) }
        let lock: FileLock?
        do {
            lock = try FileLock(path: folder + "/lock")
        } catch {
            throw .dataFolder(code: error.systemCode)
        }
        guard let lock else { throw .dataFolderInUse }
        return lock
    }
}

extension StorageError {
    /// The system's number of the failure to open a file.
    fileprivate var systemCode: Int32 {
        switch self {
        case .failed(let code): code
        default: EACCES
        }
    }
}
