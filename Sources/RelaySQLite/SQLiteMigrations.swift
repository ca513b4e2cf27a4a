import LibC
package import Outbox
import OutboxCore
import OutboxSQLite
package import RelayServer
import SQLite

/// The steps of the tables in a data folder: those of the mail queue, and those of the relay.
package struct SQLiteMigrations: MigratedStore {
    private let folder: String
    private let clock: OutboxClock

    /// - Parameter folder: The path of the folder.
    package init(folder: String, clock: OutboxClock = .system) {
        self.folder = folder
        self.clock = clock
    }

    package func plan() throws(MigrationError) -> MigrationPlan {
        try Self.naming {
            let database = try open()
            guard let steps = try RelaySchema.missing(in: database) else { return .ofLaterBuild }
            let (numbers, count) = try SQLiteStorage.missingSteps(in: database)
            let queue = numbers.map { number in
                PendingMigration(
                    component: "outbox",
                    number: number,
                    count: count,
                    about: "brings the tables of the mail queue further"
                )
            }
            return .steps(queue + steps)
        }
    }

    package func migrate() throws(MigrationError) {
        _ = try Self.naming { try open() }
        let claim = try claim()
        defer { withExtendedLifetime(claim) {} }
        try Self.naming {
            let storage = try SQLiteStorage(path: SQLiteRelayStore.path(in: folder))
            try storage.write { try RelaySchema.prepare($0, at: clock.wallTime()) }
        }
    }

    /// A connection that makes no table, and no file of a database.
    private func open() throws -> Connection {
        let path = SQLiteRelayStore.path(in: folder)
        guard access(path, F_OK) == 0 else { throw OperatorError.noDatabase }
        return try Connection(path: path, shortensLog: false)
    }

    private func claim() throws(MigrationError) -> FileLock {
        do throws(RelayStartError) {
            return try SQLiteRelayStore.claim(folder)
        } catch {
            switch error {
            case .dataFolder(let code): throw .folder(code: code)
            default: throw .inUse
            }
        }
    }

    private static func naming<Value>(
        _ body: () throws -> Value
    ) throws(MigrationError) -> Value {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw .store(OperatorError(StorageError(error)))
        } catch {
            throw .store(OperatorError(error))
        }
    }
}
