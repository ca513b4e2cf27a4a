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
