public import OutboxCore

/// How an outbox is doing at one moment: what a person, or a view, may be shown of it.
///
/// The counts are those of the storage, whichever process put the entries there. What is in flight
/// is known of this object's own ``Outbox/drain(_:until:)`` alone: an operation that another
/// process attempts counts as pending.
public struct OutboxState: Hashable, Sendable {
    /// Operations that will be attempted and are not being attempted.
    public var pending: Int
    /// Operations whose handler runs, or whose outcome is being written.
    public var inFlight: Int
    /// Operations that were refused for good or have no handler: a person decides.
    public var parked: Int
    /// Entries that cannot be read, kept as they are.
    public var quarantined: Int
    /// When the oldest entry that is still here was created; `nil` when there is none, or none that
    /// says so. Of each state the entry that was inserted first is looked at.
    public var oldestCreatedAt: WallTime?
    /// How long that entry had waited when the state was read; 0 when the entry was created in the
    /// future, as after the wall clock was set back.
    public var oldestAge: Milliseconds?
    /// Whether ``Outbox/networkReturned()`` or ``Outbox/networkLost()`` was called last; `nil` when
    /// neither was called. Does not tell whether the other side answers.
    public var isOnline: Bool?
    /// Damage beyond single entries that was noticed so far.
    public var damage: [StorageDamage]
    /// Whether a person should look: something is damaged, parked or quarantined, or has waited too
    /// long.
    public var needsAttention: Bool

    /// The number of all entries.
    public var total: Int { pending + inFlight + parked + quarantined }

    /// Creates a state, for a preview or a test.
    public init(
        pending: Int = 0,
        inFlight: Int = 0,
        parked: Int = 0,
        quarantined: Int = 0,
        oldestCreatedAt: WallTime? = nil,
        oldestAge: Milliseconds? = nil,
        isOnline: Bool? = nil,
        damage: [StorageDamage] = [],
        needsAttention: Bool = false
    ) {
        self.pending = pending
        self.inFlight = inFlight
        self.parked = parked
        self.quarantined = quarantined
        self.oldestCreatedAt = oldestCreatedAt
        self.oldestAge = oldestAge
        self.isOnline = isOnline
        self.damage = damage
        self.needsAttention = needsAttention
    }

    /// Whether `other` says the same but for how old the oldest entry has become.
    func isSame(as other: OutboxState) -> Bool {
        var aged = self
        aged.oldestAge = other.oldestAge
        return aged == other
    }
}

extension Outbox {
    /// Reads how the outbox is doing.
    ///
    /// The parts are read one after another: an operation that settles in between may be missing
    /// from all of them, or count as in flight for a moment after it is gone.
    ///
    /// - Parameter patience: From which age on a waiting entry needs attention.
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
            pending: max(0, counts.queued - inFlight),
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
    ///   - patience: From which age on a waiting entry needs attention. Its becoming so is a
    ///     change.
    ///   - recheck: After how long at the latest changes by other processes are noticed. At least
    ///     one millisecond.
    public func states(
        patience: Milliseconds = .seconds(3600),
        recheck: Milliseconds = .seconds(5)
    ) -> OutboxStates<Storage> {
        precondition(recheck.count >= 1, "states that are read without a pause")
        return OutboxStates(outbox: self, patience: patience, recheck: recheck)
    }
}
