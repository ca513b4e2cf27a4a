package import OutboxCore

/// The rule on accepted memos, for one sender at one moment: a pure decision over what a store
/// counts.
///
/// A store counts for each of ``counters`` and asks for the decision, in the transaction that stores
/// the memo and counts it:
///
/// 1. Accepted memos count, those of all accounts of a mailbox together: no spelling of an address
///    multiplies a limit. So a restart does not reset a limit, and a replay does not count.
/// 2. A memo is granted when every limit leaves room for it.
/// 3. A refused memo changes no count: it may be sent as soon as the violated limits leave room.
/// 4. All young accounts (``AccountAge``) together have a part of the service's memos, once any account is
///    older.
/// 5. An older account has its own limits alone in a network that knows its mailbox: a device of an account
///    that is no longer young was signed in there, and still is. Neither strangers nor neighbours use
///    up its memos. Its memos count all the same.
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
        /// The mailbox's memos that were accepted in a window, those of all its accounts.
        case accepted(MailboxID, RateWindow)
        /// The mailbox's memos whose mails wait to be handed over, those of all its accounts.
        case waiting(MailboxID)
        /// The accepted memos of a key that is not a mailbox, counted in steps.
        case stepped(key: [UInt8], RateSteps)
    }

    /// What a store answers.
    package struct Found: Hashable, Sendable {
        /// The memos that the store counted for each of ``MemoQuota/counters``.
        package let uses: [MemoUse]
        /// The answer to ``MemoQuota/asksForOldest``: the time at which the oldest account was made.
        package let oldest: WallTime?
        /// The answer to ``MemoQuota/askedPair``: the time at which the oldest account was made that has a
        /// device signed in under it.
        package let knownSince: WallTime?

        package init(
            uses: [MemoUse],
            oldest: WallTime? = nil,
            knownSince: WallTime? = nil
        ) {
            self.uses = uses
            self.oldest = oldest
            self.knownSince = knownSince
        }
    }

    /// The part of the senders for whom a limit holds.
    private enum Scope: Hashable {
        /// One mailbox, whichever of its accounts sends.
        case mailbox
        /// All who share a network or the service.
        case shared
        /// All young accounts.
        case young
    }

    private struct Rule: Hashable {
        let limit: MemoLimit
        let scope: Scope
        /// The index of the limit's counter.
        let counter: Int
    }

    /// The keys under which the memos of all people, and of young accounts, count together. No keyed hash
    /// is as short.
    private static let service: [UInt8] = []
    private static let young = Array("young".utf8)

    private let now: WallTime
    /// Whether the sender's account is young, or not; `nil` where its age is not known.
    private let isYoung: Bool?
    /// The pair of the sender's mailbox and network whose oldest account a store reads; `nil` for a sender
    /// to whom this makes no difference.
    package let askedPair: [UInt8]?

    /// The counters that a store reads. Each of them stands here once.
    package private(set) var counters: [Counter] = []
    private var rules: [Rule] = []

    /// - Parameter sender: A sender without a mailbox has the limits of its networks alone.
    package init(_ limits: MemoLimits, for sender: MemoSender, at now: WallTime) {
        self.now = now
        isYoung = sender.accountCreatedAt.map { !AccountAge.isSettled(since: $0, at: now) }
        askedPair = isYoung == false ? sender.pair : nil
        if let mailbox = sender.mailbox {
            for limit in limits.accountLimits {
                add(
                    limit,
                    .mailbox,
                    limit.window.map { .accepted(mailbox, RateWindow($0, at: now)) }
                        ?? .waiting(mailbox)
                )
            }
        }
        for (limit, key) in zip(limits.networkLimits, sender.networks) {
            addSteps(limit, .shared, key: key)
        }
        if sender.mailbox != nil {
            addSteps(limits.serviceLimit, .shared, key: Self.service)
        }
        if isYoung == true, limits.boundsYoungAccounts {
            addSteps(limits.youngLimit, .young, key: Self.young)
        }
    }

    /// Whether a store reads the time at which its oldest account was made.
    package var asksForOldest: Bool { rules.contains { $0.scope == .young } }

    private mutating func addSteps(_ limit: MemoLimit, _ scope: Scope, key: [UInt8]) {
        guard let window = limit.window else { return }
        add(limit, scope, .stepped(key: key, RateSteps(window, at: now)))
    }

    private mutating func add(_ limit: MemoLimit, _ scope: Scope, _ counter: Counter) {
        let index = counters.firstIndex(of: counter) ?? counters.count
        if index == counters.count { counters.append(counter) }
        rules.append(Rule(limit: limit, scope: scope, counter: index))
    }

    /// Whether a limit holds for the sender.
    private func holds(_ rule: Rule, _ found: Found) -> Bool {
        func isSettled(_ creation: WallTime?) -> Bool {
            creation.map { AccountAge.isSettled(since: $0, at: now) } ?? false
        }
        return switch rule.scope {
        case .mailbox: true
        case .shared: askedPair == nil || !isSettled(found.knownSince)
        case .young: isSettled(found.oldest)
        }
    }

    /// The use of the limits that hold for the sender.
    package func usages(_ found: Found) -> [LimitUsage] {
        precondition(found.uses.count == counters.count, "each counter has a use")
        return rules.filter { holds($0, found) }.map { rule in
            let use = found.uses[rule.counter]
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
    ///   - found: The store's answers.
    package func decision(of bytes: Int, _ found: Found) -> Decision {
        let before = usages(found)
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
    /// The mailbox of the account; `nil` for a request without a valid token.
    package let mailbox: MailboxID?
    /// The time at which the account was made; `nil` where it is not known: all limits but that of young
    /// accounts hold.
    package let accountCreatedAt: WallTime?
    /// A keyed hash of the account's mailbox and the narrowest network; `nil` where it is not known.
    package let pair: [UInt8]?
    /// Keyed hashes of the names of the networks that the request comes from, the narrowest first.
    package let networks: [[UInt8]]

    package init(
        mailbox: MailboxID?,
        createdAt: WallTime? = nil,
        pair: [UInt8]? = nil,
        networks: [[UInt8]] = []
    ) {
        self.mailbox = mailbox
        accountCreatedAt = createdAt
        self.pair = pair
        self.networks = networks
    }
}
