package import OutboxCore

/// A pace that all relays of a store keep together.
public enum PaceName: String, Hashable, Sendable, CaseIterable {
    /// Requests to the provider Resend, which counts all requests of an account.
    case resend
}

/// The moments at which requests may begin: one after the other, a pause apart.
package struct SharedPace: Hashable, Sendable {
    /// A turn that lies further ahead was stored while the clock was wrong. It counts as one that lies
    /// so far ahead, so that a clock that was set back strands no request.
    static let furthest: Milliseconds = .seconds(60)

    /// The next turn; `nil` before the first one.
    package private(set) var next: WallTime?

    /// - Parameter next: The next turn, as a store has it.
    package init(next: WallTime?) {
        self.next = next
    }

    /// Takes the next turn.
    ///
    /// - Returns: The wait until the turn.
    package mutating func take(pause: Milliseconds, at now: WallTime) -> Milliseconds {
        let turn = turn(at: now)
        next = turn.advanced(by: pause)
        return turn.since(now)
    }

    /// Lets no request begin for a while, but those that have their turn already.
    package mutating func rest(for time: Milliseconds, at now: WallTime) {
        next = max(turn(at: now), now.advanced(by: time))
    }

    private func turn(at now: WallTime) -> WallTime {
        guard let next else { return now }
        return min(max(next, now), now.advanced(by: Self.furthest))
    }
}
