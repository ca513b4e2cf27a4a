package import OutboxCore

/// The rule by which the relay gives up on a mail.
///
/// Two measures, because the wall clock may be set while a mail waits:
///
/// - The age by the wall clock counts once the waits have grown to the longest, with
///   ``OutboxCore/RetryPolicy/mail`` at the ninth failure, after more than four hours. So a clock
///   set forward, or a relay that was off for days, does not expire a mail after a few attempts.
/// - The waits between the attempts count whatever the clock says. So a clock set back does not
///   keep a mail for ever.
package struct MailExpiry: Sendable {
    let policy: RetryPolicy

    package init(policy: RetryPolicy) {
        self.policy = policy
    }

    /// Whether a mail expires after a failed attempt.
    ///
    /// - Parameters:
    ///   - attempts: The number of failed attempts before this one.
    ///   - age: The mail's age by the wall clock.
    package func isReached(after attempts: UInt32, age: Milliseconds) -> Bool {
        guard let lifetime = policy.lifetime else { return false }
        if haveWaits(after: attempts, reached: lifetime) { return true }
        let failures = attempts == .max ? .max : attempts + 1
        return age >= lifetime && policy.delay(afterAttempt: failures, jitter: 0) >= policy.cap
    }

    /// Whether the waits after `attempts` attempts, without jitter, add up to `time`.
    package func haveWaits(after attempts: UInt32, reached time: Milliseconds) -> Bool {
        var waited: Int64 = 0
        var attempt: UInt32 = 0
        while attempt < attempts, waited < time.count {
            attempt += 1
            waited += policy.delay(afterAttempt: attempt, jitter: 0).count
        }
        return waited >= time.count
    }
}
