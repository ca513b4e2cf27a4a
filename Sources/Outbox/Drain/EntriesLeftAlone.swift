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
    /// What to do with an entry that a look-up has handed out.
    enum Decision: Hashable, Sendable {
        case attempt
        /// It is left alone since earlier.
        case leave
        /// It should be left alone from now on: the storage did not find it when its outcome was
        /// stored, and hands it out nevertheless.
        case beginToLeave
    }

    /// A few damaged pages reach this number; more means that the whole storage is at fault, and
    /// that the queue is not to be delivered and kept.
    static let most = 100

    private var entries: Set<HandedOut> = []
    /// Entries that were gone when their outcome was stored, until a look-up confirms it.
    private var notFound: Set<HandedOut> = []

    /// How many entries are left alone.
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

    /// A look-up handed out everything that is eligible: an entry that was not among it is gone.
    mutating func sawAllEligible() {
        notFound = []
    }
}
