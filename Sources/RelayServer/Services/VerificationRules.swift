public import OutboxCore

/// The limits on mailed codes and on tries of a code. Settable, so that a test need not wait.
public struct VerificationRules: Hashable, Sendable {
    /// The time during which a code can be confirmed.
    public var codeLifetime: Milliseconds = .seconds(600)
    /// The number of times that a code can be tried.
    public var tries = 5
    /// The wait after the first code to an address. The wait doubles with each further code, until
    /// a code is confirmed or ``forgetAfter`` has passed.
    public var firstCooldown: Milliseconds = .seconds(30)
    /// The longest wait between two codes to an address.
    public var longestCooldown: Milliseconds = .seconds(3600)
    /// The time without a code after which an address has its first wait again.
    public var forgetAfter: Milliseconds = .seconds(86_400)
    /// The number of codes to one address within ``window``.
    public var perAddress = 6
    /// The number of codes that one network may ask for within ``window``.
    public var perSource = 60
    /// The window in which ``perAddress`` and ``perSource`` count: one hour.
    public var window: Milliseconds = .seconds(3600)

    /// The rules of a relay that is not told otherwise.
    public init() {}

    /// The wait after a number of codes in a row.
    func cooldown(afterSending sent: Int) -> Milliseconds {
        guard sent > 0 else { return Milliseconds(0) }
        var wait = firstCooldown
        var doublings = sent - 1
        while doublings > 0, wait < longestCooldown {
            wait = Milliseconds(wait.count * 2)
            doublings -= 1
        }
        return min(wait, longestCooldown)
    }

    /// The window in which requests for codes count.
    package func requestWindow(at now: WallTime) -> RateWindow { RateWindow(window, at: now) }

    /// Whether an address has its first wait again: a store may drop the code.
    package func forgets(_ code: SentCode, at now: WallTime) -> Bool {
        code.sentAt <= now.advanced(by: Milliseconds(-forgetAfter.count)) && code.expiresAt <= now
    }
}
