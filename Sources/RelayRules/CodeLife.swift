package import OutboxCore

/// The time during which a mailed code can be used.
package struct CodeLife: Hashable, Sendable {
    /// The clock of another relay may be this far behind.
    private static let clockTolerance = Milliseconds.seconds(60)

    package let sentAt: WallTime
    package let expiresAt: WallTime

    package init(from sentAt: WallTime, to expiresAt: WallTime) {
        self.sentAt = sentAt
        self.expiresAt = expiresAt
    }

    /// Whether the code is alive. A time before the code was mailed is that of a clock that was set
    /// back: the code would live too long.
    package func contains(_ now: WallTime) -> Bool {
        now < expiresAt && sentAt <= Self.latestSending(at: now)
    }

    /// The latest time at which a code that is alive can have been sent.
    package static func latestSending(at now: WallTime) -> WallTime {
        now.advanced(by: clockTolerance)
    }
}
