public import Outbox

/// The reason why a relay's database cannot be used by a command. The command has changed nothing.
public enum OperatorError: Error, Hashable, Sendable {
    /// The folder has no database of a relay.
    case noDatabase
    /// The database cannot be read or written.
    case unusable(DatabaseFault)
    /// The key cannot be used. Only the domains of dead letters and a backup need it.
    case key(KeyStoreError)
}
