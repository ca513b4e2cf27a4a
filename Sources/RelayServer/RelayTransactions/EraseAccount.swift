package import OutboxCore
package import RelayRules

/// Ends an account, if the code that was entered is right: no token of it is good any more, its address
/// is free, and its settings and its own mailbox are gone. ``ForgetAccounts`` removes the rest. The outcome is whether the
/// code was right.
package struct EraseAccount: RelayTransaction {
    package struct Found {
        let codes: CodeTrial.Found
        let account: AccountID?
    }

    private let trial: CodeTrial
    private let account: AccountID

    package init(_ erasure: AccountErasure, rules: VerificationRules) {
        account = erasure.account
        trial = CodeTrial(
            code: erasure.code,
            addressKey: erasure.addressKey,
            now: erasure.now,
            rules: rules
        )
    }

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            codes: try trial.find(in: tables),
            account: try tables.account(of: trial.addressKey)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Bool> {
        switch trial.decide(found.codes) {
        case .refused(let writes): return RelayDecision(false, writes: writes)
        case .right(let origin, let spent):
            // Else another request has erased the account meanwhile.
            guard found.account == account else { return RelayDecision(false) }
            return RelayDecision(
                true,
                writes: spent + [
                    .dropRequests(origin.pair), .dropOwnMailbox(of: trial.addressKey),
                    .erase(account, at: trial.now),
                ]
            )
        }
    }
}

/// Removes some rows of erased accounts: memos with their mails, then devices, then the accounts. The
/// outcome is whether nothing is left.
///
/// An account has any number of memos, and each transaction keeps others waiting: so a transaction is
/// short, and the next one goes on, after a crash as well.
package struct ForgetAccounts: RelayTransaction {
    package struct Found {
        let memos: [ErasedMemo]
        let devices: [DeviceID]
        let accounts: [AccountID]
    }

    /// The greatest number of rows of each kind in one transaction.
    private static let limit = 128

    package init() {}

    package func find(in tables: some RelayReads) throws -> Found {
        Found(
            memos: try tables.erasedMemos(limit: LetterBatch.letters),
            devices: try tables.erasedDevices(limit: Self.limit),
            accounts: try tables.erasedAccounts(limit: Self.limit)
        )
    }

    package func decide(_ found: Found) -> RelayDecision<Bool> {
        if !found.memos.isEmpty {
            let count = LetterBatch.count(of: found.memos.map(\.bytes))
            return RelayDecision(false, writes: found.memos.prefix(count).flatMap(writes))
        }
        if !found.devices.isEmpty {
            return RelayDecision(false, writes: found.devices.map { .forget($0) })
        }
        return RelayDecision(
            found.accounts.count < Self.limit,
            writes: found.accounts.map { .dropAccount($0) }
        )
    }

    private func writes(of memo: ErasedMemo) -> [RelayWrite] {
        (memo.mail.map { [.discard($0)] } ?? []) + [.dropMemo(memo.id, of: memo.account)]
    }
}

/// A memo of an erased account.
package struct ErasedMemo: Hashable, Sendable {
    package let id: OperationID
    package let account: AccountID
    /// The memo's mail, if the queue has it.
    package let mail: EntryID?
    /// The size of the sealed mail; 0 where the queue has none.
    package let bytes: Int

    package init(id: OperationID, account: AccountID, mail: EntryID?, bytes: Int) {
        self.id = id
        self.account = account
        self.mail = mail
        self.bytes = bytes
    }
}
