import MemoTexts
import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func code(under handle: [UInt8]) throws -> MailedCode? {
        try database.first(
            """
            SELECT code, expires_at, tries, sent_at, pair, digits, language, share
            FROM mailed_code WHERE handle = ?
            """,
            .blob(handle)
        ) { row in
            let code = SentCode(
                code: row.blob(0),
                digits: Int(row.integer(5)),
                expiresAt: WallTime(millisecondsSinceEpoch: row.integer(1)),
                tries: Int(row.integer(2)),
                sentAt: WallTime(millisecondsSinceEpoch: row.integer(3))
            )
            let language = row.optionalText(6).flatMap { Language(tag: $0.utf8) }
            guard let share = CodeShare(rawValue: Int(row.integer(7))) else { throw CorruptRow() }
            return MailedCode(
                code,
                pair: row.blob(4),
                share: share,
                language: language ?? .english
            )
        }
    }

    func openTries(of tries: Int, at now: WallTime) throws -> [OpenTries] {
        try database.query(
            """
            SELECT share, digits, sum(max(? - tries, 0)) FROM mailed_code
            WHERE expires_at > ? AND sent_at <= ? GROUP BY share, digits
            """,
            .integer(Int64(tries)),
            .integer(now.millisecondsSinceEpoch),
            .integer(CodeLife.latestSending(at: now).millisecondsSinceEpoch)
        ) { row in
            guard let share = CodeShare(rawValue: Int(row.integer(0))) else { throw CorruptRow() }
            return OpenTries(
                share: share,
                digits: Int(row.integer(1)),
                count: Int(row.integer(2))
            )
        }
    }

    func insert(_ mailed: MailedCode, under handle: [UInt8]) throws {
        let code = mailed.code
        try database.run(
            """
            INSERT INTO mailed_code(
                handle, pair, code, digits, expires_at, tries, sent_at, language, share)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(handle),
            .blob(mailed.pair),
            .blob(code.code),
            .integer(Int64(code.digits)),
            .integer(code.expiresAt.millisecondsSinceEpoch),
            .integer(Int64(code.tries)),
            .integer(code.sentAt.millisecondsSinceEpoch),
            .text(mailed.language.tag.description),
            .integer(Int64(mailed.share.rawValue))
        )
    }

    func set(tries: Int, of handle: [UInt8]) throws {
        try database.run(
            "UPDATE mailed_code SET tries = ? WHERE handle = ?",
            .integer(Int64(tries)),
            .blob(handle)
        )
    }

    func dropCode(under handle: [UInt8]) throws {
        try database.run("DELETE FROM mailed_code WHERE handle = ?", .blob(handle))
    }

    /// Drops those that `CodeLife` calls dead.
    func dropDeadCodes(at now: WallTime) throws {
        try database.run(
            "DELETE FROM mailed_code WHERE expires_at <= ? OR sent_at > ?",
            .integer(now.millisecondsSinceEpoch),
            .integer(CodeLife.latestSending(at: now).millisecondsSinceEpoch)
        )
    }

    func failedTries(of share: CodeShare, in window: RateWindow) throws -> Int64 {
        try database.first(
            """
            SELECT coalesce(sum(chance), 0) FROM failed_try
            WHERE share = ? AND step > ? AND step < ?
            """,
            .integer(Int64(share.rawValue)),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        ) { $0.integer(0) } ?? 0
    }

    func countFailedTry(of share: CodeShare, in step: WallTime, chance: Int64) throws {
        try database.run(
            """
            INSERT INTO failed_try(share, step, chance) VALUES(?, ?, ?)
            ON CONFLICT(share, step) DO UPDATE SET chance = chance + excluded.chance
            """,
            .integer(Int64(share.rawValue)),
            .integer(step.millisecondsSinceEpoch),
            .integer(chance)
        )
    }

    func dropFailedTries(outside window: RateWindow) throws {
        try database.run(
            "DELETE FROM failed_try WHERE step <= ? OR step >= ?",
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        )
    }
}
