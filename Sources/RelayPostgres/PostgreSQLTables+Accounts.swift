import MemoTexts
import Outbox
import OutboxCore
import PostgreSQL
import RelayAPI
import RelayRules
import RelayServer

extension PostgreSQLTables {
    func account(of addressKey: [UInt8]) throws -> AccountID? {
        try first("SELECT id FROM account WHERE address_key = $1", .bytes(addressKey)) {
            try $0.account(0)
        }
    }

    func address(of addressKey: [UInt8]) throws -> MailAddress? {
        try first(
            "SELECT address, id, created_at FROM account WHERE address_key = $1",
            .bytes(addressKey)
        ) { row in
            try sealer.address(row.bytes(0), of: row.id(1), createdAt: row.time(2))
        }
    }

    func accountCreation(of addressKey: [UInt8]) throws -> WallTime? {
        try first("SELECT created_at FROM account WHERE address_key = $1", .bytes(addressKey)) {
            $0.time(0)
        }
    }

    /// Settings that cannot be opened tell no language, and keep nobody from signing in.
    func language(of addressKey: [UInt8]) throws -> Language? {
        let signedIn = try first(
            "SELECT language FROM account WHERE address_key = $1",
            .bytes(addressKey)
        ) { $0.optionalText(0) }
        let settings = try first(
            """
            SELECT change, changed_at, fields, account FROM account_settings
            WHERE account = (SELECT id FROM account WHERE address_key = $1)
            """,
            .bytes(addressKey)
        ) { row -> SharedSettings? in
            do {
                return try opened(row, of: row.account(3))
            } catch is UnreadableRecord {
                return nil
            }
        }
        let chosen = settings??.fields[SharedSettings.language]?.value
        let tags = [chosen, signedIn ?? nil].compactMap { $0 }
        return tags.lazy.compactMap { Language(tag: $0.utf8) }.first
    }

    func settings(of account: AccountID) throws -> SharedSettings? {
        try first(
            "SELECT change, changed_at, fields FROM account_settings WHERE account = $1",
            .id(account)
        ) { try opened($0, of: account) }
    }

    private func opened(_ row: Row, of account: AccountID) throws -> SharedSettings {
        let fields = try sealer.open(
            row.bytes(2),
            id: account.bits,
            kind: .settings,
            createdAt: row.time(1)
        )
        return SharedSettings(
            version: row.integer(0),
            fields: try RelayJSON.decode([String: SharedField].self, from: fields)
        )
    }

    func ledger(of node: [UInt8], _ account: AccountID) throws -> ChangeLedger? {
        try first(
            "SELECT ledger FROM change_ledger WHERE account = $1 AND node = $2",
            .id(account),
            .bytes(node)
        ) { try RelayJSON.decode(ChangeLedger.self, from: $0.bytes(0)) }
    }

    func nodes(of account: AccountID, beyond count: Int) throws -> [[UInt8]] {
        try list(
            """
            SELECT node FROM change_ledger WHERE account = $1
            ORDER BY heard_at DESC, node OFFSET $2
            """,
            .id(account),
            .count(count)
        ) { $0.bytes(0) }
    }

    func lastChange(of account: AccountID) throws -> Int64 {
        try first("SELECT last FROM account_change WHERE account = $1", .id(account)) {
            $0.integer(0)
        } ?? 0
    }

    /// The greatest number of a row of an account that was swept away.
    func forgottenChange(of account: AccountID) throws -> Int64 {
        try first("SELECT forgotten FROM account_change WHERE account = $1", .id(account)) {
            $0.integer(0)
        } ?? 0
    }

    func oldestAccount(signedInUnder pair: [UInt8]) throws -> WallTime? {
        try first(
            """
            SELECT account.created_at FROM device JOIN account ON account.id = device.account
            WHERE pair = $1 AND revoked_at IS NULL ORDER BY account.created_at LIMIT 1
            """,
            .bytes(pair),
            isAmended: true
        ) { $0.time(0) }
    }

    func oldestAccount() throws -> WallTime? {
        try first(
            "SELECT created_at FROM account ORDER BY created_at LIMIT 1",
            isAmended: true
        ) { $0.time(0) }
    }

    func erasedMemos(limit: Int) throws -> [ErasedMemo] {
        try list(
            """
            SELECT memo.id, memo.account, outbox_operation.entry, coalesce(length(record), 0)
            FROM erasure JOIN memo ON memo.account = erasure.account
            LEFT JOIN outbox_operation ON outbox_operation.id = memo.operation LIMIT $1
            """,
            .count(limit)
        ) { row in
            ErasedMemo(
                id: try row.id(0),
                account: try row.account(1),
                mail: row.isNull(2) ? nil : row.entry(2),
                bytes: row.count(3)
            )
        }
    }

    func erasedDevices(limit: Int) throws -> [DeviceID] {
        try list(
            """
            SELECT device.id FROM erasure JOIN device ON device.account = erasure.account LIMIT $1
            """,
            .count(limit)
        ) { try $0.device(0) }
    }

    func erasedAccounts(limit: Int) throws -> [AccountID] {
        try list("SELECT account FROM erasure LIMIT $1", .count(limit)) { try $0.account(0) }
    }
}
