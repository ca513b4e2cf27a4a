package import Outbox
import OutboxCore
package import RelayRules

/// Stores the codes of a mail, beside all other codes, and queues the mail, unless a limit is reached.
///
/// Where the address has no account and may make none (``NewVerification/maySignUp``, an invitation), all is stored but
/// the mail: no answer to this request or to a later one tells whether the address has an account.
package struct StartVerification: RelayTransaction {
    package enum Outcome: Hashable, Sendable {
        case decided(CodeDecision)
        /// Nothing is written: a sealed mail with a code of at least so many digits is missing, to the
        /// address of the account. `nil` digits for a mail with a long code alone, a `nil` address where
        /// there is no account.
        case unsealed(digits: Int?, address: MailAddress?)
    }

    /// The codes of a mail, as keyed hashes, and the sealed mail.
    package struct Letter: Sendable {
        /// `nil` where the mail has a long code alone.
        package let code: (hash: [UInt8], digits: Int)?
        package let longCode: [UInt8]
        /// The address of the account to which the mail goes; `nil` where there was no account.
        package let address: MailAddress?
        package let mail: SealedOperation

        package init(
            code: (hash: [UInt8], digits: Int)?,
            longCode: [UInt8],
            address: MailAddress?,
            mail: SealedOperation
        ) {
            self.address = address
            self.code = code
            self.longCode = longCode
            self.mail = mail
        }

        /// Whether the mail will do where a code of so many digits is needed, or a long code alone, for
        /// the account with an address. What was to nobody's account is mailed to the address that was
        /// asked with, which need not be the one of an account that was made meanwhile.
        fileprivate func suffices(for digits: Int?, _ address: MailAddress?) -> Bool {
            guard self.address == address else { return false }
            guard let digits, let code else { return digits == nil && code == nil }
            return code.digits >= digits
        }
    }

    private let new: NewVerification
    private let rules: VerificationRules
    /// `nil` until a look at the tables has said how long the code has to be.
    package var letter: Letter?

    package init(_ new: NewVerification, rules: VerificationRules) {
        self.new = new
        self.rules = rules
    }

    package struct Found {
        let ledger: VerificationLedger
        /// The address of the account, if there is one.
        let address: MailAddress?
        /// Whether the address is invited.
        let isInvited: Bool
    }

    package func find(in tables: some RelayReads) throws -> Found {
        let pair = new.subjects[.pair] ?? []
        let uses = try rules.limits.map { limit in
            try tables.requests(
                for: new.subjects[limit.subject] ?? [],
                in: limit.window(at: new.now)
            )
        }
        let ledger = VerificationLedger(
            uses: uses,
            knownSince: try tables.oldestAccount(signedInUnder: pair),
            day: try day(in: tables),
            latest: try tables.latestRequest(for: pair),
            budgets: try budgets(in: tables),
            accountSince: try tables.accountCreation(of: new.addressKey),
            hasLongCode: try tables.hasLongCode(of: new.addressKey, at: new.now)
        )
        let invitedAt = try tables.invitation(of: new.addressKey)
        return Found(
            ledger: ledger,
            address: try tables.address(of: new.addressKey),
            isInvited: invitedAt.map { Invitation.holds(since: $0, at: new.now) } ?? false
        )
    }

    private func budgets(in tables: some RelayReads) throws -> [CodeShare: GuessBudget] {
        var budgets: [CodeShare: GuessBudget] = [:]
        for share in CodeShare.allCases {
            let counted = GuessBudget.counted(at: new.now)
            budgets[share] = GuessBudget(used: try tables.failedTries(of: share, in: counted))
        }
        for open in try tables.openTries(of: rules.tries, at: new.now) {
            budgets[open.share]?.add(tries: open.count, digits: open.digits)
        }
        return budgets
    }

    private func day(in tables: some RelayReads) throws -> CodeDay {
        func count(of key: [UInt8]) throws -> Int {
            try tables.use(.stepped(key: key, CodeDay.steps(at: new.now))).memos
        }
        var uses: [CodeShare: CodeDay.Uses] = [:]
        for share in CodeShare.allCases {
            uses[share] = CodeDay.Uses(
                limited: try rules.dayLimits.map { limit in
                    try count(of: CodeDay.key(new.subjects[limit.subject] ?? [], of: share))
                },
                service: try count(of: CodeDay.key(of: share))
            )
        }
        return CodeDay(
            uses,
            announcements: try count(of: CodeDay.announcements),
            at: new.now
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Outcome> {
        let ledger = found.ledger
        let decision = ledger.request(rules)
        let needed: Int?
        var isCounted = true
        switch decision {
        case .send(let digits): needed = digits
        case .sendLongCode: needed = nil
        case .helpOwner:
            needed = nil
            isCounted = false
        case .hold, .wait: return RelayDecision(.decided(decision))
        }
        // Where a longer code is needed by now, it is made.
        guard let letter, letter.suffices(for: needed, found.address) else {
            return RelayDecision(.unsealed(digits: needed, address: found.address))
        }
        return RelayDecision(
            .decided(letter.code.map { .send(digits: $0.digits) } ?? decision),
            writes: forgetting + (isCounted ? counting(for: ledger.share) : [])
                + codes(of: letter, share: ledger.share)
                + (isMailed(found) ? [.queue(letter.mail)] : [])
        )
    }

    private func isMailed(_ found: Found) -> Bool {
        new.maySignUp || found.isInvited || found.address != nil
    }

    private func codes(of letter: Letter, share: CodeShare) -> [RelayWrite] {
        let life = CodeLife(from: new.now, to: new.now.advanced(by: rules.longCodeLifetime))
        let long = MailedLongCode(
            letter.longCode,
            life: life,
            share: share,
            language: new.language
        )
        let short = letter.code.map { code in
            MailedCode(
                SentCode(code: code.hash, digits: code.digits, at: new.now, rules),
                pair: new.subjects[.pair] ?? [],
                share: share,
                language: new.language
            )
        }
        return [.longCode(long, of: new.addressKey)]
            + (short.map { [.code($0, under: new.handle)] } ?? [])
    }

    /// Counts the request for each subject.
    private func counting(for share: CodeShare) -> [RelayWrite] {
        let limited = Set(rules.limits.map(\.subject))
        let subjects = CodeSubject.allCases.filter(limited.contains).compactMap { new.subjects[$0] }
        let ofDay = rules.dayLimits.compactMap { new.subjects[$0.subject] } + [[]]
        return subjects.map { .request($0, at: new.now) }
            + ofDay.map { .count(key: CodeDay.key($0, of: share), CodeDay.steps(at: new.now)) }
    }

    /// Drops the rows that no decision needs.
    private var forgetting: [RelayWrite] {
        let limits = Dictionary(grouping: rules.limits, by: \.subject)
        let ofSubjects = limits.map { subject, limits in
            RelayWrite.dropRequestsBefore(
                window(of: limits),
                of: new.subjects[subject] ?? []
            )
        }
        return [.dropRequestsOutside(window(of: rules.limits))] + ofSubjects
            + [
                .dropFailedTriesOutside(GuessBudget.counted(at: new.now)),
                .dropDeadCodes(at: new.now),
                .dropInvitations(until: Invitation.lastVoid(at: new.now)),
            ]
    }

    private func window(of limits: [CodeLimit]) -> RateWindow {
        RateWindow(limits.map(\.window).max() ?? rules.window, at: new.now)
    }
}
