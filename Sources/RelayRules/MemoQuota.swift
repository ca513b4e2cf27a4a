package import OutboxCore

/// The rule on accepted memos, for one sender at one moment: a pure decision over what a store
/// counts.
///
/// A store counts for each of ``counters`` and asks for the decision, in the transaction that stores
/// the memo and counts it:
///
/// 1. Accepted memos count. So a restart does not reset a limit, and a replay does not count.
/// 2. A memo is granted when every limit leaves room for it.
/// 3. A refused memo changes no count: it may be sent as soon as the violated limits leave room.
package struct MemoQuota: Hashable, Sendable {
    /// The decision about one more memo.
    package enum Decision: Hashable, Sendable {
        /// The memo may be stored; with the use of the limits after it.
        case granted([LimitUsage])
        /// The memo is refused; with the use of the limits, at least one of which is exceeded.
        case refused([LimitUsage])
    }

    /// The memos that a store counts together.
    package enum Counter: Hashable, Sendable {
        /// The account's memos that were accepted in a window.
        case accepted(AccountID, RateWindow)
        /// The account's memos whose mails wait to be handed over.
        case waiting(AccountID)
        /// The accepted memos of a key that is not an account, counted in steps.
        case stepped(key: [UInt8], RateSteps)
    }

    private struct Rule: Hashable {
        let limit: MemoLimit
        /// The index of the limit's counter.
        let counter: Int
    }

    /// The key under which the memos of all people count together. No keyed hash is as short.
    private static let service: [UInt8] = []

    /// The counters that a store reads. Each of them stands here once.
    package private(set) var counters: [Counter] = []
    private var rules: [Rule] = []

    /// - Parameter sender: A sender without an account has the limits of its networks alone.
    package init(_ limits: MemoLimits, for sender: MemoSender, at now: WallTime) {
        if let account = sender.account {
            for limit in limits.accountLimits {
                add(
                    limit,
                    limit.window.map { .accepted(account, RateWindow($0, at: now)) }
                        ?? .waiting(account)
                )
            }
        }
        for (limit, key) in zip(limits.networkLimits, sender.networks) {
            addSteps(limit, key: key, at: now)
        }
        if sender.account != nil {
            addSteps(limits.serviceLimit, key: Self.service, at: now)
        }
    }

    private mutating func addSteps(_ limit: MemoLimit, key: [UInt8], at now: WallTime) {
        guard let window = limit.window else { return }
        add(limit, .stepped(key: key, RateSteps(window, at: now)))
    }

    private mutating func add(_ limit: MemoLimit, _ counter: Counter) {
        let index = counters.firstIndex(of: counter) ?? counters.count
        if index == counters.count { counters.append(counter) }
        rules.append(Rule(limit: limit, counter: index))
    }

    /// The use of the limits.
    ///
    /// - Parameter uses: The memos that the store counted for each of ``counters``.
    package func usages(_ uses: [MemoUse]) -> [LimitUsage] {
        precondition(uses.count == counters.count, "each counter has a use")
        return rules.map { rule in
            let use = uses[rule.counter]
            let used =
                switch rule.limit.unit {
                case .memos: use.memos
                case .bytes: use.bytes
                }
            return LimitUsage(
                limit: rule.limit,
                remaining: max(0, rule.limit.quota - used),
                reset: reset(of: counters[rule.counter], use)
            )
        }
    }

    /// Decides about one more memo.
    ///
    /// - Parameters:
    ///   - bytes: The size of the memo's mail.
    ///   - uses: The memos that the store counted for each of ``counters``.
    package func decision(of bytes: Int, _ uses: [MemoUse]) -> Decision {
        let before = usages(uses)
        guard !before.contains(where: { $0.isExceeded(by: bytes) }) else { return .refused(before) }
        return .granted(before.map { $0.after(bytes) })
    }

    /// The use that a relay tells which cannot count: nothing is left, for a while
    /// (draft-ietf-httpapi-ratelimit-headers-10, section 6).
    package func unknownUsages(for wait: Milliseconds) -> [LimitUsage] {
        rules.filter { !$0.limit.isOfService }
            .map { LimitUsage(limit: $0.limit, remaining: 0, reset: wait) }
    }

    private func reset(of counter: Counter, _ use: MemoUse) -> Milliseconds? {
        switch counter {
        case .accepted(_, let window): window.wait(afterOldest: use.oldest)
        case .stepped(_, let steps): steps.window.wait(afterOldest: use.oldest)
        case .waiting: nil
        }
    }
}

/// The memos that a store counted for a ``MemoQuota/Counter``.
package struct MemoUse: Hashable, Sendable {
    package let memos: Int
    /// The bytes of the memos' mails; 0 for memos that were counted in steps.
    package let bytes: Int
    /// The time of the earliest counted memo, or of its step; `nil` when there is none.
    package let oldest: WallTime?

    package init(memos: Int, bytes: Int = 0, oldest: WallTime? = nil) {
        self.memos = memos
        self.bytes = bytes
        self.oldest = oldest
    }
}

/// The sender of a request, as the limits on memos see it.
public struct MemoSender: Hashable, Sendable {
    /// `nil` for a request without a valid token.
    package let account: AccountID?
    /// Keyed hashes of the names of the networks that the request comes from, the narrowest first.
    package let networks: [[UInt8]]

    package init(account: AccountID?, networks: [[UInt8]] = []) {
        self.account = account
        self.networks = networks
    }
}
