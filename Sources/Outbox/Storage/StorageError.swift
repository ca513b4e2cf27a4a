public import OutboxCore

/// The reason for which a call of a storage failed. The failed call has changed nothing.
@nonexhaustive public enum StorageError: Error, Hashable, Sendable {
    /// The disk, or the person's quota on it, is full.
    case diskFull
    /// The storage or its folder is not writable.
    case readOnly
    /// The storage could neither be opened nor created.
    case cannotOpen
    /// The storage as a whole is damaged.
    case corrupt
    /// Another process held the storage for too long.
    case busy
    /// An operation with this identifier is stored already.
    case duplicate
    /// ``OutboxStorage/close()`` was called on this object.
    case closed
    /// Any other failure, with the code of the underlying system or library.
    case failed(code: Int32)
}

/// Damage of a storage beyond single entries. See ``OutboxStorage/damage(checkingUpTo:)``.
@nonexhaustive public enum StorageDamage: Hashable, Sendable {
    /// The storage dropped the latest changes before some moment, because the file that held them
    /// was damaged. Operations that were enqueued then may be missing. The storage has kept the
    /// unreadable bytes, still sealed, in a file at the path `copy`. The damage is reported until
    /// that file is deleted.
    case dropped(copy: String)
    /// The storage contradicts itself: some entries may never be attempted, or may be missing from
    /// lists.
    case inconsistent

    /// The type of the damage, fit for a log.
    public var reason: ReasonCode {
        switch self {
        case .dropped: "storage.dropped"
        case .inconsistent: "storage.inconsistent"
        }
    }
}
