import OutboxCore
import RelayAPI
import RelayRules
import SQLite

extension Connection {
    /// Records a memo's fate as its latest change. Does nothing for a mail that is no memo's.
    func record(_ fate: MemoFate, of mail: OperationID, at now: WallTime) throws {
        try countChange(ofMail: mail.bytes)
        try run(
            """
            UPDATE memo SET status = ?, reason = ?, changed_at = ?,
                change = \(RelaySchema.lastChange)
            WHERE operation = ?
            """,
            .text(fate.status.rawValue),
            fate.reason.map { .text($0.description) } ?? .null,
            .integer(now.millisecondsSinceEpoch),
            .blob(mail.bytes)
        )
    }

    /// Counts a change of the account whose memo has a mail. Does nothing for a mail that is no memo's.
    func countChange(ofMail mail: [UInt8]) throws {
        try run(
            """
            UPDATE account_change SET last = last + 1
            WHERE account = (SELECT account FROM memo WHERE operation = ?)
            """,
            .blob(mail)
        )
    }

    /// Counts a change of an account.
    func countChange(of account: AccountID) throws {
        try run(
            """
            INSERT INTO account_change(account, last) VALUES(?, 1)
            ON CONFLICT(account) DO UPDATE SET last = last + 1
            """,
            .blob(account.bits.bytes)
        )
    }

    /// Notes that a mail of the queue is a dead letter now, in place of any earlier note of its entry. It
    /// is not held any more.
    func noteDeath(of mail: EntryID) throws {
        try dropHold(of: mail)
        try run(
            """
            INSERT OR REPLACE INTO dead_letter(entry, mailbox, bytes)
            SELECT entry, coalesce(memo.mailbox, memo.account), length(record) FROM outbox_operation
            LEFT JOIN memo ON memo.operation = outbox_operation.id
            WHERE entry = ?
            """,
            .integer(mail.rawValue)
        )
    }

    /// Notes that the operator holds a mail of the queue. The first note stays.
    func noteHold(of mail: EntryID, at now: WallTime) throws {
        try run(
            "INSERT OR IGNORE INTO held_mail(entry, held_at) VALUES(?, ?)",
            .integer(mail.rawValue),
            .integer(now.millisecondsSinceEpoch)
        )
    }

    func isHeld(_ mail: EntryID) throws -> Bool {
        try first(
            "SELECT 1 FROM held_mail WHERE entry = ?",
            .integer(mail.rawValue)
        ) { _ in true } ?? false
    }

    /// Does nothing for a mail that is not held.
    func dropHold(of mail: EntryID) throws {
        try run("DELETE FROM held_mail WHERE entry = ?", .integer(mail.rawValue))
    }
}
