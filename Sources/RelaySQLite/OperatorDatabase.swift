import LibC
import Outbox
import OutboxCore
import OutboxSQLite
import RelayRules
public import RelayServer
import SQLite

/// The database of a relay, opened beside the relay that uses it, by its operator's commands.
///
/// Each read and each change is one transaction.
public struct OperatorDatabase: TransactedOperations {
    let storage: SQLiteStorage
    let sealer: Sealer
    private let secret: SealedSecrets
    /// The path of the key file.
    let keyPath: String

    /// Opens the database in the data folder of a relay.
    ///
    /// - Throws: ``OperatorError``. No file is made.
    public init(folder: String) throws(OperatorError) {
        let path = SQLiteRelayStore.path(in: folder)
        keyPath = folder + "/key"
        guard access(path, F_OK) == 0 else { throw .noDatabase }
        do {
            // A relay that runs would have to wait, and its log is its own.
            let storage = try SQLiteStorage(path: path, shortensLog: false)
            guard let secret = try storage.read(SealedSecrets.init(in:)) else {
                throw OperatorError.noDatabase
            }
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

    public func relaySecret() throws(OperatorError) -> RelaySecret {
        do {
            return try secret.opened(by: sealer)
        } catch {
            throw OperatorError(error)
        }
    }

    package func operate<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) throws(OperatorError) -> Transaction.Outcome {
        try readKeys()
        do {
            return try storage.write { try tables(in: $0).run(transaction).outcome }
        } catch {
            throw OperatorError(error)
        }
    }

    /// The tables, for one transaction of a connection.
    func tables(in database: Connection) -> SQLiteTables {
        SQLiteTables(database: database, storage: storage, sealer: sealer)
    }

    func read<Result>(_ body: (Connection) throws -> Result) throws(OperatorError) -> Result {
        do {
            return try storage.read(body)
        } catch {
            throw OperatorError(error)
        }
    }
}
