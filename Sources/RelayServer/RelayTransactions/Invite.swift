package import OutboxCore
package import RelayRules

/// Invites an address, or invites it anew, and drops the invitations that are void.
package struct Invite: RelayTransaction {
    package struct Found {
        let hasAccount: Bool
        let invitedAt: WallTime?
        let count: Int
    }

    private let address: MailAddress
    private let addressKey: [UInt8]
    private let now: WallTime

    /// - Parameters:
    ///   - address: The address.
    ///   - addressKey: A keyed hash of it.
    ///   - now: The time from which the invitation holds.
    package init(_ address: MailAddress, _ addressKey: [UInt8], at now: WallTime) {
        self.address = address
        self.addressKey = addressKey
        self.now = now
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            hasAccount: try tables.account(of: addressKey) != nil,
            invitedAt: try tables.invitation(of: addressKey),
            count: try tables.invitations(after: Invitation.lastVoid(at: now))
        )
    }

    package func decide(_ found: Found) -> RelayDecision<InvitationDecision> {
        guard !found.hasAccount else { return RelayDecision(.hasAccount) }
        let isCounted = found.invitedAt.map { Invitation.holds(since: $0, at: now) } ?? false
        guard isCounted || found.count < Invitation.most else { return RelayDecision(.tooMany) }
        return RelayDecision(
            .invited,
            writes: [
                .dropInvitations(until: Invitation.lastVoid(at: now)),
                .invitation(address, of: addressKey, at: now),
            ]
        )
    }
}

/// Withdraws the invitation of an address. The outcome is whether there was one, void or not.
package struct WithdrawInvitation: RelayTransaction {
    private let addressKey: [UInt8]

    /// - Parameter addressKey: A keyed hash of the address.
    package init(of addressKey: [UInt8]) {
        self.addressKey = addressKey
    }

    package func find(in tables: some RelayReads) throws -> Bool {
        try tables.invitation(of: addressKey) != nil
    }

    package func decide(_ isThere: Bool) -> RelayDecision<Bool> {
        RelayDecision(isThere, writes: isThere ? [.dropInvitation(of: addressKey)] : [])
    }
}
