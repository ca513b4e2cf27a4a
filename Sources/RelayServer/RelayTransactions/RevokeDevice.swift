package import OutboxCore
package import RelayRules

/// Revokes a device of an account, for good. The outcome is the number of the change by which the device
/// was revoked; `nil` if the account never had such a device.
package struct RevokeDevice: RelayTransaction {
    package struct Found {
        let device: OwnedDevice?
        let lastChange: Int64
    }

    private let device: DeviceID
    private let account: AccountID
    private let now: WallTime

    package init(_ device: DeviceID, of account: AccountID, at now: WallTime) {
        self.device = device
        self.account = account
        self.now = now
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            device: try tables.device(device, of: account),
            lastChange: try tables.lastChange(of: account)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Int64?> {
        guard let known = found.device else { return RelayDecision(nil) }
        if known.isRevoked { return RelayDecision(known.change) }
        return RelayDecision(found.lastChange + 1, writes: [.revoke(device, at: now)])
    }
}

/// A device of an account, as far as its revocation is concerned.
package struct OwnedDevice: Hashable, Sendable {
    package let isRevoked: Bool
    /// The number of the device's latest change.
    package let change: Int64

    package init(isRevoked: Bool, change: Int64) {
        self.isRevoked = isRevoked
        self.change = change
    }
}
