import MemoTexts
package import Outbox
package import OutboxCore
package import RelayRules

/// Counts a try of a code, and signs a device in if the code is right, or a proxy vouches for the address. A try of a long code is not
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
        let codes: CodeTrial.Found
        let account: AccountID?
        /// The address of the account.
        let address: MailAddress?
        /// The language of the account.
        let language: Language?
        /// Whether the address is invited.
        let isInvited: Bool
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
            codes: try trial.find(in: tables),
            account: try tables.account(of: key),
            address: try tables.address(of: key),
            language: try tables.language(of: key),
            isInvited: try tables.invitation(of: key).map {
                Invitation.holds(since: $0, at: confirmation.now)
            } ?? false,
            living: try tables.livingDevices(of: key),
            recent: try tables.signIns(of: key, in: window)
        )
    }

    private var trial: CodeTrial {
        CodeTrial(
            code: confirmation.code,
            addressKey: confirmation.addressKey,
            now: confirmation.now,
            rules: rules
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Outcome> {
        if let origin = trial.vouched { return signingIn(origin, found, spent: []) }
        return switch trial.decide(found.codes) {
        case .refused(let writes): RelayDecision(.refused, writes: writes)
        case .right(let origin, let spent): signingIn(origin, found, spent: spent)
        }
    }

    private func signingIn(
        _ origin: CodeTrial.Origin,
        _ found: Found,
        spent: [RelayWrite]
    ) -> RelayDecision<Outcome> {
        // The code was guessed, or mailed before sign-up was closed or the invitation withdrawn.
        guard
            found.account != nil || found.isInvited || trial.vouched != nil
                || rules.signUp.admits(confirmation.address)
        else {
            return RelayDecision(.refused, writes: spent)
        }
        if let wait = rules.signInWait(after: found.recent, at: confirmation.now) {
            return RelayDecision(.wait(wait))
        }
        var writes = spent + [.dropRequests(origin.pair)]
        if rules.announces(living: found.living.count, recent: found.recent.count) {
            guard let announcement else {
                let new = NewDevice(
                    id: device,
                    account: found.account ?? newAccount,
                    address: found.address ?? confirmation.address,
                    language: found.language ?? origin.language
                )
                return RelayDecision(.unannounced(new))
            }
            writes.append(.queue(announcement))
            let day = CodeDay.steps(at: confirmation.now)
            writes.append(.count(key: CodeDay.announcements, day))
        }
        if found.account == nil {
            writes += [.account(accountRow), .dropInvitation(of: confirmation.addressKey)]
        }
        writes += rules.signedOut(of: found.living).map { .revoke($0, at: confirmation.now) }
        let account = found.account ?? newAccount
        writes.append(.device(row(under: origin.pair), of: account))
        writes.append(.language(origin.language, of: account))
        return RelayDecision(.granted, writes: writes)
    }

    private var accountRow: NewAccount {
        NewAccount(
            id: newAccount,
            addressKey: confirmation.addressKey,
            address: confirmation.address,
            mailbox: confirmation.mailbox,
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
