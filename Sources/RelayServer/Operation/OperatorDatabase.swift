import LibC
public import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

/// The database of a relay, opened beside the relay that uses it, by its operator's commands.
///
/// The commands read and change what the relay reads and changes, each in one transaction. A relay
/// that runs notices a change within a second. Nothing here reads a memo: a mail's domain comes from
/// its account.
public struct OperatorDatabase: Sendable {
    let storage: SQLiteStorage
    let sealer: Sealer
    /// The sealed secret of the relay.
    private let secret: [UInt8]
    /// The path of the key file.
    let keyPath: String

    /// Opens the database in the data folder of a relay.
    ///
    /// - Throws: ``OperatorError``. No file is made.
    public init(folder: String) throws(OperatorError) {
        let path = folder + "/relay.sqlite"
        keyPath = folder + "/key"
        guard access(path, F_OK) == 0 else { throw .noDatabase }
        do {
            // A relay that runs would have to wait, and its log is its own.
            let storage = try SQLiteStorage(path: path, shortensLog: false)
            let secret = try storage.read { database in
                try database.first("SELECT sealed FROM relay_secret") { $0.blob(0) }
            }
            guard let secret else { throw OperatorError.noDatabase }
            self.storage = storage
            self.secret = secret
            sealer = Outbox(storage: storage, keys: FileKeyStore(path: keyPath)).sealer
        } catch {
            throw OperatorError(error)
        }
    }

    /// Reads the keys, which the sealer cannot do within a transaction: it asks the storage whether
    /// anything was sealed.
    func readKeys() throws(OperatorError) {
        _ = try relaySecret()
    }

    func relaySecret() throws(OperatorError) -> RelaySecret {
        do {
            return try SQLiteRelayStore.secret(sealed: secret, with: sealer)
        } catch {
            throw OperatorError(error)
        }
    }

    /// Runs `body` in one transaction.
    func write<Result>(
        _ body: (Connection) throws -> Result
    ) throws(OperatorError) -> Result {
        do {
            return try storage.write(body)
        } catch {
            throw OperatorError(error)
        }
    }

    func read<Result>(_ body: (Connection) throws -> Result) throws(OperatorError) -> Result {
        do {
            return try storage.read(body)
        } catch {
            throw OperatorError(error)
        }
    }
}

/// The reason why a relay's database cannot be used by a command. The command has changed nothing.
public enum OperatorError: Error, Hashable, Sendable {
    /// The folder has no database of a relay.
    case noDatabase
    /// The database cannot be read or written.
    case unusable(DatabaseFault)
    /// The key cannot be used. Only the domains of dead letters and a backup need it.
    case key(KeyStoreError)

    init(_ error: any Error) {
        self =
            switch error {
            case let error as OperatorError: error
            case let error as KeyStoreError: .key(error)
            default: .unusable(DatabaseFault(error))
            }
    }
}
