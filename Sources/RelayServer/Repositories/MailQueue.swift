package import Outbox
package import OutboxCore
package import RelayRules

/// The storage of a relay's mail queue, as the drains of its parts use it.
///
/// - An outcome of a mail's attempt and the ``MemoFate`` that it decides are one transaction.
/// - A mail's quarantine and the refusal of its memo, with the same reason, are one transaction: no
///   handler gets such a mail again. A memo that is not accepted any more keeps its fate.
package protocol MailQueue: OutboxStorage {
    /// The due mails of a part of the queue, as ``FairChoice`` chooses them, at the pace of ``SearchPace``.
    /// Those of `operations` come without their envelopes and records, which are not read.
    func eligible(
        in part: MailPart,
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>
    ) throws -> EligibleRecords

    /// Claims the drain of a part: each part has one of its own.
    func claimDrain(of part: MailPart) throws -> (any DrainClaim)?
}

/// A part of the mail queue, with a drain of its own, of which each account has a share.
///
/// - Sign-in codes and memos are two parts: whatever memos wait for, a code leaves at once. Mails
///   about new devices are among the codes.
/// - ``FairChoice`` says which mails of a part are handed over next.
///
/// The identifier of a mail says to which part the mail belongs: see ``MailPart``. Two drains
/// therefore never hand over one mail, and a mail that an earlier build queued belongs to one part as
/// well.
package struct MailShares<Queue: MailQueue>: WrappingStorage {
    package let base: Queue
    package let part: MailPart

    package init(base: Queue, part: MailPart) {
        self.base = base
        self.part = part
    }

    package func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        try eligible(at: now, limit: limit, withoutRecordsOf: [])
    }

    package func eligible(
        at now: WallTime,
        limit: Int,
        withoutRecordsOf operations: Set<OperationID>
    ) throws -> EligibleRecords {
        try base.eligible(in: part, at: now, limit: limit, withoutRecordsOf: operations)
    }

    package func claimDrain() throws -> (any DrainClaim)? { try base.claimDrain(of: part) }
}

extension FairChoice.Mail {
    /// The mail's entry without envelope and record, if the mail is one of `operations`; `nil` for another
    /// mail.
    package func withoutRecord(ifAmong operations: Set<OperationID>) -> StoredEntry? {
        guard let id = OperationID(bytes: position.id), operations.contains(id) else { return nil }
        return StoredEntry(
            id: entry,
            operationID: id,
            state: .queued,
            envelope: [],
            record: [],
            quarantineReason: nil
        )
    }
}
