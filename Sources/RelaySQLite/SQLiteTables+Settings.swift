import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func settings(of account: AccountID) throws -> SharedSettings? {
        try database.first(
            "SELECT change, changed_at, fields FROM account_settings WHERE account = ?",
            .blob(account.bits.bytes)
        ) { row in
            let fields = try sealer.open(
                row.blob(2),
                id: account.bits,
                kind: .settings,
                createdAt: WallTime(millisecondsSinceEpoch: row.integer(1))
            )
            return SharedSettings(
                version: row.integer(0),
                fields: try RelayJSON.decode([String: SharedField].self, from: fields)
            )
        }
    }

    func ledger(of node: [UInt8], _ account: AccountID) throws -> ChangeLedger? {
        try database.first(
            "SELECT ledger FROM change_ledger WHERE account = ? AND node = ?",
            .blob(account.bits.bytes),
            .blob(node)
        ) { try RelayJSON.decode(ChangeLedger.self, from: $0.blob(0)) }
    }

    func nodes(of account: AccountID, beyond count: Int) throws -> [[UInt8]] {
        try database.query(
            """
            SELECT node FROM change_ledger WHERE account = ?
            ORDER BY heard_at DESC, node LIMIT -1 OFFSET ?
            """,
            .blob(account.bits.bytes),
            .integer(Int64(count))
        ) { $0.blob(0) }
    }

    func lastChange(of account: AccountID) throws -> Int64 {
        try database.first(
            "SELECT last FROM account_change WHERE account = ?",
            .blob(account.bits.bytes)
        ) { $0.integer(0) } ?? 0
    }

    func set(_ settings: SharedSettings, of account: AccountID, at now: WallTime) throws {
        let fields = try sealer.seal(
            try RelayJSON.encode(settings.fields),
            id: account.bits,
            kind: .settings,
            createdAt: now
        )
        try database.run(
            """
            INSERT INTO account_change(account, last) VALUES(?, ?)
            ON CONFLICT(account) DO UPDATE SET last = excluded.last
            """,
            .blob(account.bits.bytes),
            .integer(settings.version)
        )
        try database.run(
            """
            INSERT OR REPLACE INTO account_settings(account, change, changed_at, fields)
            VALUES(?, ?, ?, ?)
            """,
            .blob(account.bits.bytes),
            .integer(settings.version),
            .integer(now.millisecondsSinceEpoch),
            .blob(fields)
        )
    }

    func set(
        _ ledger: ChangeLedger,
        of node: [UInt8],
        _ account: AccountID,
        at now: WallTime
    ) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO change_ledger(account, node, heard_at, ledger)
            VALUES(?, ?, ?, ?)
            """,
            .blob(account.bits.bytes),
            .blob(node),
            .integer(now.millisecondsSinceEpoch),
            .blob(try RelayJSON.encode(ledger))
        )
    }

    func dropLedger(of node: [UInt8], _ account: AccountID) throws {
        try database.run(
            "DELETE FROM change_ledger WHERE account = ? AND node = ?",
            .blob(account.bits.bytes),
            .blob(node)
        )
    }
}
