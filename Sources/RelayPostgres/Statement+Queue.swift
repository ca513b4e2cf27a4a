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

    /// Records outcomes of attempts that change the queue alike, at least one; each unless its entry is gone
    /// or holds another operation. Answers with the entries whose outcomes are recorded.
    static func settling(_ settlements: [Settlement], as change: QueueChange) -> Statement {
        let entries = Value.list(settlements.map { .entry($0.entry) })
        let ids = Value.list(settlements.map { .id($0.id) })
        switch change {
        case .removal:
            return Statement(
                """
                DELETE FROM outbox_operation USING unnest($1, $2) AS settled(entry, id)
                WHERE outbox_operation.entry = settled.entry AND outbox_operation.id = settled.id
                RETURNING outbox_operation.entry
                """,
                [entries, ids]
            )
        case .envelope(let state):
            let envelopes = settlements.compactMap(\.transition.envelope)
            return Statement(
                """
                UPDATE outbox_operation SET state = $6, due = settled.due, wait = settled.wait,
                    envelope = settled.envelope
                FROM unnest($1, $2, $3, $4, $5) AS settled(entry, id, due, wait, envelope)
                WHERE outbox_operation.entry = settled.entry AND outbox_operation.id = settled.id
                RETURNING outbox_operation.entry
                """,
                [
                    entries, ids,
                    .list(envelopes.map { .time($0.nextEligibleAt) }),
                    .list(envelopes.map { .integer(Int64($0.waitCause.rawValue)) }),
                    .list(envelopes.map { .bytes($0.encoded()) }),
                    .integer(Int64(state.rawValue)),
                ]
            )
        }
    }

    /// Records memos' fates, at least one, each of another mail, as the latest changes of their accounts, in their
    /// order. Does nothing for a mail that is no memo's.
    static func record(
        _ fates: [(fate: MemoFate, mail: OperationID)],
        at now: WallTime
    ) -> [Statement] {
        let mails = Value.list(fates.map { .id($0.mail) })
        return [
            Statement(
                """
                UPDATE account_change SET last = last + decided.memos FROM (
                    SELECT memo.account, count(*) AS memos FROM unnest($1) AS mails(id)
                    JOIN memo ON memo.operation = mails.id GROUP BY memo.account
                ) AS decided
                WHERE account_change.account = decided.account
                """,
                [mails]
            ),
            Statement(
                """
                UPDATE memo SET status = decided.status, reason = nullif(decided.reason, ''), changed_at = $5,
                    change = account_change.last - decided.behind
                FROM (
                    SELECT memo.operation, memo.account, mails.status, mails.reason,
                        row_number() OVER (PARTITION BY memo.account ORDER BY mails.place DESC) - 1 AS behind
                    FROM unnest($1, $2, $3, $4) AS mails(id, status, reason, place)
                    JOIN memo ON memo.operation = mails.id
                ) AS decided JOIN account_change ON account_change.account = decided.account
                WHERE memo.operation = decided.operation
                """,
                [
                    mails, .list(fates.map { .text($0.fate.status.rawValue) }),
                    .list(fates.map { .text($0.fate.reason?.description ?? "") }),
                    .list(fates.indices.map { .count($0) }), .time(now),
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

    /// Notes that mails of the queue are dead letters now, in place of any earlier notes of their entries. They
    /// are not held any more.
    static func noteDeath(of mails: [EntryID]) -> [Statement] {
        [
            dropHold(of: mails),
            Statement(
                """
                INSERT INTO dead_letter(entry, seen, mailbox, bytes)
                SELECT outbox_operation.entry, CAST(NULL AS bigint), memo.mailbox, length(record)
                FROM unnest($1) AS dead(entry)
                JOIN outbox_operation ON outbox_operation.entry = dead.entry
                LEFT JOIN memo ON memo.operation = outbox_operation.id
                WHERE state <> 0
                ON CONFLICT (entry) DO UPDATE
                SET seen = NULL, mailbox = excluded.mailbox, bytes = excluded.bytes
                """,
                [.entries(mails)]
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

    /// Parks those of some mails again that were held during their attempts.
    static func keepHold(of mails: [EntryID]) -> Statement {
        Statement(
            """
            UPDATE outbox_operation SET state = 1
            FROM held_mail JOIN unnest($1) AS tried(entry) ON tried.entry = held_mail.entry
            WHERE outbox_operation.entry = held_mail.entry AND state = 0
            """,
            [.entries(mails)]
        )
    }

    /// Does nothing for a mail that is not held.
    static func dropHold(of mails: [EntryID]) -> Statement {
        Statement(
            """
            DELETE FROM held_mail USING unnest($1) AS released(entry)
            WHERE held_mail.entry = released.entry
            """,
            [.entries(mails)]
        )
    }

    /// Forgets that a mail is dead, or held.
    static func dropNotes(of mail: EntryID) -> [Statement] {
        [
            Statement("DELETE FROM dead_letter WHERE entry = $1", [.entry(mail)]),
            dropHold(of: [mail]),
        ]
    }
}

extension Statement.Value {
    fileprivate static func entries(_ entries: [EntryID]) -> Self {
        .list(entries.map { .entry($0) })
    }
}

/// How the outcome of an attempt changes the row of its mail.
enum QueueChange: Hashable {
    case removal
    /// The row has a new envelope, and this state.
    case envelope(OperationState)

    init(_ transition: DeliveryMachine.Transition) {
        self =
            switch transition {
            case .remove: .removal
            case .reschedule: .envelope(.queued)
            case .park: .envelope(.parked)
            }
    }
}

extension DeliveryMachine.Transition {
    fileprivate var envelope: Envelope? {
        switch self {
        case .remove: nil
        case .reschedule(let envelope), .park(let envelope): envelope
        }
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
