import Outbox
public import OutboxCore
import OutboxSQLite
import SQLite

extension SQLiteRelayStore {
    public func startVerification(
        _ new: NewVerification,
        rules: VerificationRules
    ) async throws -> Milliseconds? {
        let operation = try outbox.seal(kind: .verificationMail, payload: new.mail.encoded())
        let wait = try await write { database -> Milliseconds? in
            try Self.forget(before: new.now, rules: rules, in: database)
            let sent = try Self.codesSent(to: new.address, now: new.now, in: database)
            let waits = [
                sent.map { Self.remainingCooldown(after: $0, now: new.now, rules: rules) } ?? nil,
                try Self.wait(new.address, limit: rules.perAddress, new.now, rules, in: database),
                try Self.wait(new.source, limit: rules.perSource, new.now, rules, in: database),
            ].compactMap { $0 }
            if let longest = waits.max() { return longest }
            let now = new.now.millisecondsSinceEpoch
            for subject in [new.address, new.source] {
                try database.run(
                    "INSERT INTO code_request(subject, at) VALUES(?, ?)",
                    .blob(subject),
                    .integer(now)
                )
            }
            try database.run(
                """
                INSERT OR REPLACE INTO verification(address, code, expires_at, tries, sent, sent_at)
                VALUES(?, ?, ?, 0, ?, ?)
                """,
                .blob(new.address),
                .blob(new.code),
                .integer(new.now.advanced(by: rules.codeLifetime).millisecondsSinceEpoch),
                .integer((sent?.count ?? 0) + 1),
                .integer(now)
            )
            try storage.insert(operation, in: database)
            return nil
        }
        if wait == nil { outbox.inserted(operation) }
        return wait
    }

    public func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> Bool {
        try await write { database in
            guard try Self.use(confirmation, rules: rules, in: database) else { return false }
            let account = try self.account(of: confirmation, in: database)
            try self.addDevice(of: confirmation, to: account, in: database)
            return true
        }
    }

    /// Counts a try. A right code is used up.
    ///
    /// - Returns: Whether the code is right.
    private static func use(
        _ confirmation: Confirmation,
        rules: VerificationRules,
        in database: Connection
    ) throws -> Bool {
        let address = Value.blob(confirmation.limitKey)
        let now = confirmation.now.millisecondsSinceEpoch
        let stored = try database.first(
            "SELECT code, expires_at, tries, sent_at FROM verification WHERE address = ?",
            address
        ) {
            (
                code: $0.optionalBlob(0), expires: $0.integer(1), tries: $0.integer(2),
                sent: $0.integer(3)
            )
        }
        guard let stored, let code = stored.code, now < stored.expires, now >= stored.sent - 60_000,
            stored.tries < rules.tries
        else { return false }
        guard areEqualInConstantTime(code, confirmation.code) else {
            try database.run(
                "UPDATE verification SET tries = tries + 1 WHERE address = ?",
                address
            )
            return false
        }
        try database.run(
            "UPDATE verification SET code = NULL, sent = 0 WHERE address = ?",
            address
        )
        return true
    }

    // MARK: Limits

    private static func forget(
        before now: WallTime,
        rules: VerificationRules,
        in database: Connection
    ) throws {
        let time = now.millisecondsSinceEpoch
        try database.run(
            "DELETE FROM code_request WHERE at <= ? OR at > ?",
            .integer(time - rules.window.count),
            .integer(time + rules.window.count)
        )
        try database.run(
            "DELETE FROM verification WHERE sent_at <= ? AND expires_at <= ?",
            .integer(time - rules.forgetAfter.count),
            .integer(time)
        )
    }

    private static func codesSent(
        to address: [UInt8],
        now: WallTime,
        in database: Connection
    ) throws -> (count: Int64, last: Int64)? {
        try database.first(
            "SELECT sent, sent_at FROM verification WHERE address = ?",
            .blob(address)
        ) { (count: $0.integer(0), last: $0.integer(1)) }
    }

    /// The rest of the wait after the last code; never longer than the whole wait, even if the
    /// clock was set back since.
    private static func remainingCooldown(
        after sent: (count: Int64, last: Int64),
        now: WallTime,
        rules: VerificationRules
    ) -> Milliseconds? {
        let cooldown = rules.cooldown(afterSending: sent.count)
        let wait = min(sent.last + cooldown.count - now.millisecondsSinceEpoch, cooldown.count)
        return wait > 0 ? Milliseconds(wait) : nil
    }

    private static func wait(
        _ subject: [UInt8],
        limit: Int,
        _ now: WallTime,
        _ rules: VerificationRules,
        in database: Connection
    ) throws -> Milliseconds? {
        let (count, oldest) =
            try database.first(
                "SELECT count(*), min(at) FROM code_request WHERE subject = ?",
                .blob(subject)
            ) { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
        guard count >= limit else { return nil }
        let wait = oldest + rules.window.count - now.millisecondsSinceEpoch
        return Milliseconds(min(max(wait, 1), rules.window.count))
    }
}
