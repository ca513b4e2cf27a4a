import MemoTexts
import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func longCode(_ code: [UInt8], of addressKey: [UInt8]) throws -> MailedLongCode? {
        try database.first(
            """
            SELECT sent_at, expires_at, share, language FROM long_code
            WHERE address = ? AND code = ?
            """,
            .blob(addressKey),
            .blob(code)
        ) { row in
            guard let share = CodeShare(rawValue: Int(row.integer(2))) else { throw CorruptRow() }
            return MailedLongCode(
                code,
                life: CodeLife(
                    from: WallTime(millisecondsSinceEpoch: row.integer(0)),
                    to: WallTime(millisecondsSinceEpoch: row.integer(1))
                ),
                share: share,
                language: Language(tag: row.text(3).utf8) ?? .english
            )
        }
    }

    func hasLongCode(of addressKey: [UInt8], at now: WallTime) throws -> Bool {
        try database.first(
            "SELECT 1 FROM long_code WHERE address = ? AND expires_at > ? AND sent_at <= ?",
            .blob(addressKey),
            .integer(now.millisecondsSinceEpoch),
            .integer(CodeLife.latestSending(at: now).millisecondsSinceEpoch)
        ) { _ in true } ?? false
    }

    func insert(_ mailed: MailedLongCode, of addressKey: [UInt8]) throws {
        try database.run(
            """
            INSERT INTO long_code(address, code, sent_at, expires_at, share, language)
            VALUES(?, ?, ?, ?, ?, ?)
            """,
            .blob(addressKey),
            .blob(mailed.code),
            .integer(mailed.life.sentAt.millisecondsSinceEpoch),
            .integer(mailed.life.expiresAt.millisecondsSinceEpoch),
            .integer(Int64(mailed.share.rawValue)),
            .text(mailed.language.tag.description)
        )
    }

    func dropLongCodes(of addressKey: [UInt8]) throws {
        try database.run("DELETE FROM long_code WHERE address = ?", .blob(addressKey))
    }

    /// Drops those that `CodeLife` calls dead.
    func dropDeadLongCodes(at now: WallTime) throws {
        try database.run(
            "DELETE FROM long_code WHERE expires_at <= ? OR sent_at > ?",
            .integer(now.millisecondsSinceEpoch),
            .integer(CodeLife.latestSending(at: now).millisecondsSinceEpoch)
        )
    }
}
