public import OutboxCore

/// A mailed code that a person has not entered yet, as the device that asked for the code knows it:
/// one rule for terminal and web app.
///
/// The relay tells nobody why it rejects a code. The device knows: only the device can try the code,
/// by the handle of its own request, and it knows when the code was mailed.
public struct OpenCode: Hashable, Sendable {
    /// The reason for which the relay has rejected a code.
    public enum Rejection: Hashable, Sendable {
        /// The code is wrong, and can be tried so many times more.
        case wrong(triesLeft: Int)
        /// The code is wrong, and this was the last try.
        case noTriesLeft
        /// The code is too old.
        case expired
    }

    /// The time of the request for the code, by the device's clock.
    public let mailedAt: WallTime
    /// The number of rejected tries.
    public private(set) var rejections: Int

    /// Makes the state of a code.
    public init(mailedAt: WallTime, rejections: Int = 0) {
        self.mailedAt = mailedAt
        self.rejections = rejections
    }

    /// Whether the relay may still accept the code. A code from the future, after the clock was set
    /// back, cannot be tried.
    public func canBeTried(at now: WallTime) -> Bool {
        rejections < RelayLimits.codeTries && !isOld(at: now) && now >= mailedAt
    }

    /// Notes that the relay has rejected the code.
    public mutating func rejected(at now: WallTime) -> Rejection {
        if isOld(at: now) { return .expired }
        rejections += 1
        let left = RelayLimits.codeTries - rejections
        return left > 0 ? .wrong(triesLeft: left) : .noTriesLeft
    }

    private func isOld(at now: WallTime) -> Bool {
        now.since(mailedAt) >= RelayLimits.codeLifetime
    }
}
