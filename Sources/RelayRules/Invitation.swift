public import OutboxCore

/// The limits on invitations. An invited address may become that of a new account, whatever ``SignUp``
/// says; with the account the invitation is gone.
public enum Invitation {
    /// The time after which an invitation that nobody has used is void: 30 days.
    public static let lifetime: Milliseconds = .seconds(30 * 86_400)

    /// The greatest number of invitations that are not void.
    public static let most = 1_000

    /// Whether an invitation holds. One from the future, which a clock set back leaves, does.
    package static func holds(since invitedAt: WallTime, at now: WallTime) -> Bool {
        now.since(invitedAt) < lifetime
    }

    /// The time up to which invitations are void.
    package static func lastVoid(at now: WallTime) -> WallTime {
        now.advanced(by: Milliseconds(-lifetime.count))
    }
}
