package import OutboxCore
package import RelayRules

/// An ``OperatedStore`` whose changes are ``RelayTransaction``s.
package protocol TransactedOperations: OperatedStore {
    /// Runs a transaction, durable on return.
    func operate<Transaction: RelayTransaction>(
        _ transaction: Transaction
    ) async throws(OperatorError) -> Transaction.Outcome
}

extension TransactedOperations {
    public func retry(
        _ filter: MailFilter,
        at now: WallTime
    ) async throws(OperatorError) -> [DeadLetter] {
        try await change { ChangeDeadLetters(filter, after: $0, .retry(at: now)) }
    }

    public func discard(_ filter: MailFilter) async throws(OperatorError) -> [DeadLetter] {
        try await change { ChangeDeadLetters(filter, after: $0, .discard) }
    }

    public func hold(
        _ filter: MailFilter,
        at now: WallTime
    ) async throws(OperatorError) -> [WaitingMail] {
        try await change { ChangeQueue(filter, after: $0, .hold(at: now)) }
    }

    public func release(_ filter: MailFilter) async throws(OperatorError) -> [WaitingMail] {
        try await change { ChangeQueue(filter, after: $0, .release) }
    }

    public func attemptNow(_ filter: MailFilter) async throws(OperatorError) -> [WaitingMail] {
        try await change { ChangeQueue(filter, after: $0, .attempt) }
    }

    public func keep(
        _ mailbox: OwnMailbox,
        at now: WallTime
    ) async throws(OperatorError) {
        let key = try await relaySecret().key(of: mailbox.address)
        try await operate(MakeWrite(.ownMailbox(mailbox, of: key, at: now)))
    }

    public func removeMailbox(of address: MailAddress) async throws(OperatorError) -> Bool {
        try await operate(DropMailbox(of: try await relaySecret().key(of: address)))
    }

    public func invite(
        _ address: MailAddress,
        at now: WallTime
    ) async throws(OperatorError) -> InvitationDecision {
        let key = try await relaySecret().key(of: address)
        return try await operate(Invite(address, key, at: now))
    }

    public func withdrawInvitation(
        of address: MailAddress
    ) async throws(OperatorError) -> Bool {
        try await operate(WithdrawInvitation(of: try await relaySecret().key(of: address)))
    }

    public func recordBounce(
        _ bounce: MailBounce
    ) async throws(OperatorError) -> MailBounceResult {
        try await operate(RecordBounce(bounce))
    }

    /// A mail is chosen and changed in one transaction: a relay that changes it meanwhile comes before
    /// or after.
    private func change<Mail, Transaction: RelayTransaction>(
        _ transaction: (_ last: EntryID?) -> Transaction
    ) async throws(OperatorError) -> [Mail]
    where Transaction.Outcome == ChosenMails<Mail> {
        var changed: [Mail] = []
        var last: EntryID?
        repeat {
            let page = try await operate(transaction(last))
            changed += page.mails.map(\.mail)
            last = page.last
        } while last != nil
        return changed
    }
}
