package import OutboxCore

/// The age at which an account is old enough to be trusted with more.
package enum AccountAge {
    /// The time for which an account is young: one week. So long a stranger who wants to have many
    /// accounts has to plan ahead.
    static let youth: Milliseconds = .seconds(7 * 86_400)

    /// Whether an account is older than a week. An account that was made while the clock was ahead is
    /// young.
    package static func isSettled(since creation: WallTime, at now: WallTime) -> Bool {
        now.since(creation) >= youth
    }
}

/// The share of the service's codes to which a request belongs, by the network that asks.
///
/// Each share has its own counts of a day, so that strangers leave codes to the people of a service,
/// even to those in the same network, and the other way round.
package enum CodeShare: Int, Hashable, Sendable, CaseIterable {
    /// The share of networks that the mailbox does not know, or knows by a young account alone: an
    /// account costs a stranger one mailbox.
    case strangers
    /// The share of networks where a device of the mailbox is signed in whose account is settled
    /// (``AccountAge``).
    case established

    /// - Parameters:
    ///   - creation: The time at which the oldest account of a mailbox was made that has a device
    ///     signed in from a network; `nil` where no device is signed in.
    ///   - now: The wall clock's time.
    init(knownSince creation: WallTime?, at now: WallTime) {
        guard let creation, AccountAge.isSettled(since: creation, at: now) else {
            self = .strangers
            return
        }
        self = .established
    }
}

/// The codes of a day, for each ``CodeShare`` apart: what was counted in steps of time, seen from one
/// moment.
///
/// 1. The networks of a share get so many codes as ``VerificationRules/dayLimits`` say.
/// 2. Strangers get at most ``VerificationRules/strangersDay``. All together get
///    ``VerificationRules/perDay``.
/// 3. The difference of these two is kept for established networks: they get as many in any case.
/// 4. A mail about a new device counts against ``VerificationRules/perDay`` alone: whoever signs in with
///    each code takes no more of the strangers' codes than others.
package struct CodeDay: Hashable, Sendable {
    /// The counted codes of a share.
    package struct Uses: Hashable, Sendable {
        /// The codes that count against each of ``VerificationRules/dayLimits``, in their order.
        let limited: [Int]
        /// The codes of the share.
        let service: Int

        package init(limited: [Int], service: Int) {
            self.limited = limited
            self.service = service
        }
    }

    /// The window in which codes count: one day.
    package static let window: Milliseconds = .seconds(86_400)

    let now: WallTime
    private let uses: [CodeShare: Uses]
    private let announcements: Int

    /// - Parameter announcements: The mails about new devices.
    package init(
        _ uses: [CodeShare: Uses],
        announcements: Int = 0,
        at now: WallTime
    ) {
        self.uses = uses
        self.announcements = announcements
        self.now = now
    }

    /// The steps in which codes count at a moment.
    package static func steps(at now: WallTime) -> RateSteps { RateSteps(window, at: now) }

    /// The key under which the codes of a share count together. No keyed hash is as short.
    package static func key(of share: CodeShare) -> [UInt8] { key([], of: share) }

    /// The key under which the mails about new devices count. No keyed hash is as short.
    package static var announcements: [UInt8] { Array("announcement".utf8) }

    /// The key under which the codes of a share count for a subject.
    ///
    /// - Parameter subject: A keyed hash.
    package static func key(_ subject: [UInt8], of share: CodeShare) -> [UInt8] {
        subject + Array("code".utf8) + [UInt8(share.rawValue)]
    }

    /// The limits that leave no code for a request that belongs to a share.
    func usedUp(for share: CodeShare, _ rules: VerificationRules) -> Set<CodeLimitName> {
        var names: Set<CodeLimitName> = []
        for (limit, count) in zip(rules.dayLimits, uses[share]?.limited ?? [])
        where count >= limit.count {
            names.insert(limit.name)
        }
        let own = uses[share]?.service ?? 0
        let isUsedUp = uses.values.reduce(announcements) { $0 + $1.service } >= rules.perDay
        switch share {
        case .strangers:
            if own >= rules.strangersDay { names.insert(.strangersDay) }
            if isUsedUp { names.insert(.serviceDay) }
        case .established:
            let isKept = own < rules.perDay - rules.strangersDay
            if isUsedUp, !isKept { names.insert(.serviceDay) }
        }
        return names
    }
}
