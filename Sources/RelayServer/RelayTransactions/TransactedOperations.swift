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
        _ filter: DeadLetterFilter,
        at now: WallTime
    ) async throws(OperatorError) -> [DeadLetter] {
        try await change(filter, .retry(at: now))
    }

    public func discard(
        _ filter: DeadLetterFilter
    ) async throws(OperatorError) -> [DeadLetter] {
        try await change(filter, .discard)
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

    /// A letter is chosen and changed in one transaction: a relay that changes it meanwhile comes
    /// before or after.
    private func change(
        _ filter: DeadLetterFilter,
        _ change: ChangeDeadLetters.Change
    ) async throws(OperatorError) -> [DeadLetter] {
        var changed: [DeadLetter] = []
        var last: EntryID?
        repeat {
            let page = try await operate(ChangeDeadLetters(filter, after: last, change))
            changed += page.changed
            last = page.last
        } while last != nil
        return changed
    }
}
