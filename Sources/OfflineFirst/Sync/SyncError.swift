public import Outbox
import OutboxSQLite
import SQLite
public import SyncCore

/// The reason for which a call of ``SyncedRecords`` failed. The failed call has changed nothing.
@nonexhaustive public enum SyncError: Error, Hashable, Sendable {
    /// The edit, or the choice on a refused change, cannot be taken.
    case edit(SyncEditError)
    /// The storage failed.
    case storage(StorageError)
    /// The keys cannot be read now. Wait and try again: everything stays as it is.
    case keys(KeyStoreError)
    /// A newer build of the library has written the records. This build changes none of them.
    case newerFormat
    /// The app's own part of the transaction threw an error of this type.
    case app(type: String)

    /// An error of one of the parts, as one of these.
    init(_ error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case let error as SyncEditError: self = .edit(error)
        case let error as StorageError: self = .storage(error)
        case let error as SQLiteError: self = .storage(StorageError(error))
        case let error as KeyStoreError: self = .keys(error)
        default: self = .app(type: "\(type(of: error))")
        }
    }

    /// Runs `body`, and throws its error as one of these.
    static func translating<Result>(_ body: () throws -> Result) throws(SyncError) -> Result {
        do {
            return try body()
        } catch {
            throw SyncError(error)
        }
    }
}
