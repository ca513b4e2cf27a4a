public import Outbox
import OutboxSQLite
import SQLite

/// The reason for which a call of a cache failed. The failed call has changed nothing.
///
/// A miss is no error, nor is an entry that was tampered with.
@nonexhaustive public enum CacheError: Error, Hashable, Sendable {
    /// A place or a key is longer than ``CacheKey`` allows, or a place is empty.
    case invalidKey
    /// A local change is longer than ``CacheLimits/value``, in bytes.
    case tooLarge(limit: Int)
    /// The storage failed.
    case storage(StorageError)
    /// The keys cannot be read now. Wait and try again: the entries stay as they are.
    case keys(KeyStoreError)

    /// Runs `body`, and throws its error as one of these.
    static func translating<Result>(_ body: () throws -> Result) throws(CacheError) -> Result {
        do {
            return try body()
        } catch let error as CacheError {
            throw error
        } catch let error as StorageError {
            throw .storage(error)
        } catch let error as KeyStoreError {
            throw .keys(error)
        } catch let error as SQLiteError {
            throw .storage(StorageError(error))
        } catch {
            preconditionFailure("an error of another type: \(type(of: error))")
        }
    }
}
