package import OutboxCore

/// Holds some of the chosen mails that the relay has yet to hand over, lets go of them, or makes them due.
/// The outcome is the mails that it changes.
///
/// | mail | hold | release | attempt |
/// |---|---|---|---|
/// | due or waiting | is held | | is due at once |
/// | held | | is due at once | |
/// | its bookkeeping cannot be read | | | |
///
/// An empty field: the mail stays as it is, and is not in the outcome.
package struct ChangeQueue: RelayTransaction {
    package enum Change: Hashable, Sendable {
        case hold(at: WallTime)
        case release
        case attempt
    }

    private let filter: MailFilter
    private let last: EntryID?
    private let change: Change

    /// - Parameters:
    ///   - filter: The conditions.
    ///   - last: The mail behind which the transaction begins; `nil` for the first one.
    ///   - change: What becomes of a mail.
    package init(_ filter: MailFilter, after last: EntryID?, _ change: Change) {
        self.filter = filter
        self.last = last
        self.change = change
    }

    package func find(in tables: some RelayReads) throws -> [StoredMail<WaitingMail>] {
        try tables.waitingMails(after: last, limit: ChosenMails<WaitingMail>.limit)
    }

    package func decide(
        _ found: [StoredMail<WaitingMail>]
    ) -> RelayDecision<ChosenMails<WaitingMail>> {
        let chosen = ChosenMails(among: found) { filter.chooses($0) && isChangeable($0) }
        return RelayDecision(chosen, writes: chosen.mails.map(write))
    }

    private func isChangeable(_ mail: WaitingMail) -> Bool {
        mail.isReadable && (mail.heldSince != nil) == (change == .release)
    }

    private func write(of found: StoredMail<WaitingMail>) -> RelayWrite {
        switch change {
        case .hold(let now): .hold(found.entry, at: now)
        case .release, .attempt: .requeue(found.entry)
        }
    }
}
