package import OutboxCore

/// Queues quarantined mails again that can be opened by now, and tells their memos' senders that the relay
/// goes on trying. The outcome is the quarantined mails behind an entry of the queue.
///
/// The drains let a mail wait whose key is missing; a database may hold some that another build has
/// quarantined for that, with their memos refused. Only a missing key can come back, with the right key file
/// for instance: damaged bytes stay damaged.
package struct RetryQuarantined: RelayTransaction {
    /// The number of mails that one transaction looks at.
    package static let limit = 128

    private let last: EntryID?
    private let opened: Set<OperationID>
    private let now: WallTime

    /// - Parameters:
    ///   - last: The mail behind which the transaction begins; `nil` for the first one.
    ///   - opened: The mails that were opened. The transaction cannot open them.
    ///   - now: The time of the change.
    package init(after last: EntryID?, opened: Set<OperationID> = [], at now: WallTime) {
        self.last = last
        self.opened = opened
        self.now = now
    }

    package func find(in tables: some RelayReads) throws -> [QuarantinedMail] {
        try tables.mailsWithoutKey(after: last, limit: Self.limit)
    }

    package func decide(_ found: [QuarantinedMail]) -> RelayDecision<[QuarantinedMail]> {
        let chosen = found.filter { opened.contains($0.id) }
        return RelayDecision(
            found,
            writes: chosen.flatMap { mail -> [RelayWrite] in
                [.requeue(mail.entry), .acceptAgain(mail: mail.id, at: now)]
            }
        )
    }
}

/// A mail that is quarantined because its key was missing.
package struct QuarantinedMail: Hashable, Sendable {
    package let entry: EntryID
    package let id: OperationID

    package init(entry: EntryID, id: OperationID) {
        self.entry = entry
        self.id = id
    }
}
