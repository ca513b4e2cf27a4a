/// The rule that decides when a failed operation is attempted again.
///
/// The wait after the *n*-th failed attempt is `min(cap, base × 2^(n-1))`, times a random factor of
/// 1 to 1.3, so that many devices do not return at the same time. There is no last attempt: unless
/// ``lifetime`` is set, the policy never gives up.
public struct RetryPolicy: Hashable, Sendable {
    /// The wait after the first failure, before jitter.
    public var base: Milliseconds
    /// The longest wait, before jitter.
    public var cap: Milliseconds
    /// The longest wait that a server may ask for; a longer request is cut to this wait.
    public var serverWaitCap: Milliseconds
    /// The wait when a server asks for one without saying how long, before jitter.
    public var unhintedServerWait: Milliseconds
    /// The age after which a failing operation is parked as expired. `nil`: never.
    public var lifetime: Milliseconds?

    /// Creates a policy. `base` must be positive, and `cap` must not be less than `base`.
    public init(
        base: Milliseconds,
        cap: Milliseconds,
        serverWaitCap: Milliseconds,
        unhintedServerWait: Milliseconds,
        lifetime: Milliseconds? = nil
    ) {
        self.base = base
        self.cap = cap
        self.serverWaitCap = serverWaitCap
        self.unhintedServerWait = unhintedServerWait
        self.lifetime = lifetime
    }

    /// The policy of a person's device: 1 s, 2 s, 4 s … 600 s, for ever.
    public static let device = RetryPolicy(
        base: .seconds(1),
        cap: .seconds(600),
        serverWaitCap: .seconds(86_400),
        unhintedServerWait: .seconds(60)
    )

    /// The policy of a relay towards a mail provider: 1 min, 2 min … 4 h, for five days
    /// ([RFC 5321, section 4.5.4.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.4.1)).
    public static let mail = RetryPolicy(
        base: .seconds(60),
        cap: .seconds(4 * 3600),
        serverWaitCap: .seconds(86_400),
        unhintedServerWait: .seconds(60),
        lifetime: .seconds(5 * 86_400)
    )

    /// Returns the wait after the `attempt`-th failed attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the failed attempt, counted from 1. 0 counts as 1.
    ///   - jitter: A uniformly random word: 0 does not lengthen the wait, and the largest word
    ///     lengthens it by 30 %.
    /// - Returns: At least `base`, at most 1.3 × `cap`.
    public func delay(afterAttempt attempt: UInt32, jitter: UInt32) -> Milliseconds {
        var wait = min(base.count, cap.count)
        var doublings = max(attempt, 1) - 1
        while doublings > 0, wait < cap.count {
            wait = wait > cap.count / 2 ? cap.count : wait * 2
            doublings -= 1
        }
        return Self.lengthened(Milliseconds(wait), by: jitter)
    }

    /// Returns the wait after the `failure`-th failed access of the storage in a row.
    ///
    /// The storage is near, and everything stands still while it fails: the waits are those of
    /// ``delay(afterAttempt:jitter:)`` with a base of at most one second and a cap of at most one
    /// minute.
    ///
    /// - Parameters:
    ///   - failure: The number of the failure, counted from 1. 0 counts as 1.
    ///   - jitter: A uniformly random word, as for ``delay(afterAttempt:jitter:)``.
    public func storageDelay(afterFailure failure: UInt32, jitter: UInt32) -> Milliseconds {
        var policy = self
        policy.base = min(base, .seconds(1))
        policy.cap = min(cap, .seconds(60))
        return policy.delay(afterAttempt: failure, jitter: jitter)
    }

    /// Returns the wait that a server asked for, cut to `0...serverWaitCap` and then lengthened by
    /// jitter.
    ///
    /// - Parameters:
    ///   - asked: The requested wait; `nil` when the server gave no length or a malformed length.
    ///   - jitter: A uniformly random word, as for ``delay(afterAttempt:jitter:)``.
    public func serverDelay(asked: Milliseconds?, jitter: UInt32) -> Milliseconds {
        guard let asked else { return Self.lengthened(unhintedServerWait, by: jitter) }
        let wait = Milliseconds(min(max(asked.count, 0), serverWaitCap.count))
        return Self.lengthened(max(wait, base), by: jitter)
    }

    /// Returns the longest wait that this policy ever persists for `cause`.
    ///
    /// An operation that claims to wait longer was written under another clock.
    public func longestWait(for cause: WaitCause) -> Milliseconds {
        switch cause {
        case .nothing: Milliseconds(0)
        case .backoff, .network: Self.lengthened(cap, by: .max)
        case .server: Self.lengthened(max(serverWaitCap, unhintedServerWait), by: .max)
        }
    }

    private static func lengthened(_ wait: Milliseconds, by jitter: UInt32) -> Milliseconds {
        let permille = 300 * Int64(jitter >> 8) / Int64(UInt32.max >> 8)
        return Milliseconds(
            wait.count + wait.count / 1000 * permille + wait.count % 1000 * permille / 1000
        )
    }
}

/// The number of attempts that the other side takes before a moment, as it says with an answer: by
/// the `RateLimit` field of HTTP, for instance. A drain that keeps to it need not be refused.
public struct AttemptAllowance: Hashable, Sendable {
    /// The number of further attempts.
    public var attempts: Int
    /// The wait after which the other side takes more attempts.
    public var wait: Milliseconds

    /// Makes an allowance.
    public init(attempts: Int, wait: Milliseconds) {
        self.attempts = attempts
        self.wait = wait
    }
}

/// A lane's rule for the case that one of its operations is parked or quarantined, and so waits for
/// a person.
///
/// The app chooses for each lane. The choice is stored with the operation when the operation is
/// parked. It therefore holds for every process, until a person retries or deletes the operation.
public enum LanePolicy: Hashable, Sendable {
    /// The lane continues with the next operation. If a person retries the parked operation, it is
    /// the next to be attempted. The other side then receives it after operations that were
    /// inserted behind it and are already delivered.
    ///
    /// For lanes whose operations are of use without those before them.
    case skipAndPark
    /// All operations behind the parked operation wait until a person retries or deletes it.
    ///
    /// For lanes whose operations build on those before them.
    case blockLane
}
