public import OutboxCore
public import RelayRules

/// The outcome of inviting an address.
public enum InvitationDecision: Hashable, Sendable {
    /// The address is invited, for ``/RelayRules/Invitation/lifetime`` from now on.
    case invited
    /// The address has an account, which needs no invitation. Nothing was changed.
    case hasAccount
    /// There are ``/RelayRules/Invitation/most`` invitations. Nothing was changed.
    case tooMany
}

/// An invitation in a list for the operator.
public struct ListedInvitation: Hashable, Sendable {
    /// The address; `nil` where the row cannot be opened.
    public let address: MailAddress?
    /// The time from which the invitation holds.
    public let invitedAt: WallTime

    package init(address: MailAddress?, invitedAt: WallTime) {
        self.address = address
        self.invitedAt = invitedAt
    }
}
