import Outbox
import OutboxCore

/// The reason for which the database of a relay cannot be used. Nothing was changed.
///
/// A relay that starts, and the commands of its operator, find the same faults.
public enum DatabaseFault: Error, Hashable, Sendable {
    /// The file is no database, or is damaged.
    case damaged
    /// The database is sealed with another key than the one beside it.
    case otherKey
    /// The disk is full.
    case diskFull
    /// This process may not write the database, or its folder.
    case notWritable
    /// Another process holds the database for too long.
    case busy
    /// Any other failure; with a code such as `storage.1`.
    case failed(code: String)

    init(_ error: any Error) {
        self =
            switch error {
            case let fault as DatabaseFault: fault
            case StorageError.corrupt, is CorruptRow: .damaged
            case StorageError.diskFull: .diskFull
            case StorageError.readOnly, StorageError.cannotOpen: .notWritable
            case StorageError.busy: .busy
            case let error as UnreadableRecord:
                error.reason == .unknownKey ? .otherKey : .damaged
            default: .failed(code: "\(ReasonCode(failure: error))")
            }
    }
}
