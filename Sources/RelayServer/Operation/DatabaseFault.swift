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
}
