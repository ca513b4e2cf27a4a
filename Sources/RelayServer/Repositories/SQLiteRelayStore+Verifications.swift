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
            let window = rules.requestWindow(at: new.now)
            let ledger = VerificationLedger(
                latest: try Self.sentCode(to: new.address, in: database),
                toAddress: try Self.use(of: new.address, window, in: database),
                fromSource: try Self.use(of: new.source, window, in: database)
            )
            switch ledger.request(new.code, at: new.now, rules) {
            case .wait(let wait): return wait
            case .send(let code):
                for subject in [new.address, new.source] {
                    try database.run(
                        "INSERT INTO code_request(subject, at) VALUES(?, ?)",
                        .blob(subject),
                        .integer(new.now.millisecondsSinceEpoch)
                    )
                }
                try Self.store(code, of: new.address, in: database)
                try storage.insert(operation, in: database)
                return nil
            }
        }
        if wait == nil { outbox.inserted(operation) }
        return wait
    }

    public func confirm(
        _ confirmation: Confirmation,
        rules: VerificationRules
    ) async throws -> Bool {
        try await write { database in
            let address = confirmation.limitKey
            guard let sent = try Self.sentCode(to: address, in: database) else { return false }
            switch sent.tried(confirmation.code, at: confirmation.now, rules) {
            case .refused: return false
            case .wrong(let counted):
                try Self.store(counted, of: address, in: database)
                return false
            case .right(let usedUp):
                try Self.store(usedUp, of: address, in: database)
                let account = try self.account(of: confirmation, in: database)
                try self.addDevice(of: confirmation, to: account, in: database)
                return true
            }
        }
    }

    /// Drops the rows that no decision needs.
    private static func forget(
        before now: WallTime,
        rules: VerificationRules,
        in database: Connection
    ) throws {
        let window = rules.requestWindow(at: now)
        try database.run(
            "DELETE FROM code_request WHERE at <= ? OR at >= ?",
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        )
        let forgotten = now.advanced(by: Milliseconds(-rules.forgetAfter.count))
        try database.run(
            "DELETE FROM verification WHERE sent_at <= ? AND expires_at <= ?",
            .integer(forgotten.millisecondsSinceEpoch),
            .integer(now.millisecondsSinceEpoch)
        )
    }

    private static func sentCode(
        to address: [UInt8],
        in database: Connection
    ) throws -> SentCode? {
        try database.first(
            "SELECT code, expires_at, tries, sent, sent_at FROM verification WHERE address = ?",
            .blob(address)
        ) { row in
            SentCode(
                code: row.optionalBlob(0),
                expiresAt: WallTime(millisecondsSinceEpoch: row.integer(1)),
                tries: Int(row.integer(2)),
                inARow: Int(row.integer(3)),
                sentAt: WallTime(millisecondsSinceEpoch: row.integer(4))
            )
        }
    }

    private static func store(
        _ sent: SentCode,
        of address: [UInt8],
        in database: Connection
    ) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO verification(address, code, expires_at, tries, sent, sent_at)
            VALUES(?, ?, ?, ?, ?, ?)
            """,
            .blob(address),
            sent.code.map { .blob($0) } ?? .null,
            .integer(sent.expiresAt.millisecondsSinceEpoch),
            .integer(Int64(sent.tries)),
            .integer(Int64(sent.inARow)),
            .integer(sent.sentAt.millisecondsSinceEpoch)
        )
    }

    private static func use(
        of subject: [UInt8],
        _ window: RateWindow,
        in database: Connection
    ) throws -> RateUse {
        try database.first(
            "SELECT count(*), min(at) FROM code_request WHERE subject = ? AND at > ? AND at < ?",
            .blob(subject),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch),
            row: RateUse.init(row:)
        ) ?? RateUse(count: 0, oldest: nil)
    }
}
