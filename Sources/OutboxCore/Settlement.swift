/// The number of an entry in one storage. Unreadable entries have numbers as well. A number is not
/// reused while its entry exists.
public struct EntryID: Hashable, Sendable {
    /// The number, which the storage chooses; positive.
    public let rawValue: Int64

    /// Creates the identifier of the entry with this number.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }
}

#if !hasFeature(Embedded)
    extension EntryID: CustomStringConvertible {
        /// The number.
        public var description: String { String(rawValue) }
    }
#endif

/// The outcome of an attempt, for the entry that was attempted.
public struct Settlement: Hashable, Sendable {
    /// The entry that was handed out for the attempt. The number may belong to another entry by the
    /// time of the settlement.
    public let entry: EntryID
    /// The operation that was attempted. An entry that holds another operation is not changed.
    public let id: OperationID
    /// The change that the storage makes to the operation.
    public let transition: DeliveryMachine.Transition

    /// Creates the outcome `transition` of the operation `id` in `entry`.
    public init(entry: EntryID, id: OperationID, transition: DeliveryMachine.Transition) {
        self.entry = entry
        self.id = id
        self.transition = transition
    }
}

/// An outcome that a storage did not record, without this being an error: the entry was left as it
/// is.
public struct Unsettled: Hashable, Sendable {
    /// The reason for which an entry was left as it is.
    public enum Cause: Hashable, Sendable {
        /// The operation has no such entry any more: the number is free, or belongs to another
        /// operation. A storage that hands the entry out again nevertheless is damaged.
        case gone
        /// The entry still holds the operation, and the storage did not take the outcome for it. The
        /// storage may hand the entry out again.
        case unchanged
        /// Another drain has the entry now. The storage may hand the entry out again when that drain
        /// has lost it.
        case anothers
    }

    /// The entry that ``Settlement/entry`` named.
    public let entry: EntryID
    /// The reason for which the entry was left as it is.
    public let cause: Cause

    /// Creates the answer that `entry` was left as it is because of `cause`.
    public init(_ entry: EntryID, _ cause: Cause) {
        self.entry = entry
        self.cause = cause
    }
}
