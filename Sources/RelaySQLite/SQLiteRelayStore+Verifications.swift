import MemoTexts
import Outbox
import OutboxCore
import OutboxSQLite
public import RelayRules
public import RelayServer
import SQLite

extension SQLiteRelayStore {
    public func startVerification(
        _ new: NewVerification,
        rules: VerificationRules
    ) async throws -> CodeDecision {
        // Sealing needs the database, too: the mail is sealed between a look and the transaction.
        var decision = try read { try Self.decide(new, rules, in: $0) }
        while case .send(let digits) = decision {
            let letter = new.letter(digits)
            let operation = try seal(letter.mail, as: .verificationMail)
            decision = try await write { database in
                try Self.forget(at: new, rules: rules, in: database)
                let decision = try Self.decide(new, rules, in: database)
                // Where a longer code is needed by now, it is made.
                guard case .send(let needed) = decision, needed <= digits else { return decision }
                let code = SentCode(code: letter.code, digits: digits, at: new.now, rules)
                try Self.store(code, of: new, in: database)
                try storage.insert(operation, in: database)
                return .send(digits: digits)
            }
            if case .send(let needed) = decision, needed > digits { continue }
            if case .send = decision { codes.inserted(operation) }
            break
        }
        return decision
    }

    public func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> Bool {
        // A made-up handle keeps nobody from the one transaction at a time.
        let handle = confirmation.handle
        guard try read({ try Self.code(under: handle, in: $0) != nil }) else { return false }
        let device = DeviceID(bits: .random(at: confirmation.now))
        var announcement: SealedOperation?
        while true {
            let step = try await write { [announcement] database in
                try confirm(confirmation, device, announcement, rules, in: database)
            }
            switch step {
            case .refused: return false
            case .granted(let isAnnounced):
                if isAnnounced, let announcement { codes.inserted(announcement) }
                return true
            case .unannounced(let new):
                announcement = try seal(confirmation.announcement(new), as: .deviceMail)
            }
        }
    }

    /// The outcome of a transaction for a ``Confirmation``.
    private enum Step {
        case refused
        case granted(isAnnounced: Bool)
        /// Nothing is changed: the mail about this device is missing. It cannot be sealed inside a
        /// transaction, because sealing needs the database, too.
        case unannounced(NewDevice)
    }

    private func confirm(
        _ confirmation: Confirmation,
        _ device: DeviceID,
        _ announcement: SealedOperation?,
        _ rules: VerificationRules,
        in database: Connection
    ) throws -> Step {
        guard let stored = try Self.code(under: confirmation.handle, in: database) else {
            return .refused
        }
        let outcome = stored.code.tried(confirmation.code, at: confirmation.now, rules)
        if case .wrong = outcome {
            try Self.count(stored.code, at: confirmation.now, in: database)
        }
        switch outcome {
        case .refused: return .refused
        case .wrong(let counted?):
            try database.run(
                "UPDATE mailed_code SET tries = ? WHERE handle = ?",
                .integer(Int64(counted.tries)),
                .blob(confirmation.handle)
            )
            return .refused
        case .wrong(nil):
            try Self.drop(confirmation.handle, in: database)
            return .refused
        case .right:
            let known = try Self.account(with: confirmation.addressKey, in: database)
            let isAnnounced = try known.map {
                try Self.isAnnounced(in: $0, at: confirmation.now, rules, in: database)
            }
            if let known, isAnnounced == true {
                guard let announcement else {
                    return .unannounced(
                        NewDevice(
                            id: device,
                            account: AccountID(bits: known),
                            language: stored.language
                        )
                    )
                }
                try storage.insert(announcement, in: database)
            }
            try Self.drop(confirmation.handle, in: database)
            try database.run("DELETE FROM code_request WHERE subject = ?", .blob(stored.pair))
            let account = try known ?? makeAccount(of: confirmation, in: database)
            try makeRoom(for: confirmation, in: account, rules, in: database)
            try add(device, of: confirmation, from: stored.pair, to: account, in: database)
            return .granted(isAnnounced: isAnnounced == true)
        }
    }

    /// Whether the owner of an account is told of a further device.
    private static func isAnnounced(
        in account: OperationID,
        at now: WallTime,
        _ rules: VerificationRules,
        in database: Connection
    ) throws -> Bool {
        let window = rules.announcementWindow(at: now)
        let counts = try database.first(
            """
            SELECT count(*) FILTER (WHERE revoked_at IS NULL),
                count(*) FILTER (WHERE created_at > ? AND created_at < ?)
            FROM device WHERE account = ?
            """,
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            .blob(account.bytes)
        ) { (living: Int($0.integer(0)), recent: Int($0.integer(1))) }
        guard let counts else { return false }
        return rules.announces(living: counts.living, recent: counts.recent)
    }

    private static func decide(
        _ new: NewVerification,
        _ rules: VerificationRules,
        in database: Connection
    ) throws -> CodeDecision {
        let ledger = VerificationLedger(
            uses: try rules.limits.map { limit in
                try use(of: new.subjects[limit.subject], limit, at: new.now, in: database)
            },
            isKnown: try isKnown(new.subjects[.pair], in: database),
            latest: try latestRequest(of: new.subjects[.pair], in: database),
            budget: try budget(at: new.now, rules, in: database)
        )
        return ledger.request(at: new.now, rules)
    }

    /// Drops the rows that no decision needs.
    private static func forget(
        at new: NewVerification,
        rules: VerificationRules,
        in database: Connection
    ) throws {
        let now = new.now
        let longest = rules.limits.map(\.window).max() ?? rules.window
        let window = RateWindow(longest, at: now)
        try database.run(
            "DELETE FROM code_request WHERE at <= ? OR at >= ?",
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        )
        for (subject, limits) in Dictionary(grouping: rules.limits, by: \.subject) {
            let longest = limits.map(\.window).max() ?? rules.window
            try database.run(
                "DELETE FROM code_request WHERE subject = ? AND at <= ?",
                .blob(new.subjects[subject] ?? []),
                .integer(RateWindow(longest, at: now).start.millisecondsSinceEpoch)
            )
        }
        let counted = GuessBudget.counted(at: now)
        try database.run(
            "DELETE FROM failed_try WHERE step <= ? OR step >= ?",
            .integer(counted.start.millisecondsSinceEpoch),
            .integer(counted.end.millisecondsSinceEpoch)
        )
        // Those that `SentCode.isAlive` calls dead.
        try database.run(
            "DELETE FROM mailed_code WHERE expires_at <= ? OR sent_at > ?",
            .integer(now.millisecondsSinceEpoch),
            .integer(SentCode.latestSending(at: now).millisecondsSinceEpoch)
        )
    }

    private static func code(
        under handle: [UInt8],
        in database: Connection
    ) throws -> (code: SentCode, pair: [UInt8], language: Language)? {
        try database.first(
            """
            SELECT code, expires_at, tries, sent_at, pair, digits, language FROM mailed_code
            WHERE handle = ?
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
            return (code, row.blob(4), language ?? .english)
        }
    }

    private static func store(
        _ code: SentCode,
        of new: NewVerification,
        in database: Connection
    ) throws {
        for subject in new.subjects.values {
            try database.run(
                "INSERT INTO code_request(subject, at) VALUES(?, ?)",
                .blob(subject),
                .integer(new.now.millisecondsSinceEpoch)
            )
        }
        try database.run(
            """
            INSERT INTO mailed_code(
                handle, pair, code, digits, expires_at, tries, sent_at, language)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(new.handle),
            .blob(new.subjects[.pair] ?? []),
            .blob(code.code),
            .integer(Int64(code.digits)),
            .integer(code.expiresAt.millisecondsSinceEpoch),
            .integer(Int64(code.tries)),
            .integer(code.sentAt.millisecondsSinceEpoch),
            .text(new.language.tag.description)
        )
    }

    private static func drop(_ handle: [UInt8], in database: Connection) throws {
        try database.run("DELETE FROM mailed_code WHERE handle = ?", .blob(handle))
    }

    private static func use(
        of subject: [UInt8]?,
        _ limit: CodeLimit,
        at now: WallTime,
        in database: Connection
    ) throws -> RateUse {
        let window = limit.window(at: now)
        return try database.first(
            "SELECT count(*), min(at) FROM code_request WHERE subject = ? AND at > ? AND at < ?",
            .blob(subject ?? []),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: RateUse.init(row:)
        ) ?? RateUse(count: 0, oldest: nil)
    }

    private static func budget(
        at now: WallTime,
        _ rules: VerificationRules,
        in database: Connection
    ) throws -> GuessBudget {
        let counted = GuessBudget.counted(at: now)
        let failed = try database.first(
            "SELECT coalesce(sum(chance), 0) FROM failed_try WHERE step > ? AND step < ?",
            .integer(counted.start.millisecondsSinceEpoch),
            .integer(counted.end.millisecondsSinceEpoch)
        ) { $0.integer(0) }
        var budget = GuessBudget(used: failed ?? 0)
        let living = try database.query(
            """
            SELECT digits, sum(max(? - tries, 0)) FROM mailed_code WHERE expires_at > ?
            GROUP BY digits
            """,
            .integer(Int64(rules.tries)),
            .integer(now.millisecondsSinceEpoch)
        ) { (digits: Int($0.integer(0)), tries: Int($0.integer(1))) }
        for codes in living { budget.add(tries: codes.tries, digits: codes.digits) }
        return budget
    }

    /// Counts a failed try of a code.
    private static func count(
        _ code: SentCode,
        at now: WallTime,
        in database: Connection
    ) throws {
        try database.run(
            """
            INSERT INTO failed_try(step, chance) VALUES(?, ?)
            ON CONFLICT(step) DO UPDATE SET chance = chance + excluded.chance
            """,
            .integer(GuessBudget.step(of: now).millisecondsSinceEpoch),
            .integer(GuessBudget.chance(digits: code.digits))
        )
    }

    private static func isKnown(_ pair: [UInt8]?, in database: Connection) throws -> Bool {
        try database.first(
            "SELECT 1 FROM device WHERE pair = ? AND revoked_at IS NULL LIMIT 1",
            .blob(pair ?? [])
        ) { _ in true } ?? false
    }

    private static func latestRequest(
        of subject: [UInt8]?,
        in database: Connection
    ) throws -> WallTime? {
        try database.first(
            "SELECT at FROM code_request WHERE subject = ? ORDER BY at DESC LIMIT 1",
            .blob(subject ?? [])
        ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
    }
}
