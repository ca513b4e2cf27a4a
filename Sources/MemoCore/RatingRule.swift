public import OutboxCore

/// When the person is asked for a rating: after every hundred sent memos, at least 14 days apart,
/// and not within 30 days of a dismissal.
///
/// A value to be persisted. Time and numbers come in as arguments.
public struct RatingRule: Hashable, Sendable {
    /// How many memos have to be sent between two showings.
    public static let memosBetween: Int64 = 100
    /// How far apart two showings are at least.
    public static let pause = Milliseconds.seconds(14 * 86_400)
    /// How long a dismissal holds.
    public static let pauseAfterDismissal = Milliseconds.seconds(30 * 86_400)

    /// How many memos had been sent when it was last shown.
    public private(set) var sentAtShowing: Int64
    /// When it was last shown; `nil` before the first time.
    public private(set) var shownAt: WallTime?
    /// When the person last did not want to answer; `nil` if never.
    public private(set) var dismissedAt: WallTime?

    /// The rule as it was persisted; without arguments, as on a new device.
    ///
    /// - Parameter sentAtShowing: A negative number, which nobody has sent, counts as none.
    public init(
        sentAtShowing: Int64 = 0,
        shownAt: WallTime? = nil,
        dismissedAt: WallTime? = nil
    ) {
        self.sentAtShowing = max(0, sentAtShowing)
        self.shownAt = shownAt
        self.dismissedAt = dismissedAt
    }

    /// What a rating leads to.
    public enum Answer: Hashable, Sendable {
        /// Open the review page.
        case review
        /// A quiet thank-you.
        case thanks
    }

    /// Whether to ask now.
    ///
    /// A moment of the past that lies in the future, because the clock was set back, counts as now
    /// and is corrected, so that a wrong clock delays a question by no more than a pause.
    ///
    /// - Parameter sent: How many memos were ever sent from this device. A smaller number than at
    ///   the last showing, after a wipe, starts the count anew.
    public mutating func isDue(sent: Int64, now: WallTime) -> Bool {
        if sent < sentAtShowing { sentAtShowing = sent }
        if let shown = shownAt, shown > now { shownAt = now }
        if let dismissed = dismissedAt, dismissed > now { dismissedAt = now }
        if sent - sentAtShowing < Self.memosBetween { return false }
        if let shownAt, now.since(shownAt) < Self.pause { return false }
        if let dismissedAt, now.since(dismissedAt) < Self.pauseAfterDismissal { return false }
        return true
    }

    /// The question is on the screen.
    public mutating func shown(sent: Int64, now: WallTime) {
        sentAtShowing = sent
        shownAt = now
    }

    /// The person did not want to answer.
    public mutating func dismissed(now: WallTime) {
        dismissedAt = now
    }

    /// What `stars`, from 1 to 5, lead to.
    public static func answer(to stars: Int) -> Answer {
        precondition((1...5).contains(stars))
        return stars == 5 ? .review : .thanks
    }
}
