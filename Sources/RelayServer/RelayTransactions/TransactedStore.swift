package import Outbox
package import OutboxCore
package import RelayAPI
package import RelayRules

/// A ``RelayStore`` whose transactions are the ``RelayTransaction``s: the store brings tables, and this
/// protocol's methods bring the order of steps.
package protocol TransactedStore: ExaminedStore {
    /// Runs a transaction over all that is committed, without its writes. Keeps no transaction waiting.
    ///
    /// - Throws: The error of a read.
    func look<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome>

    /// Like ``look(_:)``, for reads of any number of rows: away from the threads of Swift's tasks.
    func survey<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> RelayDecision<Transaction.Outcome>

    /// Runs a transaction, alone or with those of other callers. On return its writes are durable, and
    /// the drains know of the mails that it has queued.
    ///
    /// - Throws: An error of the store. Nothing is written then.
    func run<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws -> Transaction.Outcome

    /// Seals a mail for its part of the queue, under a new identifier. Not inside of a transaction.
    func seal(_ mail: QueuedMail, as kind: OperationKind) throws -> SealedOperation

    /// Whether a stored mail can be opened now.
    ///
    /// - Throws: `KeyStoreError` while the keys cannot be read; the store's own errors.
    func opens(_ mail: OperationID) async throws -> Bool

    /// A new identifier that no caller can foresee.
    func newIdentifier(at now: WallTime) -> OperationID
}

extension TransactedStore {
    public func startVerification(
        _ new: NewVerification,
        rules: VerificationRules
    ) async throws -> CodeDecision {
        var transaction = StartVerification(new, rules: rules)
        var outcome = try await look(transaction).outcome
        while true {
            switch outcome {
            case .decided(let decision): return decision
            case .unsealed(let digits, let address):
                let letter = new.letter(digits, address)
                transaction.letter = StartVerification.Letter(
                    code: digits.flatMap { digits in letter.code.map { ($0, digits) } },
                    longCode: letter.longCode,
                    address: address,
                    mail: try seal(letter.mail, as: .verificationMail)
                )
                outcome = try await run(transaction)
            }
        }
    }

    public func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> SignInDecision {
        // A made-up handle or long code costs one look-up, and keeps nobody from the one transaction at
        // a time.
        guard try await look(FindCode(for: confirmation)).outcome else { return .refused }
        var transaction = ConfirmCode(
            confirmation,
            device: DeviceID(bits: newIdentifier(at: confirmation.now)),
            newAccount: AccountID(bits: newIdentifier(at: confirmation.now)),
            rules: rules
        )
        var outcome = try await run(transaction)
        while true {
            switch outcome {
            case .refused: return .refused
            case .granted: return .granted
            case .wait(let wait): return .wait(wait)
            case .unannounced(let device):
                transaction.announcement = try seal(
                    confirmation.announcement(device),
                    as: .deviceMail
                )
                outcome = try await run(transaction)
            }
        }
    }

    public func revoke(
        _ device: DeviceID,
        of account: AccountID,
        at now: WallTime
    ) async throws -> Int64? {
        try await run(RevokeDevice(device, of: account, at: now))
    }

    public func note(_ use: DeviceUse) async throws {
        try await run(MakeWrite(.use(use)))
    }

    public func erase(
        _ erasure: AccountErasure,
        rules: VerificationRules
    ) async throws -> Bool {
        try await run(EraseAccount(erasure, rules: rules))
    }

    public func forgetErased() async throws -> Bool { try await run(ForgetAccounts()) }

    public func settings(of account: AccountID) async throws -> SharedSettings? {
        try await look(FindSettings(of: account)).outcome
    }

    public func change(
        _ change: SettingsChange,
        at now: WallTime
    ) async throws -> SettingsDecision {
        try await run(ChangeSettings(change, at: now))
    }

    public func answer(
        to change: ChangeName,
        of account: AccountID,
        isRepeated: Bool
    ) async throws -> SettingsDecision? {
        try await look(FindAnswer(to: change, of: account, isRepeated ? .change : .question))
            .outcome
    }

    public func accept(_ memo: NewMemo, limits: MemoLimits) async throws -> MemoDecision {
        let mail = try seal(memo.mail, as: .memoMail)
        return try await run(AcceptMemo(memo, mail: mail, limits: limits))
    }

    public func record(_ bounce: MailBounce) async throws -> MailBounceResult {
        try await run(RecordBounce(bounce))
    }

    public func ageDeadLetters(
        _ age: RunningAge,
        after span: Milliseconds
    ) async throws -> DeadLetterSweep {
        try await run(AgeDeadLetters(age, after: span))
    }

    public func forgetDevices(_ age: RunningAge) async throws {
        while try await !run(ForgetDevices(age)) {}
    }

    public func retryQuarantined(
        after last: EntryID?,
        at now: WallTime
    ) async throws -> QuarantineSweep {
        let found = try await survey(RetryQuarantined(after: last, at: now)).outcome
        var opened: Set<OperationID> = []
        for mail in found where try await opens(mail.id) { opened.insert(mail.id) }
        if !opened.isEmpty {
            _ = try await run(RetryQuarantined(after: last, opened: opened, at: now))
        }
        return QuarantineSweep(
            retried: opened.count,
            last: found.count == RetryQuarantined.limit ? found.last?.entry : nil
        )
    }

    public func forgetCounts() async throws {
        try await run(MakeWrite(.dropCounts(beyond: RateSteps.kept)))
    }

    public func discardDeadLetters(toFit room: DeadLetterRoom) async throws -> Int {
        var discarded = 0
        while true {
            var count = 0
            for loss in try await survey(FindCrowding(in: room)).outcome {
                var rest: DeadLetterRoom.Loss? = loss
                while let loss = rest {
                    let outcome = try await run(MakeRoom(loss))
                    count += outcome.discarded
                    rest = outcome.rest
                }
            }
            discarded += count
            guard count > 0 else { return discarded }
        }
    }

    public func takeTurn(
        of pace: PaceName,
        pause: Milliseconds,
        at now: WallTime
    ) async throws -> Milliseconds {
        try await run(KeepPace(pace, .turn(pause: pause), at: now))
    }

    public func rest(
        _ pace: PaceName,
        for time: Milliseconds,
        at now: WallTime
    ) async throws {
        _ = try await run(KeepPace(pace, .rest(time), at: now))
    }

    public func ownMailbox(of addressKey: [UInt8]) async throws -> OwnMailbox? {
        try await look(FindMailbox(of: addressKey)).outcome
    }

    public func noteMovement(at now: WallTime) async throws {
        try await run(MakeWrite(.movement(at: now)))
    }

    public func tryWriting(at now: WallTime) async throws {
        try await run(MakeWrite(.trial(at: now)))
    }
}
