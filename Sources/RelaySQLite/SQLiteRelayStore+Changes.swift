import Outbox
import OutboxCore
import RelayAPI
public import RelayRules
public import RelayServer
import SQLite

extension SQLiteRelayStore {
    /// All tables are read as of one moment: a row that is committed between two looks would have a
    /// smaller number than one that is told already, and would never be told.
    public func accountChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) async throws -> AccountChangeList {
        try await readMuch { database in
            try database.execute("BEGIN")
            defer { try? database.execute("COMMIT") }
            let tables = tables(in: database)
            let settings = try tables.settings(of: account).map {
                AccountChange(number: $0.version, row: .settings($0))
            }
            let changes =
                try tables.memoChanges(of: account, after: number, limit: limit)
                + tables.deviceChanges(of: account, after: number, limit: limit)
                + [settings].compactMap { $0 }.filter { $0.number > number }
            return AccountChangeList(
                changes: Array(changes.sorted { $0.number < $1.number }.prefix(limit)),
                latest: try tables.lastChange(of: account),
                forgotten: try tables.forgottenChange(of: account)
            )
        }
    }
}

extension SQLiteTables {
    fileprivate func memoChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) throws -> [AccountChange] {
        try database.query(
            """
            SELECT change, id, device, status, reason, accepted_at FROM memo
            WHERE account = ? AND change > ? ORDER BY change LIMIT ?
            """,
            .blob(account.bits.bytes),
            .integer(number),
            .integer(Int64(limit))
        ) { row in
            let memo = AccountMemo(
                id: try OperationID(column: row.blob(1)),
                device: DeviceID(bits: try OperationID(column: row.blob(2))),
                status: DeliveryStatus(rawValue: row.text(3)),
                reason: row.optionalText(4),
                acceptedAt: WallTime(millisecondsSinceEpoch: row.integer(5))
            )
            return AccountChange(number: row.integer(0), row: .memo(memo))
        }
    }

    fileprivate func deviceChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) throws -> [AccountChange] {
        try database.query(
            """
            SELECT change, id, name, created_at, revoked_at FROM device
            WHERE account = ? AND change > ? ORDER BY change LIMIT ?
            """,
            .blob(account.bits.bytes),
            .integer(number),
            .integer(Int64(limit))
        ) { row in
            let id = try OperationID(column: row.blob(1))
            guard row.isNull(4) else {
                let time = WallTime(millisecondsSinceEpoch: row.integer(4))
                return AccountChange(
                    number: row.integer(0),
                    row: .revoked(DeviceID(bits: id), at: time)
                )
            }
            let time = WallTime(millisecondsSinceEpoch: row.integer(3))
            let name = try sealer.open(row.blob(2), id: id, kind: .deviceName, createdAt: time)
            let device = DeviceRecord(
                id: DeviceID(bits: id),
                name: String(decoding: name, as: UTF8.self),
                createdAt: time
            )
            return AccountChange(number: row.integer(0), row: .device(device))
        }
    }

    fileprivate func forgottenChange(of account: AccountID) throws -> Int64 {
        try database.first(
            "SELECT forgotten FROM account_change WHERE account = ?",
            .blob(account.bits.bytes)
        ) { $0.integer(0) } ?? 0
    }
}
