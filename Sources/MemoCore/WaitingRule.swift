public import OutboxCore

/// Decides when a person is warned that a memo has not left: once, after an hour.
///
/// The warning ends when no entry is late any more, and comes back only for an entry that becomes
/// late afterwards.
public struct WaitingRule: Hashable, Sendable {
    /// The age at which an entry is late.
    public static let patience = Milliseconds.seconds(3600)

    /// Whether the warning was given, and a late entry still waits.
    public private(set) var hasWarned = false

    /// Makes the rule of an outbox at which nobody has looked yet.
    public init() {}

    /// Makes the rule of an outbox at which an earlier process has looked.
    ///
    /// - Parameters:
    ///   - warning: The moment of the last warning; `nil` for none.
    ///   - oldest: The creation of the oldest entry now. The warning was about this entry when the
    ///     entry was late already at the moment of the warning.
    public init(warnedAt warning: WallTime?, oldest: WallTime?) {
        if let warning, let oldest { hasWarned = Self.isLate(since: oldest, now: warning) }
    }

    /// Whether an entry that waits since `start` is late at `now`. A `start` in the future, after
    /// the clock was set back, is not late.
    public static func isLate(since start: WallTime, now: WallTime) -> Bool {
        now.since(start) >= patience
    }

    /// Looks at the outbox.
    ///
    /// - Parameter oldest: The creation of the oldest entry; `nil` for an empty outbox.
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
