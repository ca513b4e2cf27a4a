public import OutboxCore

/// When the person is told that something has not left: once, after it has waited for an hour.
///
/// Until then the outbox is invisible. The warning goes when nothing is that late any more, and
/// comes back only for something that becomes late afterwards.
public struct WaitingRule: Hashable, Sendable {
    /// How long something waits before anybody is told.
    public static let patience = Milliseconds.seconds(3600)

    /// Whether the warning was given, and what it was about is still waiting.
    public private(set) var hasWarned = false

    /// The rule before anything was looked at.
    public init() {}

    /// Whether something that waits since `start` is late at `now`. A start in the future, after
    /// the clock was set back, is not late.
    public static func isLate(since start: WallTime, now: WallTime) -> Bool {
        now.since(start) >= patience
    }

    /// Looks at the outbox.
    ///
    /// - Parameter oldest: Since when the oldest entry waits; `nil` for an empty outbox.
    /// - Returns: Whether to warn now.
    public mutating func looked(oldest: WallTime?, now: WallTime) -> Bool {
        guard let oldest, Self.isLate(since: oldest, now: now) else {
            hasWarned = false
            return false
        }
        defer { hasWarned = true }
        return !hasWarned
    }

    /// How long until ``looked(oldest:now:)`` may have something to say; `nil` while there is
    /// nothing to wait for. Never longer than ``patience``, whatever the clock does.
    public func nextLook(oldest: WallTime?, now: WallTime) -> Milliseconds? {
        guard let oldest, !hasWarned else { return nil }
        let waited = min(max(0, now.since(oldest).count), Self.patience.count)
        return Milliseconds(Self.patience.count - waited)
    }
}
