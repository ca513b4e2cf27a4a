package import OutboxCore
package import RelayRules

/// Notes which devices are newly signed out, and forgets some of those that have been for long, with their
/// accounts where nothing else names them. The outcome is whether there are no more of either.
///
/// A memo keeps the identifier of the device that sent it.
package struct ForgetDevices: RelayTransaction {
    package struct Found {
        let running: Milliseconds
        /// Devices that are signed out, and not noted yet.
        let new: [DeviceID]
        /// The noted devices that were seen first.
        let earliest: [RevokedDevice]
    }

    /// The greatest number of new devices, and of old ones, in one transaction.
    private static let limit = 32

    private let age: RunningAge

    package init(_ age: RunningAge) {
        self.age = age
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            running: try tables.runningTime(),
            new: try tables.newlyRevoked(limit: Self.limit),
            earliest: try tables.notedRevoked(limit: Self.limit)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Bool> {
        let old = found.earliest.filter { age.isReached(since: $0.seen, at: found.running) }
        return RelayDecision(
            found.new.isEmpty && old.count < Self.limit,
            writes: found.new.map { .noteRevoked($0, at: found.running) }
                + old.map { .forget($0.id) }
                + Set(old.map(\.account)).map { .dropUnnamed($0) }
        )
    }
}

/// A device that is signed out, as the relay has noted it.
package struct RevokedDevice: Hashable, Sendable {
    package let id: DeviceID
    package let account: AccountID
    /// The running time at which a relay first saw the device signed out, see ``RunningAge``.
    package let seen: Milliseconds

    package init(id: DeviceID, account: AccountID, seen: Milliseconds) {
        self.id = id
        self.account = account
        self.seen = seen
    }
}
