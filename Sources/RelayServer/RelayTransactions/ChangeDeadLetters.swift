package import OutboxCore

/// Queues some of the chosen dead letters again, or discards them. The outcome is the letters that it
/// changes.
package struct ChangeDeadLetters: RelayTransaction {
    package enum Change: Hashable, Sendable {
        /// A letter whose bookkeeping cannot be read stays. The memos' senders are told that the relay
        /// goes on trying.
        case retry(at: WallTime)
        /// The records of the memos stay.
        case discard
    }

    private let filter: MailFilter
    private let last: EntryID?
    private let change: Change

    /// - Parameters:
    ///   - filter: The conditions.
    ///   - last: The letter behind which the transaction begins; `nil` for the first one.
    ///   - change: What becomes of a letter.
    package init(_ filter: MailFilter, after last: EntryID?, _ change: Change) {
        self.filter = filter
        self.last = last
        self.change = change
    }

    package func find(in tables: some RelayReads) throws -> [StoredMail<DeadLetter>] {
        try tables.letters(after: last, limit: ChosenMails<DeadLetter>.limit)
    }

    package func decide(
        _ found: [StoredMail<DeadLetter>]
    ) -> RelayDecision<ChosenMails<DeadLetter>> {
        let chosen = ChosenMails(among: found) { filter.chooses($0) && isChangeable($0) }
        return RelayDecision(chosen, writes: chosen.mails.flatMap(writes))
    }

    private func isChangeable(_ letter: DeadLetter) -> Bool {
        switch change {
        case .retry: letter.isRetryable
        case .discard: true
        }
    }

    private func writes(of found: StoredMail<DeadLetter>) -> [RelayWrite] {
        switch change {
        case .retry(let now):
            [.requeue(found.entry), .acceptAgain(mail: found.mail.id, at: now)]
        case .discard: [.discard(found.entry)]
        }
    }
}
