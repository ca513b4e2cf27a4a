public import OutboxCore

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
