import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func erasedMemos(limit: Int) throws -> [ErasedMemo] {
        try database.query(
            """
            SELECT memo.id, memo.account, outbox_operation.entry, length(record)
            FROM erasure CROSS JOIN memo ON memo.account = erasure.account
            LEFT JOIN outbox_operation ON outbox_operation.id = memo.operation LIMIT ?
            """,
            .integer(Int64(limit))
        ) { row in
            ErasedMemo(
                id: try OperationID(column: row.blob(0)),
                account: AccountID(bits: try OperationID(column: row.blob(1))),
                mail: row.isNull(2) ? nil : EntryID(rawValue: row.integer(2)),
                bytes: Int(row.integer(3))
            )
        }
    }

    func erasedDevices(limit: Int) throws -> [DeviceID] {
        try database.query(
            """
            SELECT device.id FROM erasure CROSS JOIN device ON device.account = erasure.account
            LIMIT ?
            """,
            .integer(Int64(limit))
        ) { DeviceID(bits: try OperationID(column: $0.blob(0))) }
    }

    func erasedAccounts(limit: Int) throws -> [AccountID] {
        try database.query(
            "SELECT account FROM erasure LIMIT ?",
            .integer(Int64(limit))
        ) { AccountID(bits: try OperationID(column: $0.blob(0))) }
    }

    /// Opens nothing: what cannot be opened is erased, too.
    func erase(_ account: AccountID, at now: WallTime) throws {
        let account = Value.blob(account.bits.bytes)
        let now = Value.integer(now.millisecondsSinceEpoch)
        try database.run("INSERT INTO erasure(account, erased_at) VALUES(?, ?)", account, now)
        try database.run(
            "UPDATE account SET address_key = id, address = X'' WHERE id = ?",
            account
        )
        try database.run(
            "UPDATE device SET revoked_at = ?2 WHERE account = ?1 AND revoked_at IS NULL",
            account,
            now
        )
        try dropShared(of: account)
    }

    func dropMemo(_ memo: OperationID, of account: AccountID) throws {
        try database.run(
            "DELETE FROM memo WHERE account = ? AND id = ?",
            .blob(account.bits.bytes),
            .blob(memo.bytes)
        )
    }

    func dropAccount(_ account: AccountID) throws {
        let account = Value.blob(account.bits.bytes)
        try dropShared(of: account)
        for table in ["account_change", "erasure"] {
            try database.run("DELETE FROM \(table) WHERE account = ?", account)
        }
        try database.run("DELETE FROM account WHERE id = ?", account)
    }

    func dropUnnamed(_ account: AccountID) throws {
        let isNamed = try database.first(
            """
            SELECT EXISTS (SELECT 1 FROM device WHERE account = ?1)
                OR EXISTS (SELECT 1 FROM memo WHERE account = ?1)
                OR EXISTS (SELECT 1 FROM account_settings WHERE account = ?1)
                OR EXISTS (SELECT 1 FROM erasure WHERE account = ?1)
            """,
            .blob(account.bits.bytes)
        ) { $0.integer(0) != 0 }
        if isNamed == false { try dropAccount(account) }
    }

    private func dropShared(of account: Value) throws {
        for table in ["account_settings", "change_ledger"] {
            try database.run("DELETE FROM \(table) WHERE account = ?", account)
        }
    }
}
