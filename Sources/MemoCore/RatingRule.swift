public import OutboxCore

/// When the person is asked for a rating: after every hundred sent memos, at least 14 days apart,
/// and not within 30 days of a dismissal.
///
/// A pure value, which the caller stores. Times and numbers are arguments.
public struct RatingRule: Hashable, Sendable {
    /// The number of memos between two questions.
    public static let memosBetween: Int64 = 100
    /// The shortest time between two questions.
    public static let pause = Milliseconds.seconds(14 * 86_400)
    /// The shortest time between a dismissal and the next question.
    public static let pauseAfterDismissal = Milliseconds.seconds(30 * 86_400)

    /// The number of sent memos at the last question.
    public private(set) var sentAtShowing: Int64
    /// The time of the last question; `nil` before the first one.
    public private(set) var shownAt: WallTime?
    /// The time of the last dismissal; `nil` for none.
    public private(set) var dismissedAt: WallTime?

    /// Makes a rule from its stored parts; without arguments, the rule of a new device.
    ///
    /// - Parameter sentAtShowing: A negative number counts as 0.
    public init(
        sentAtShowing: Int64 = 0,
        shownAt: WallTime? = nil,
        dismissedAt: WallTime? = nil
    ) {
        self.sentAtShowing = max(0, sentAtShowing)
        self.shownAt = shownAt
        self.dismissedAt = dismissedAt
    }

    /// The app's reaction to a rating.
    public enum Answer: Hashable, Sendable {
        /// Open the review page.
        case review
        /// Thank the person, and open nothing.
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

    /// Notes that the question is on the screen.
    public mutating func shown(sent: Int64, now: WallTime) {
        sentAtShowing = sent
        shownAt = now
    }

    /// Notes that the person dismissed the question.
    public mutating func dismissed(now: WallTime) {
        dismissedAt = now
    }

    /// The app's reaction to `stars`, from 1 to 5.
    ///
    /// - Parameter hasReviewPage: Whether there is a page to open.
    public static func answer(to stars: Int, hasReviewPage: Bool) -> Answer {
        precondition((1...5).contains(stars))
        return stars == 5 && hasReviewPage ? .review : .thanks
    }
}
