package import OutboxCore
package import RelayRules

/// Revokes a device of an account, for good. The outcome is whether the account has, or had, such a
/// device.
package struct RevokeDevice: RelayTransaction {
    private let device: DeviceID
    private let account: AccountID
    private let now: WallTime

    package init(_ device: DeviceID, of account: AccountID, at now: WallTime) {
        self.device = device
        self.account = account
        self.now = now
    }

    package func find(in tables: some RelayReads) throws -> Bool {
        try tables.hasDevice(device, of: account)
    }

    package func decide(_ isThere: Bool) -> RelayDecision<Bool> {
        RelayDecision(isThere, writes: isThere ? [.revoke(device, at: now)] : [])
    }
}
