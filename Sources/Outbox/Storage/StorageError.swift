public import OutboxCore

/// Why a storage could not do what it was asked. It has changed nothing.
@nonexhaustive public enum StorageError: Error, Hashable, Sendable {
    /// The disk, or the person's share of it, is full.
    case diskFull
    /// The storage, or its folder, cannot be written.
    case readOnly
    /// The storage could neither be opened nor made.
    case cannotOpen
    /// The storage as a whole is damaged.
    case corrupt
    /// Another process held the storage for too long.
    case busy
    /// An operation with this identifier is stored already.
    case duplicate
    /// ``OutboxStorage/close()`` was called on this object.
    case closed
    /// Any other failure, with the technology's own code.
    case failed(code: Int32)
}

/// What is wrong with a storage beyond single entries. See ``OutboxStorage/damage(checkingUpTo:)``.
@nonexhaustive public enum StorageDamage: Hashable, Sendable {
    /// The latest changes before some moment were dropped, because what they were written to was
    /// damaged: operations that had been enqueued then may be missing. What could not be read was
    /// set aside, sealed as it was, under the path `copy`. Reported until that file is deleted.
    case dropped(copy: String)
    /// The storage contradicts itself: some entries may never be attempted, or not be listed.
    case inconsistent

    /// The type of the damage, fit for a log.
    public var reason: ReasonCode {
        switch self {
        case .dropped: "storage.dropped"
        case .inconsistent: "storage.inconsistent"
        }
    }
}
