public import Outbox

/// The reason why a relay does not start.
public enum RelayStartError: Error, Hashable, Sendable {
    /// The limits contradict each other, see ``MemoLimits/contradictions``.
    case limits
    /// The data folder cannot be made or written; with the system's error number.
    case dataFolder(code: Int32)
    /// The data folder is there, or data is to be in a database elsewhere, and the database cannot be used.
    case database(DatabaseFault)
    /// Another relay uses the data folder.
    case dataFolderInUse
    /// The key in the data folder cannot be used.
    case key(KeyStoreError)
    /// The database has accounts, but not the relay's secret, without which they cannot be found.
    case secret
    /// The tables of the database elsewhere are not those of this build, and this relay may not change them.
    case tables
    /// The data is being copied into another database, or was: a relay serves from that one.
    case copied
    /// Data is being copied into this database.
    case copyUnderWay
    /// The Maildir cannot be made or written.
    case maildir
    /// The relay cannot listen on the port for metrics; with the system's error number.
    case metricsAddress(code: Int32)
    /// The relay cannot listen on the address; with the system's error number.
    case address(code: Int32)
    /// The address is a name that this machine does not know.
    case unknownHost
}
