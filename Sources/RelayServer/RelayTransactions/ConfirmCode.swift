import MemoTexts
package import Outbox
package import OutboxCore
package import RelayRules

/// Counts a try of a code, and signs a device in if the code is right. A try of a long code is not
/// counted: nobody guesses one.
///
/// The devices of an account are read by its address's key, as the account is: no read needs the answer
/// of another one.
package struct ConfirmCode: RelayTransaction {
    package enum Outcome: Hashable, Sendable {
        case refused
        case granted
        /// Nothing is written: the account has had its ``VerificationRules/signIns``.
        case wait(Milliseconds)
        /// Nothing is written: the sealed mail about this device is missing.
        case unannounced(NewDevice)
    }

    package struct Found {
        /// The code under the handle, where digits were entered.
        let code: MailedCode?
        /// The address's long code, where that was entered.
        let longCode: MailedLongCode?
        let account: AccountID?
        /// The devices that are signed in, the oldest first.
        let living: [DeviceID]
        /// The sign-ins within ``VerificationRules/signInWindow(at:)``.
        let recent: RateUse
    }

    private let confirmation: Confirmation
    private let rules: VerificationRules
    private let device: DeviceID
    /// The account of a new person.
    private let newAccount: AccountID
    /// `nil` until a look at the tables has said for which device the mail is.
    package var announcement: SealedOperation?

    /// - Parameters:
    ///   - confirmation: The code that a person entered.
    ///   - device: The identifier of the device to add.
    ///   - newAccount: The identifier of the account, if there is none.
    ///   - rules: The limits.
    package init(
        _ confirmation: Confirmation,
        device: DeviceID,
        newAccount: AccountID,
        rules: VerificationRules
    ) {
        self.confirmation = confirmation
        self.device = device
        self.newAccount = newAccount
        self.rules = rules
    }

    package func find(in tables: some RelayReads) throws -> Found {
        let key = confirmation.addressKey
        let window = rules.signInWindow(at: confirmation.now)
        return Found(
            code: try mailedCode(in: tables),
            longCode: try mailedLongCode(in: tables),
            account: try tables.account(of: key),
            living: try tables.livingDevices(of: key),
            recent: try tables.signIns(of: key, in: window)
        )
    }

    private func mailedCode(in tables: some RelayReads) throws -> MailedCode? {
        guard case .digits(_, let handle) = confirmation.code else { return nil }
        return try tables.code(under: handle)
    }

    private func mailedLongCode(in tables: some RelayReads) throws -> MailedLongCode? {
        guard case .long(let code, _) = confirmation.code else { return nil }
        return try tables.longCode(code, of: confirmation.addressKey)
    }

    package func decide(_ found: Found) -> RelayDecision<Outcome> {
        switch confirmation.code {
        case .digits(let code, let handle):
            return found.code.map { tried(code, of: $0, under: handle, found) }
                ?? RelayDecision(.refused)
        case .long(_, let pair):
            guard let mailed = found.longCode, mailed.life.contains(confirmation.now) else {
                return RelayDecision(.refused)
            }
            let origin = Origin(pair: pair, share: mailed.share, language: mailed.language)
            return signingIn(origin, found, spent: [])
        }
    }

    private func tried(
        _ code: [UInt8],
        of mailed: MailedCode,
        under handle: [UInt8],
        _ found: Found
    ) -> RelayDecision<Outcome> {
        switch mailed.code.tried(code, at: confirmation.now, rules) {
        case .refused: return RelayDecision(.refused)
        case .wrong(let counted):
            let failed = RelayWrite.failedTry(
                mailed.share,
                step: GuessBudget.step(of: confirmation.now),
                chance: GuessBudget.chance(digits: mailed.code.digits)
            )
            let change =
                counted.map { RelayWrite.tried($0, under: handle) } ?? .dropCode(handle)
            return RelayDecision(.refused, writes: [failed, change])
        case .right:
            let origin = Origin(
                pair: mailed.pair,
                share: mailed.share,
                language: mailed.language
            )
            return signingIn(origin, found, spent: [.dropCode(handle)])
        }
    }

    /// The network that a device is signed in from, and what its code brings.
    private struct Origin {
        let pair: [UInt8]
        let share: CodeShare
        let language: Language
    }

    private func signingIn(
        _ origin: Origin,
        _ found: Found,
        spent: [RelayWrite]
    ) -> RelayDecision<Outcome> {
        if let wait = rules.signInWait(after: found.recent, at: confirmation.now) {
            return RelayDecision(.wait(wait))
        }
        var writes = spent
        writes += [.dropLongCodes(of: confirmation.addressKey), .dropRequests(origin.pair)]
        if rules.announces(living: found.living.count, recent: found.recent.count) {
            guard let announcement else {
                let account = found.account ?? newAccount
                let new = NewDevice(id: device, account: account, language: origin.language)
                return RelayDecision(.unannounced(new))
            }
            writes.append(.queue(announcement))
            let day = CodeDay.steps(at: confirmation.now)
            writes.append(.count(key: CodeDay.key(of: origin.share), day))
        }
        if found.account == nil { writes.append(.account(account)) }
        writes += rules.signedOut(of: found.living).map { .revoke($0, at: confirmation.now) }
        writes.append(.device(row(under: origin.pair), of: found.account ?? newAccount))
        return RelayDecision(.granted, writes: writes)
    }

    private var account: NewAccount {
        NewAccount(
            id: newAccount,
            addressKey: confirmation.addressKey,
            address: confirmation.address,
            createdAt: confirmation.now
        )
    }

    private func row(under pair: [UInt8]) -> NewDeviceRow {
        NewDeviceRow(
            id: device,
            tokenHash: confirmation.tokenHash,
            name: confirmation.deviceName,
            createdAt: confirmation.now,
            pair: pair
        )
    }
}
