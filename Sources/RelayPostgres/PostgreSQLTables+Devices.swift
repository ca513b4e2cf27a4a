import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

extension PostgreSQLTables {
    func livingDevices(of addressKey: [UInt8]) throws -> [DeviceID] {
        try list(
            """
            SELECT id FROM device
            WHERE account = (SELECT id FROM account WHERE address_key = $1) AND revoked_at IS NULL
            ORDER BY created_at, id
            """,
            .bytes(addressKey)
        ) { try $0.device(0) }
    }

    func signIns(of addressKey: [UInt8], in window: RateWindow) throws -> RateUse {
        try first(
            """
            SELECT count(*), min(created_at) FROM device
            WHERE account = (SELECT id FROM account WHERE address_key = $1)
                AND created_at > $2 AND created_at < $3
            """,
            .bytes(addressKey),
            .time(window.start),
            .time(window.end)
        ) { RateUse(count: $0.count(0), oldest: $0.optionalTime(1)) }
            ?? RateUse(count: 0, oldest: nil)
    }

    /// The account is no part of the condition: the server would take an index of accounts for as good as that of
    /// identifiers, and go through all devices of the account.
    func device(_ device: DeviceID, of account: AccountID) throws -> OwnedDevice? {
        let found = try first(
            "SELECT revoked_at, change, account FROM device WHERE id = $1",
            .id(device),
            isAmended: true
        ) { row -> OwnedDevice? in
            guard try row.account(2) == account else { return nil }
            return OwnedDevice(isRevoked: !row.isNull(0), change: row.integer(1))
        }
        return found ?? nil
    }

    func newlyRevoked(limit: Int) throws -> [DeviceID] {
        try list(
            """
            SELECT id FROM device WHERE revoked_at IS NOT NULL AND revoked_seen IS NULL LIMIT $1
            """,
            .count(limit)
        ) { try $0.device(0) }
    }

    func notedRevoked(limit: Int) throws -> [RevokedDevice] {
        try list(
            """
            SELECT id, revoked_seen, account FROM device
            WHERE revoked_at IS NOT NULL AND revoked_seen IS NOT NULL
            ORDER BY revoked_seen LIMIT $1
            """,
            .count(limit)
        ) { row in
            RevokedDevice(
                id: try row.device(0),
                account: try row.account(2),
                seen: Milliseconds(row.integer(1))
            )
        }
    }

    /// The device with a token, revoked or not; `nil` also where its account is erased.
    func device(tokenHash: [UInt8]) throws -> AuthenticatedDevice? {
        let found = try first(
            """
            SELECT device.id, account.id, account.address, account.created_at, revoked_at, used_at
            FROM device JOIN account ON account.id = device.account WHERE token = $1
            """,
            .bytes(tokenHash)
        ) { row -> AuthenticatedDevice? in
            let (address, createdAt) = (row.bytes(2), row.time(3))
            // An erased account has no address.
            guard !address.isEmpty else { return nil }
            return AuthenticatedDevice(
                id: try row.device(0),
                account: try row.account(1),
                address: try sealer.address(address, of: row.id(1), createdAt: createdAt),
                accountCreatedAt: createdAt,
                isRevoked: !row.isNull(4),
                usedAt: row.optionalTime(5)
            )
        }
        return found ?? nil
    }

    /// The devices of an account that are not revoked, the newest first.
    func devices(of account: AccountID, limit: Int) throws -> [DeviceRecord] {
        try list(
            """
            SELECT id, name, created_at, used_at FROM device
            WHERE account = $1 AND revoked_at IS NULL ORDER BY created_at DESC, id DESC LIMIT $2
            """,
            .id(account),
            .count(limit)
        ) { row in
            DeviceRecord(
                id: try row.device(0),
                name: try name(row.bytes(1), of: row.id(0), createdAt: row.time(2)),
                createdAt: row.time(2),
                usedAt: row.optionalTime(3)
            )
        }
    }

    /// The latest changes of an account's devices behind a number.
    func deviceChanges(
        of account: AccountID,
        after number: Int64,
        limit: Int
    ) throws -> [AccountChange] {
        try list(
            """
            SELECT change, id, name, created_at, revoked_at FROM device
            WHERE account = $1 AND change > $2 ORDER BY change LIMIT $3
            """,
            .id(account),
            .integer(number),
            .count(limit)
        ) { row in
            if let revokedAt = row.optionalTime(4) {
                let revocation = AccountChange.Row.revoked(try row.device(1), at: revokedAt)
                return AccountChange(number: row.integer(0), row: revocation)
            }
            let device = DeviceRecord(
                id: try row.device(1),
                name: try name(row.bytes(2), of: row.id(1), createdAt: row.time(3)),
                createdAt: row.time(3)
            )
            return AccountChange(number: row.integer(0), row: .device(device))
        }
    }

    private func name(
        _ sealed: [UInt8],
        of device: OperationID,
        createdAt: WallTime
    ) throws -> String {
        let name = try sealer.open(sealed, id: device, kind: .deviceName, createdAt: createdAt)
        return String(decoding: name, as: UTF8.self)
    }
}
