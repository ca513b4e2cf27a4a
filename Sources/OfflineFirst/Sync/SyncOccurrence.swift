public import SyncCore

/// Something that the app's own tables may have to follow, in the transaction in which it happens: see
/// ``SyncedRecords/init(in:rules:named:limits:clock:following:)``.
public enum SyncOccurrence: Hashable, Sendable {
    /// The record has the server's identifier now. Tables, and caches, that have the temporary one as a
    /// key change with it.
    case renamed(from: RecordKey, to: RecordKey)
    /// A change was refused, and waits in ``SyncSnapshot/refused``.
    case refused(RecordKey, ChangeID)
    /// Values gave way to another device's, and wait in ``SyncSnapshot/overruled``.
    case overruled(RecordKey, ChangeID, [Field])
}
