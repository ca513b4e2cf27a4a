public import OutboxCore

/// The decision about a request for a code.
public enum CodeDecision: Hashable, Sendable {
    /// A code of so many digits is mailed, with a long code beside it.
    case send(digits: Int)
    /// A long code alone is mailed.
    case sendLongCode
    /// A long code alone is mailed to the owner of an older account, whatever limits are used up. It
    /// counts for none. The limits are for the operator.
    case helpOwner(Set<CodeLimitName>)
    /// Nothing is mailed and nothing is stored. If the mailbox has had a mail within a day, its long code
    /// signs in. The limits that are the reason are for the operator.
    case hold(Set<CodeLimitName>)
    /// No code is mailed before this wait has passed. Nothing is stored. The limits that are the
    /// reason are for the operator.
    case wait(Milliseconds, for: Set<CodeLimitName>)
}

/// The decision about a try of a code.
public enum SignInDecision: Hashable, Sendable {
    /// The code was right, and the device is signed in.
    case granted
    /// The code cannot be tried, or was wrong.
    case refused
    /// The code was right, but the account has had its ``VerificationRules/signIns``. The code stays as
    /// it was. The wait is the time until the account can sign another device in.
    case wait(Milliseconds)
}

/// A limit on requests for codes, by the name that the metrics have for it: that of its option, where
/// it has one.
public enum CodeLimitName: String, Hashable, Sendable, CaseIterable {
    /// A network's wait between two codes to one mailbox.
    case cooldown = "codes-cooldown"
    /// Codes to one mailbox that one network asks for in an hour.
    case pairHour = "codes-pair-hour"
    /// Codes to one mailbox that one network asks for in a day.
    case pairDay = "codes-pair-day"
    /// Codes to one mailbox that one block of networks asks for in an hour.
    case blockPairHour = "codes-block-pair-hour"
    /// Codes to one mailbox that one block of networks asks for in a day.
    case blockPairDay = "codes-block-pair-day"
    /// Codes to one mailbox in an hour.
    case addressHour = "codes-address-hour"
    /// Codes to one mailbox in a day.
    case addressDay = "codes-address-day"
    /// Codes that one network asks for in an hour.
    case networkHour = "codes-network-hour"
    /// Codes that one network asks for in a day.
    case networkDay = "codes-network-day"
    /// Codes that one site asks for in an hour.
    case siteHour = "codes-site-hour"
    /// Codes that one site asks for in a day.
    case siteDay = "codes-site-day"
    /// Codes that one block of networks asks for in a day.
    case blockDay = "codes-block-day"
    /// Codes to the mailboxes of one mail domain in a minute.
    case domainMinute = "codes-domain-minute"
    /// Codes of the whole service in a minute.
    case serviceMinute = "codes-minute"
    /// Codes in a day that networks ask for which the mailboxes do not know, see ``CodeShare``.
    case strangersDay = "codes-strangers-day"
    /// Codes of the whole service in a day.
    case serviceDay = "codes-day"

    /// The time for which strangers can use a limit up, and whose mails they use.
    var reach: Reach {
        switch self {
        case .pairHour, .pairDay, .blockPairHour, .blockPairDay, .addressHour, .addressDay: .mailbox
        case .networkDay, .siteDay, .blockDay, .strangersDay, .serviceDay: .day
        case .cooldown, .networkHour, .siteHour, .domainMinute, .serviceMinute: .hour
        }
    }

    /// The reach of a limit.
    enum Reach: Hashable, Sendable {
        /// Mails to the mailbox alone use it up: each has a long code.
        case mailbox
        /// Mails to all mailboxes use it up, for as long as a day.
        case day
        /// Mails to all mailboxes use it up, for an hour at most.
        case hour
    }
}

/// The key under which requests for codes are counted.
package enum CodeSubject: Hashable, Sendable, CaseIterable {
    /// One mailbox, asked for from one network.
    case pair
    /// One mailbox, asked for from one block of networks.
    case blockPair
    /// One mailbox.
    case address
    /// One network.
    case network
    /// The networks of one site: an IPv6 /48, an IPv4 /24.
    case site
    /// The networks of one block: an IPv6 /32, an IPv4 /16.
    case block
    /// The mailboxes of one mail domain.
    case domain
    /// The whole service.
    case service

    /// Whether the owner of a mailbox shares the subject with strangers in other networks.
    var isShared: Bool {
        switch self {
        case .blockPair, .address, .domain, .service: true
        case .pair, .network, .site, .block: false
        }
    }
}

/// A number of codes for all requests that share a subject, within a window.
package struct CodeLimit: Hashable, Sendable {
    package let name: CodeLimitName
    package let subject: CodeSubject
    let count: Int
    package let window: Milliseconds

    /// The window in which requests count.
    package func window(at now: WallTime) -> RateWindow { RateWindow(window, at: now) }
}

/// The rule on requests for codes: what was counted of earlier requests, as a store reads it in its
/// transaction.
///
/// 1. Each request that is granted makes a code of its own. It changes no other code.
/// 2. Each code that a network asks for doubles its wait for the next one to the same mailbox. A
///    right code, or ``VerificationRules/window`` without a code, ends the row.
/// 3. Each of ``VerificationRules/limits`` is kept. Limits that the owner of a mailbox shares with
///    strangers do not hold for a network where a device of the mailbox was signed in, and still is:
///    strangers cannot use up the owner's codes there.
/// 4. The limits of a ``CodeDay`` are kept, whatever the network is.
/// 5. ``GuessBudget`` says how long the code is. Where it has no room, a long code alone is mailed.
/// 6. A request beyond a limit of its mailbox, or of a day, is not refused: its answer says that a long
///    code signs in. Beyond the limits of the mailbox one is there, unless all those mails went to other
///    spellings of the mailbox, or it has been used; then an address that has an account gets one.
/// 7. An address whose account is settled (``AccountAge``) has a long code whatever limits are used up,
///    but those that end within an hour: where none is alive, one is mailed that counts for no limit. So
///    strangers can keep no such owner out, and no later answer differs by it. Each sign-in costs one such
///    mail at most, and ``VerificationRules/signIns`` are limited.
/// 8. Whether an address has an account is no part of any answer.
package struct VerificationLedger: Hashable, Sendable {
    /// The requests that count against each of ``VerificationRules/limits``, in their order.
    let uses: [RateUse]
    /// Whether a device is signed in that belongs to the mailbox and was signed in from the network.
    let isKnown: Bool
    /// The share of the day's codes to which the request belongs.
    package let share: CodeShare
    /// The day's codes.
    let day: CodeDay
    /// The time of the latest code to the mailbox that the network asked for; `nil` for none.
    let latest: WallTime?

    /// The chances of guessing that the codes of the share have used so far.
    let budget: GuessBudget

    /// The time at which the address's account was made; `nil` where it has none.
    package let accountSince: WallTime?

    /// Whether the address has a long code that is alive.
    let hasLongCode: Bool

    /// - Parameters:
    ///   - uses: The requests that count against each of ``VerificationRules/limits``, in their order.
    ///   - knownSince: The time at which the oldest account was made that has a device signed in from
    ///     the network and belongs to the mailbox; `nil` where no device is signed in.
    ///   - day: The day's codes.
    ///   - latest: The time of the latest code to the mailbox that the network asked for.
    ///   - budgets: The chances of guessing that the codes of each share have used so far; nothing for
    ///     one that is not there.
    ///   - accountSince: The time at which the address's account was made; `nil` where it has none.
    ///   - hasLongCode: Whether the address has a long code that is alive.
    package init(
        uses: [RateUse],
        knownSince: WallTime?,
        day: CodeDay,
        latest: WallTime?,
        budgets: [CodeShare: GuessBudget],
        accountSince: WallTime?,
        hasLongCode: Bool
    ) {
        self.uses = uses
        isKnown = knownSince != nil
        share = CodeShare(knownSince: knownSince, at: day.now)
        self.day = day
        self.latest = latest
        budget = budgets[share] ?? GuessBudget()
        self.accountSince = accountSince
        self.hasLongCode = hasLongCode
    }

    /// Decides about a request for a code, at the day's moment.
    ///
    /// - Parameter rules: The limits.
    package func request(_ rules: VerificationRules) -> CodeDecision {
        let now = day.now
        var waits: [CodeLimitName: Milliseconds] = [:]
        for (limit, use) in zip(rules.limits, uses) where !isKnown || !limit.subject.isShared {
            if use.count >= limit.count {
                waits[limit.name] = limit.window(at: now).wait(after: use)
            }
            if limit.name == .pairHour, use.count > 0, let latest {
                // Never longer than the whole wait, even if the clock was set back since.
                let wait = rules.cooldown(afterSending: use.count)
                waits[.cooldown] = min(latest.advanced(by: wait).since(now), wait)
            }
        }
        waits = waits.filter { $0.value.count > 0 }
        let usedUp = day.usedUp(for: share, rules).union(waits.keys)
        guard !usedUp.isEmpty else {
            return budget.digits(rules).map { .send(digits: $0) } ?? .sendLongCode
        }
        if let longest = waits.values.max(), usedUp.allSatisfy({ $0.reach == .hour }) {
            return .wait(longest, for: usedUp)
        }
        guard let accountSince, !hasLongCode else { return .hold(usedUp) }
        if AccountAge.isSettled(since: accountSince, at: now) { return .helpOwner(usedUp) }
        let isDue = usedUp.allSatisfy { $0.reach == .mailbox || $0 == .cooldown }
        return isDue ? .sendLongCode : .hold(usedUp)
    }
}

/// A code that was mailed and can be tried, as it is stored under its handle.
package struct SentCode: Hashable, Sendable {
    /// The decision about a try of a code.
    package enum Try: Hashable, Sendable {
        /// The code is right, and used up: its record goes.
        case right
        /// The code is wrong; the record after it, in which the try is counted. `nil` after the
        /// last try: the record goes.
        case wrong(SentCode?)
        /// The code cannot be tried now. Nothing changes.
        case refused
    }

    /// The keyed hash of the code.
    package let code: [UInt8]
    package let digits: Int
    package let expiresAt: WallTime
    package private(set) var tries: Int
    package let sentAt: WallTime

    package init(
        code: [UInt8],
        digits: Int,
        expiresAt: WallTime,
        tries: Int,
        sentAt: WallTime
    ) {
        self.code = code
        self.digits = digits
        self.expiresAt = expiresAt
        self.tries = tries
        self.sentAt = sentAt
    }

    /// A new code.
    package init(
        code: [UInt8],
        digits: Int,
        at now: WallTime,
        _ rules: VerificationRules
    ) {
        self.init(
            code: code,
            digits: digits,
            expiresAt: now.advanced(by: rules.codeLifetime),
            tries: 0,
            sentAt: now
        )
    }

    /// Decides about a try.
    ///
    /// - Parameters:
    ///   - entered: The keyed hash of the code that a person entered.
    ///   - now: The wall clock's time. A time before the code was mailed is that of a clock that
    ///     was set back: the code is refused, because it would live too long.
    ///   - rules: The limits.
    package func tried(_ entered: [UInt8], at now: WallTime, _ rules: VerificationRules) -> Try {
        guard isAlive(at: now) else { return .refused }
        guard areEqualInConstantTime(code, entered) else {
            var after = self
            after.tries += 1
            return .wrong(after.tries < rules.tries ? after : nil)
        }
        return .right
    }

    /// Whether the code can be tried, so far as the time is concerned. A store drops the record of
    /// a code that cannot, and its handle with it.
    package func isAlive(at now: WallTime) -> Bool {
        CodeLife(from: sentAt, to: expiresAt).contains(now)
    }
}
