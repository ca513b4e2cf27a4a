package import OutboxCore

/// The rule on mailed codes: the stored codes and requests that concern one request, as a store
/// reads them in its transaction.
///
/// 1. An address has one code: a new code replaces it, its tries included.
/// 2. A code is right once, until it expires, and within ``VerificationRules/tries`` tries.
/// 3. Each code in a row doubles the wait for the next one. A right code, or
///    ``VerificationRules/forgetAfter`` without a code, ends the row.
/// 4. An address and a network have a number of codes within ``VerificationRules/window``.
package struct VerificationLedger: Hashable, Sendable {
    /// The decision about a request for a code.
    package enum Decision: Hashable, Sendable {
        /// The code is mailed, and replaces the address's code.
        case send(SentCode)
        /// No code is mailed before this wait has passed. Nothing is stored.
        case wait(Milliseconds)
    }

    /// The address's code; `nil` if none is stored.
    let latest: SentCode?
    /// The codes that were mailed to the address, in the window of ``VerificationRules``.
    let toAddress: RateUse
    /// The codes that the network asked for, in the window of ``VerificationRules``.
    let fromSource: RateUse

    package init(latest: SentCode?, toAddress: RateUse, fromSource: RateUse) {
        self.latest = latest
        self.toAddress = toAddress
        self.fromSource = fromSource
    }

    /// Decides about a request for a code.
    ///
    /// - Parameters:
    ///   - code: The keyed hash of the new code.
    ///   - now: The wall clock's time.
    ///   - rules: The limits.
    package func request(
        _ code: [UInt8],
        at now: WallTime,
        _ rules: VerificationRules
    ) -> Decision {
        let row = latest.flatMap { rules.forgets($0, at: now) ? nil : $0 }
        let window = rules.requestWindow(at: now)
        var waits = [row?.remainingCooldown(at: now, rules) ?? Milliseconds(0)]
        if toAddress.count >= rules.perAddress { waits.append(window.wait(after: toAddress)) }
        if fromSource.count >= rules.perSource { waits.append(window.wait(after: fromSource)) }
        if let longest = waits.max(), longest.count > 0 { return .wait(longest) }
        return .send(
            SentCode(
                code: code,
                expiresAt: now.advanced(by: rules.codeLifetime),
                tries: 0,
                inARow: (row?.inARow ?? 0) + 1,
                sentAt: now
            )
        )
    }
}

/// An address's latest code, as it is stored.
package struct SentCode: Hashable, Sendable {
    /// The decision about a try of a code.
    package enum Try: Hashable, Sendable {
        /// The code is right; the record after it, in which the code is used up.
        case right(SentCode)
        /// The code is wrong; the record after it, in which the try is counted.
        case wrong(SentCode)
        /// There is no code to try: it is used up, expired, or was tried too often.
        case refused
    }

    /// The clock of another relay may be this far behind.
    private static let clockTolerance = Milliseconds.seconds(60)

    /// The keyed hash of the code; `nil` once the code is used up.
    package private(set) var code: [UInt8]?
    package let expiresAt: WallTime
    package private(set) var tries: Int
    /// The number of codes since the address's latest right code.
    package private(set) var inARow: Int
    package let sentAt: WallTime

    package init(
        code: [UInt8]?,
        expiresAt: WallTime,
        tries: Int,
        inARow: Int,
        sentAt: WallTime
    ) {
        self.code = code
        self.expiresAt = expiresAt
        self.tries = tries
        self.inARow = inARow
        self.sentAt = sentAt
    }

    /// Decides about a try.
    ///
    /// - Parameters:
    ///   - entered: The keyed hash of the code that a person entered.
    ///   - now: The wall clock's time. A time before the code was mailed is that of a clock that
    ///     was set back: the code is refused, because it would live too long.
    ///   - rules: The limits.
    package func tried(_ entered: [UInt8], at now: WallTime, _ rules: VerificationRules) -> Try {
        guard let code, now < expiresAt, now.since(sentAt).count >= -Self.clockTolerance.count,
            tries < rules.tries
        else { return .refused }
        var after = self
        guard areEqualInConstantTime(code, entered) else {
            after.tries += 1
            return .wrong(after)
        }
        after.code = nil
        after.inARow = 0
        return .right(after)
    }

    /// The rest of the wait after this code; never longer than the whole wait, even if the clock
    /// was set back since. Zero or less when the wait is over.
    func remainingCooldown(at now: WallTime, _ rules: VerificationRules) -> Milliseconds {
        let cooldown = rules.cooldown(afterSending: inARow)
        return min(sentAt.advanced(by: cooldown).since(now), cooldown)
    }
}
