import MemoTexts
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

extension PostgreSQLTables {
    func code(under handle: [UInt8]) throws -> MailedCode? {
        try first(
            """
            SELECT code, expires_at, tries, sent_at, pair, digits, language, share
            FROM mailed_code WHERE handle = $1
            """,
            .bytes(handle)
        ) { row in
            let code = SentCode(
                code: row.bytes(0),
                digits: row.count(5),
                expiresAt: row.time(1),
                tries: row.count(2),
                sentAt: row.time(3)
            )
            return MailedCode(
                code,
                pair: row.bytes(4),
                share: try row.share(7),
                language: row.language(6)
            )
        }
    }

    func openTries(of tries: Int, at now: WallTime) throws -> [OpenTries] {
        try list(
            """
            SELECT share, digits, CAST(sum(greatest($1 - tries, 0)) AS bigint) FROM mailed_code
            WHERE expires_at > $2 AND sent_at <= $3 GROUP BY share, digits
            """,
            .count(tries),
            .time(now),
            .time(CodeLife.latestSending(at: now))
        ) { OpenTries(share: try $0.share(0), digits: $0.count(1), count: $0.count(2)) }
    }

    func failedTries(of share: CodeShare, in window: RateWindow) throws -> Int64 {
        try first(
            """
            SELECT CAST(coalesce(sum(chance), 0) AS bigint) FROM failed_try
            WHERE share = $1 AND step > $2 AND step < $3
            """,
            .count(share.rawValue),
            .time(window.start),
            .time(window.end)
        ) { $0.integer(0) } ?? 0
    }

    func longCode(_ code: [UInt8], of addressKey: [UInt8]) throws -> MailedLongCode? {
        try first(
            """
            SELECT sent_at, expires_at, share, language FROM long_code
            WHERE address = $1 AND code = $2
            """,
            .bytes(addressKey),
            .bytes(code)
        ) { row in
            MailedLongCode(
                code,
                life: CodeLife(from: row.time(0), to: row.time(1)),
                share: try row.share(2),
                language: row.language(3)
            )
        }
    }

    func hasLongCode(of addressKey: [UInt8], at now: WallTime) throws -> Bool {
        try isThere(
            """
            SELECT 1 FROM long_code
            WHERE address = $1 AND expires_at > $2 AND sent_at <= $3 LIMIT 1
            """,
            .bytes(addressKey),
            .time(now),
            .time(CodeLife.latestSending(at: now))
        )
    }

    func requests(for subject: [UInt8], in window: RateWindow) throws -> RateUse {
        try first(
            """
            SELECT count(*), min(at) FROM code_request WHERE subject = $1 AND at > $2 AND at < $3
            """,
            .bytes(subject),
            .time(window.start),
            .time(window.end)
        ) { RateUse(count: $0.count(0), oldest: $0.optionalTime(1)) }
            ?? RateUse(count: 0, oldest: nil)
    }

    func latestRequest(for subject: [UInt8]) throws -> WallTime? {
        try first(
            "SELECT at FROM code_request WHERE subject = $1 ORDER BY at DESC LIMIT 1",
            .bytes(subject)
        ) { $0.time(0) }
    }
}

extension Row {
    fileprivate func share(_ column: Int) throws -> CodeShare {
        guard let share = CodeShare(rawValue: count(column)) else { throw CorruptRow() }
        return share
    }

    fileprivate func language(_ column: Int) -> Language {
        Language(tag: text(column).utf8) ?? .english
    }
}
