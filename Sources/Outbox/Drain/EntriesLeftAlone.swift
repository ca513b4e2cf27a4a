import OutboxCore

/// An entry as a look-up hands it out.
struct HandedOut: Hashable, Sendable {
    let entry: EntryID
    let operation: OperationID?
}

/// The entries that a damaged storage hands out and cannot change. A drain leaves them alone until
/// it ends, so that they are not attempted again and again, and keep no other entry from being
/// attempted. Pure.
struct EntriesLeftAlone: Sendable {
    /// The decision about an entry that a look-up has handed out.
    enum Decision: Hashable, Sendable {
        case attempt
        /// The entry is left alone already.
        case leave
        /// The entry is to be left alone from now on: the storage did not find it when its outcome
        /// was stored, and hands it out nevertheless.
        case beginToLeave
    }

    /// The greatest number of entries left alone. A few damaged pages reach this number; more
    /// entries mean that the whole storage is at fault: the drain must not deliver the queue and
    /// keep it.
    static let most = 100

    private var entries: Set<HandedOut> = []
    /// Entries that the storage did not find when their outcome was stored, until a look-up
    /// confirms that they are gone.
    private var notFound: Set<HandedOut> = []

    /// The number of entries left alone.
    var count: Int { entries.count }

    /// Leaves an entry alone from now on.
    ///
    /// - Returns: `false` when ``most`` entries are left alone already.
    mutating func leave(_ handedOut: HandedOut) -> Bool {
        guard entries.count < Self.most else { return false }
        entries.insert(handedOut)
        return true
    }

    /// The storage did not find the entry when its outcome was stored.
    mutating func wasNotFound(_ handedOut: HandedOut) {
        notFound.insert(handedOut)
    }

    func decision(about handedOut: HandedOut) -> Decision {
        if entries.contains(handedOut) { return .leave }
        return notFound.contains(handedOut) ? .beginToLeave : .attempt
    }

    /// A look-up handed out every eligible entry: an entry that was not among them is gone.
    mutating func sawAllEligible() {
        notFound = []
    }
}
