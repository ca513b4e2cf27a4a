public import OutboxCore

/// The state of an outbox at one moment, for a view or a person.
///
/// The counts are those of the storage and include the entries of every process. ``inFlight``
/// counts only operations of this object's own ``Outbox/drain(_:until:)``, not those that another
/// process attempts.
public struct OutboxState: Hashable, Sendable {
    /// The number of operations that will be attempted, with those in flight, as in
    /// ``OutboxCounts/queued``.
    public var queued: Int
    /// The number of queued operations in flight: the handler runs, or the outcome is being written.
    public var inFlight: Int
    /// The number of operations that were refused for good or have no handler: a person decides.
    public var parked: Int
    /// The number of entries that cannot be read. They are kept as they are.
    public var quarantined: Int
    /// The creation time of the oldest stored entry; `nil` when there is no entry, or no entry with
    /// a readable time. Only the first inserted entry of each state is read.
    public var oldestCreatedAt: WallTime?
    /// The age of the oldest entry when the state was read; 0 when the creation time is in the
    /// future, as after the wall clock was set back.
    public var oldestAge: Milliseconds?
    /// Whether the last call was ``Outbox/networkReturned()`` rather than ``Outbox/networkLost()``;
    /// `nil` when neither was called. The value does not tell whether the other side answers.
    public var isOnline: Bool?
    /// The damage beyond single entries that the storage has noticed so far.
    public var damage: [StorageDamage]
    /// Whether a person should look: the storage is damaged, an entry is parked or quarantined, or
    /// an entry has waited too long.
    public var needsAttention: Bool

    /// The number of all entries.
    public var total: Int { queued + parked + quarantined }

    /// Creates a state, for a preview or a test.
    public init(
        queued: Int = 0,
        inFlight: Int = 0,
        parked: Int = 0,
        quarantined: Int = 0,
        oldestCreatedAt: WallTime? = nil,
        oldestAge: Milliseconds? = nil,
        isOnline: Bool? = nil,
        damage: [StorageDamage] = [],
        needsAttention: Bool = false
    ) {
        self.queued = queued
        self.inFlight = inFlight
        self.parked = parked
        self.quarantined = quarantined
        self.oldestCreatedAt = oldestCreatedAt
        self.oldestAge = oldestAge
        self.isOnline = isOnline
        self.damage = damage
        self.needsAttention = needsAttention
    }

    /// Returns whether `other` equals this state, apart from the age of the oldest entry.
    func isSame(as other: OutboxState) -> Bool {
        var aged = self
        aged.oldestAge = other.oldestAge
        return aged == other
    }
}

extension Outbox {
    /// Reads the state of the outbox.
    ///
    /// The parts are read one after another: an operation that settles in between may be missing
    /// from all of them, or count as in flight for a moment after it is gone.
    ///
    /// - Parameter patience: The age from which a waiting entry needs attention.
    /// - Throws: ``StorageError``.
    /// - Complexity: O(entries): a diagnostic.
    public func state(patience: Milliseconds = .seconds(3600)) throws -> OutboxState {
        let counts = try storage.counts()
        let oldest = try OperationState.allCases.compactMap { state in
            try entries(in: state, limit: 1).first?.envelope?.createdAt
        }.min()
        let damage = try damage(checkingUpTo: 0)
        let (inFlight, isOnline) = watch.seen
        let age = oldest.map { max(Milliseconds(0), clock.wallTime().since($0)) }
        return OutboxState(
            queued: counts.queued,
            inFlight: inFlight,
            parked: counts.parked,
            quarantined: counts.quarantined,
            oldestCreatedAt: oldest,
            oldestAge: age,
            isOnline: isOnline,
            damage: damage,
            needsAttention: counts.parked + counts.quarantined > 0 || !damage.isEmpty
                || age.map { $0 >= patience } ?? false
        )
    }

    /// A sequence of states: the current one, then one after each change.
    ///
    /// ```swift
    /// for await state in outbox.states() {
    ///     badge.isHidden = !state.needsAttention
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - patience: The age from which a waiting entry needs attention. Reaching this age is a
    ///     change.
    ///   - recheck: The longest time after which changes by other processes are noticed. At least
    ///     one millisecond.
    public func states(
        patience: Milliseconds = .seconds(3600),
        recheck: Milliseconds = .seconds(5)
    ) -> OutboxStates<Storage> {
        precondition(recheck.count >= 1, "states that are read without a pause")
        return OutboxStates(outbox: self, patience: patience, recheck: recheck)
    }
}
