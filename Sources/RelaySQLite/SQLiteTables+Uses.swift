import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func use(_ counter: MemoQuota.Counter) throws -> MemoUse {
        let use =
            switch counter {
            case .accepted(let mailbox, let window): try accepted(of: mailbox, in: window)
            case .waiting(let mailbox): try waiting(of: mailbox)
            case .stepped(let key, let steps): try stepped(key, in: steps.window)
            }
        return use ?? MemoUse(memos: 0)
    }

    private func accepted(of mailbox: MailboxID, in window: RateWindow) throws -> MemoUse? {
        try database.first(
            """
            SELECT count(*), coalesce(sum(size), 0), min(accepted_at) FROM memo
            WHERE mailbox = ? AND accepted_at > ? AND accepted_at < ?
            """,
            .blob(mailbox.bits.bytes),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: MemoUse.init(row:)
        )
    }

    /// The status is part of the statement, because only then SQLite uses the index of these memos.
    private func waiting(of mailbox: MailboxID) throws -> MemoUse? {
        try database.first(
            """
            SELECT count(*), coalesce(sum(size), 0), NULL FROM memo
            WHERE mailbox = ? AND status = 'accepted'
            """,
            .blob(mailbox.bits.bytes),
            row: MemoUse.init(row:)
        )
    }

    private func stepped(_ key: [UInt8], in window: RateWindow) throws -> MemoUse? {
        try database.first(
            """
            SELECT coalesce(sum(memos), 0), 0, min(begins) FROM memo_use
            WHERE subject = ? AND begins > ? AND begins < ?
            """,
            .blob(key),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: MemoUse.init(row:)
        )
    }

    func count(_ key: [UInt8], in steps: RateSteps) throws {
        try database.run(
            """
            INSERT INTO memo_use(subject, place, begins, memos) VALUES(?, ?, ?, 1)
            ON CONFLICT(subject, place) DO UPDATE SET begins = excluded.begins,
                memos = CASE WHEN begins = excluded.begins THEN memos + 1 ELSE 1 END
            """,
            .blob(key),
            .integer(steps.row),
            .integer(steps.current.millisecondsSinceEpoch)
        )
    }

    /// By number, not by age: a clock that is years ahead refills no limit.
    func dropCounts(beyond kept: Int) throws {
        try database.run(
            """
            DELETE FROM memo_use WHERE begins < (
                SELECT begins FROM memo_use ORDER BY begins DESC LIMIT 1 OFFSET ?)
            """,
            .integer(Int64(kept))
        )
    }
}

extension MemoUse {
    /// A row with a number of memos, their bytes, and the time of the earliest, null for none.
    fileprivate init(row: borrowing Row) {
        self.init(
            memos: Int(row.integer(0)),
            bytes: Int(row.integer(1)),
            oldest: row.isNull(2) ? nil : WallTime(millisecondsSinceEpoch: row.integer(2))
        )
    }
}
