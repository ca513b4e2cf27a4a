import Outbox
import OutboxCore
import PostgreSQL
import RelayAPI
import RelayRules

/// Changes of the queue, and of the memos of its mails.
extension Statement {
    /// Adds mails to the queue, at least one. An identifier that is taken is refused.
    static func insertion(of mails: [QueuedRow]) -> Statement {
        Statement(
            """
            INSERT INTO outbox_operation(id, state, due, wait, envelope, record, shard)
            SELECT id, 0, due, wait, envelope, record, shard
            FROM unnest($1, $2, $3, $4, $5, $6)
                AS new(id, due, wait, envelope, record, shard)
            """,
            [
                .list(mails.map { .id($0.mail.envelope.id) }),
                .list(mails.map { .time($0.mail.envelope.nextEligibleAt) }),
                .list(mails.map { .integer(Int64($0.mail.envelope.waitCause.rawValue)) }),
                .list(mails.map { .bytes($0.mail.envelope.encoded()) }),
                .list(mails.map { .bytes($0.mail.record) }),
                .list(mails.map { .count($0.shard) }),
            ]
        )
    }

    /// Queues an entry in any state under a new envelope.
    static func requeueing(of entry: EntryID, as envelope: Envelope) -> Statement {
        Statement(
            """
            UPDATE outbox_operation
            SET state = 0, due = $2, wait = $3, quarantine = NULL, envelope = $4 WHERE entry = $1
            """,
            [
                .entry(entry), .time(envelope.nextEligibleAt),
                .integer(Int64(envelope.waitCause.rawValue)), .bytes(envelope.encoded()),
            ]
        )
    }

    /// The stored envelope of an entry.
    static func envelope(of entry: EntryID) -> Statement {
        Statement("SELECT envelope FROM outbox_operation WHERE entry = $1", [.entry(entry)])
    }

    /// Records the outcome of an attempt, unless the entry is gone or holds another operation.
    static func settling(_ settlement: Settlement) -> Statement {
        let (entry, id) = (Value.entry(settlement.entry), Value.id(settlement.id))
        switch settlement.transition {
        case .remove:
            return Statement(
                "DELETE FROM outbox_operation WHERE entry = $1 AND id = $2",
                [entry, id]
            )
        case .reschedule(let envelope): return update(entry, id, envelope, .queued)
        case .park(let envelope): return update(entry, id, envelope, .parked)
        }
    }

    private static func update(
        _ entry: Value,
        _ id: Value,
        _ envelope: Envelope,
        _ state: OperationState
    ) -> Statement {
        Statement(
            """
            UPDATE outbox_operation SET state = $3, due = $4, wait = $5, envelope = $6
            WHERE entry = $1 AND id = $2
            """,
            [
                entry, id, .integer(Int64(state.rawValue)), .time(envelope.nextEligibleAt),
                .integer(Int64(envelope.waitCause.rawValue)), .bytes(envelope.encoded()),
            ]
        )
    }

    /// Records a memo's fate as its latest change. Does nothing for a mail that is no memo's.
    static func record(
        _ fate: MemoFate,
        of mail: OperationID,
        at now: WallTime
    ) -> [Statement] {
        [
            countChange(ofMail: mail),
            Statement(
                """
                UPDATE memo SET status = $2, reason = $3, changed_at = $4,
                    change = (SELECT last FROM account_change WHERE account = memo.account)
                WHERE operation = $1
                """,
                [
                    .id(mail), .text(fate.status.rawValue),
                    fate.reason.map { .text($0.description) } ?? .null, .time(now),
                ]
            ),
        ]
    }

    /// Refuses the memo of an entry that is quarantined, with the quarantine's reason: no handler gets the
    /// mail again. A memo that is not accepted any more keeps its fate.
    static func refuseQuarantined(_ entry: EntryID, at now: WallTime) -> [Statement] {
        [
            Statement(
                """
                UPDATE account_change SET last = last + 1 WHERE account = (
                    SELECT memo.account FROM memo
                    JOIN outbox_operation ON outbox_operation.id = memo.operation
                    WHERE outbox_operation.entry = $1 AND state = 2 AND status = 'accepted')
                """,
                [.entry(entry)]
            ),
            Statement(
                """
                UPDATE memo SET status = 'refused', changed_at = $2, reason = mail.quarantine,
                    change = (SELECT last FROM account_change WHERE account = memo.account)
                FROM outbox_operation AS mail
                WHERE mail.id = memo.operation AND mail.entry = $1 AND mail.state = 2
                    AND status = 'accepted'
                """,
                [.entry(entry), .time(now)]
            ),
        ]
    }

    /// Counts a change of the account whose memo has a mail. Does nothing for a mail that is no memo's.
    static func countChange(ofMail mail: OperationID) -> Statement {
        Statement(
            """
            UPDATE account_change SET last = last + 1
            WHERE account = (SELECT account FROM memo WHERE operation = $1)
            """,
            [.id(mail)]
        )
    }

    /// Counts a change of an account.
    static func countChange(of account: AccountID) -> Statement {
        Statement(
            """
            INSERT INTO account_change(account, last) VALUES ($1, 1)
            ON CONFLICT (account) DO UPDATE SET last = account_change.last + 1
            """,
            [.id(account)]
        )
    }

    // MARK: Notes

    /// Notes that a mail of the queue is a dead letter now, in place of any earlier note of its entry. It
    /// is not held any more.
    static func noteDeath(of mail: EntryID) -> [Statement] {
        [
            dropHold(of: mail),
            Statement(
                """
                INSERT INTO dead_letter(entry, seen, mailbox, bytes)
                SELECT entry, CAST(NULL AS bigint), memo.mailbox, length(record)
                FROM outbox_operation LEFT JOIN memo ON memo.operation = outbox_operation.id
                WHERE entry = $1 AND state <> 0
                ON CONFLICT (entry) DO UPDATE
                SET seen = NULL, mailbox = excluded.mailbox, bytes = excluded.bytes
                """,
                [.entry(mail)]
            ),
        ]
    }

    /// Parks a queued mail, and notes that it is held. Does nothing for a mail that is not queued.
    static func hold(_ mail: EntryID, at now: WallTime) -> [Statement] {
        [
            Statement(
                """
                INSERT INTO held_mail(entry, held_at)
                SELECT entry, $2 FROM outbox_operation WHERE entry = $1 AND state = 0
                ON CONFLICT (entry) DO NOTHING
                """,
                [.entry(mail), .time(now)]
            ),
            Statement(
                "UPDATE outbox_operation SET state = 1 WHERE entry = $1 AND state = 0",
                [.entry(mail)]
            ),
        ]
    }

    /// Parks a mail again that was held during its attempt.
    static func keepHold(of mail: EntryID) -> Statement {
        Statement(
            """
            UPDATE outbox_operation SET state = 1 WHERE entry = $1 AND state = 0
                AND EXISTS (SELECT 1 FROM held_mail WHERE held_mail.entry = $1)
            """,
            [.entry(mail)]
        )
    }

    /// Does nothing for a mail that is not held.
    static func dropHold(of mail: EntryID) -> Statement {
        Statement("DELETE FROM held_mail WHERE entry = $1", [.entry(mail)])
    }

    /// Forgets that a mail is dead, or held.
    static func dropNotes(of mail: EntryID) -> [Statement] {
        [
            Statement("DELETE FROM dead_letter WHERE entry = $1", [.entry(mail)]),
            dropHold(of: mail),
        ]
    }
}

/// A mail that is to be queued.
struct QueuedRow {
    let mail: SealedOperation
    /// The account whose memo the mail is; `nil` for another mail.
    let account: AccountID?

    /// The shard of the queue that the mail is in.
    var shard: Int {
        let part: MailPart = MailPart.codes.contains(mail.envelope.id) ? .codes : .memos
        return account.map(MailShard.shard) ?? part.shards.lowerBound
    }
}
