extension DrainMachine {
    /// The entries that a look-up hands out and that are not attempted nevertheless, besides those in
    /// flight.
    ///
    /// All lists are short: a few damaged pages fill them, and a storage that is sound fills none.
    struct PassedOver: Hashable, Sendable {
        private struct Pause: Hashable, Sendable {
            let handedOut: HandedOut
            var until: WallTime
            var failures: UInt32
        }

        /// The greatest number of entries of each kind. More entries mean that the whole storage is
        /// at fault: the drain must not deliver the queue and keep it.
        static let most = 100

        /// Entries that the storage cannot change, until the drain ends.
        private var leftAlone: [HandedOut] = []
        /// Entries that were gone when their outcome was stored, until a look-up confirms it.
        private var gone: [HandedOut] = []
        /// Entries that the storage left unchanged, each until a moment.
        private var pauses: [Pause] = []

        /// The number of entries that a look-up may hand out besides those that are attempted.
        var count: Int { leftAlone.count + pauses.count }

        var isEmpty: Bool { leftAlone.isEmpty && gone.isEmpty && pauses.isEmpty }

        func contains(_ handedOut: HandedOut, at now: WallTime) -> Bool {
            leftAlone.contains(handedOut) || gone.contains(handedOut)
                || pauses.contains { $0.handedOut == handedOut && $0.until > now }
        }

        /// Leaves an entry alone from now on.
        ///
        /// - Returns: `false` when too many entries are left alone already.
        mutating func leave(_ handedOut: HandedOut) -> Bool {
            guard leftAlone.count < Self.most else { return false }
            if !leftAlone.contains(handedOut) { leftAlone.append(handedOut) }
            return true
        }

        /// The storage no longer had the entry when its outcome was stored.
        mutating func wasGone(_ handedOut: HandedOut) {
            if gone.count == Self.most { gone.removeFirst() }
            gone.append(handedOut)
        }

        /// Whether the entry was gone, and is handed out all the same.
        func hasReturned(_ handedOut: HandedOut) -> Bool {
            gone.contains(handedOut) && !leftAlone.contains(handedOut)
        }

        /// A look-up handed out every eligible entry: an entry that was not among them is gone.
        mutating func sawAllEligible(_ found: [Found]) {
            gone.removeAll { entry in !found.contains { $0.handedOut == entry } }
        }

        /// Pauses an entry that the storage left unchanged.
        ///
        /// - Returns: `false` when too many entries pause already.
        mutating func pause(
            _ handedOut: HandedOut,
            _ policy: RetryPolicy,
            now: WallTime,
            jitter: UInt32
        ) -> Bool {
            var index = pauses.firstIndex { $0.handedOut == handedOut }
            if index == nil {
                guard pauses.count < Self.most else { return false }
                index = pauses.count
                pauses.append(Pause(handedOut: handedOut, until: now, failures: 0))
            }
            guard let index else { return false }
            if pauses[index].failures < .max { pauses[index].failures += 1 }
            let wait = policy.storageDelay(afterFailure: pauses[index].failures, jitter: jitter)
            pauses[index].until = now.advanced(by: wait)
            return true
        }

        /// The outcome of an entry is stored: an earlier pause does not count any more.
        mutating func wasStored(_ handedOut: HandedOut) {
            pauses.removeAll { $0.handedOut == handedOut }
        }

        /// The end of the entry's pause; `nil` when it does not pause at `now`.
        func endOfPause(of handedOut: HandedOut, at now: WallTime) -> WallTime? {
            pauses.first { $0.handedOut == handedOut && $0.until > now }?.until
        }
    }
}
