import Outbox
public import OutboxCore
public import RelayRules
public import RelayServer
import SQLite

extension SQLiteRelayStore {
    public func device(tokenHash: [UInt8]) async throws -> AuthenticatedDevice? {
        let found = try read { database in
            try database.first(
                """
                SELECT device.id, account.id, account.address, account.created_at, revoked_at,
                    used_at
                FROM device JOIN account ON account.id = device.account WHERE token = ?
                """,
                .blob(tokenHash)
            ) { row in
                SealedDevice(
                    id: row.blob(0),
                    account: row.blob(1),
                    address: row.blob(2),
                    accountCreatedAt: WallTime(millisecondsSinceEpoch: row.integer(3)),
                    isRevoked: !row.isNull(4),
                    usedAt: row.isNull(5)
                        ? nil : WallTime(millisecondsSinceEpoch: row.integer(5))
                )
            }
        }
        guard let found else { return nil }
        let account = try OperationID(column: found.account)
        let text = try outbox.sealer.open(
            found.address,
            id: account,
            kind: .address,
            createdAt: found.accountCreatedAt
        )
        guard let address = MailAddress(String(decoding: text, as: UTF8.self)) else {
            throw CorruptRow()
        }
        return AuthenticatedDevice(
            id: DeviceID(bits: try OperationID(column: found.id)),
            account: AccountID(bits: account),
            address: address,
            isRevoked: found.isRevoked,
            usedAt: found.usedAt
        )
    }

    public func note(_ use: DeviceUse) async throws {
        _ = try await write { database in
            try database.run(
                "UPDATE device SET used_at = ? WHERE id = ?",
                .integer(use.time.millisecondsSinceEpoch),
                .blob(use.device.bits.bytes)
            )
        }
    }

    public func revoke(
        _ device: DeviceID,
        of account: AccountID,
        at now: WallTime
    ) async throws -> Bool {
        try await write { database in
            try database.run(
                """
                UPDATE device SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? AND account = ?
                """,
                .integer(now.millisecondsSinceEpoch),
                .blob(device.bits.bytes),
                .blob(account.bits.bytes)
            ) > 0
        }
    }

    public func devices(of account: AccountID) async throws -> [DeviceRecord] {
        try await readMuch { database in
            try database.query(
                """
                SELECT id, name, created_at, used_at FROM device
                WHERE account = ? AND revoked_at IS NULL ORDER BY created_at DESC, id DESC LIMIT 1000
                """,
                .blob(account.bits.bytes)
            ) { row in
                let id = try OperationID(column: row.blob(0))
                let time = WallTime(millisecondsSinceEpoch: row.integer(2))
                let name = try outbox.sealer.open(
                    row.blob(1),
                    id: id,
                    kind: .deviceName,
                    createdAt: time
                )
                return DeviceRecord(
                    id: DeviceID(bits: id),
                    name: String(decoding: name, as: UTF8.self),
                    createdAt: time,
                    usedAt: row.isNull(3)
                        ? nil : WallTime(millisecondsSinceEpoch: row.integer(3))
                )
            }
        }
    }

    static func account(
        with addressKey: [UInt8],
        in database: Connection
    ) throws -> OperationID? {
        try database.first(
            "SELECT id FROM account WHERE address_key = ?",
            .blob(addressKey)
        ) { try OperationID(column: $0.blob(0)) }
    }

    func makeAccount(
        of confirmation: Confirmation,
        in database: Connection
    ) throws -> OperationID {
        let id = OperationID.random(at: confirmation.now)
        let address = try outbox.sealer.seal(
            Array(confirmation.address.text.utf8),
            id: id,
            kind: .address,
            createdAt: confirmation.now
        )
        try database.run(
            "INSERT INTO account(id, address_key, address, created_at) VALUES(?, ?, ?, ?)",
            .blob(id.bytes),
            .blob(confirmation.addressKey),
            .blob(address),
            .integer(confirmation.now.millisecondsSinceEpoch)
        )
        return id
    }

    /// Signs out the devices for which the new one leaves no room.
    func makeRoom(
        for confirmation: Confirmation,
        in account: OperationID,
        _ rules: VerificationRules,
        in database: Connection
    ) throws {
        let living = try database.query(
            """
            SELECT id FROM device WHERE account = ? AND revoked_at IS NULL ORDER BY created_at, id
            """,
            .blob(account.bytes)
        ) { $0.blob(0) }
        for device in rules.signedOut(of: living) {
            try database.run(
                "UPDATE device SET revoked_at = ? WHERE id = ?",
                .integer(confirmation.now.millisecondsSinceEpoch),
                .blob(device)
            )
        }
    }

    func add(
        _ device: DeviceID,
        of confirmation: Confirmation,
        from pair: [UInt8],
        to account: OperationID,
        in database: Connection
    ) throws {
        let name = try outbox.sealer.seal(
            Array(confirmation.deviceName.utf8),
            id: device.bits,
            kind: .deviceName,
            createdAt: confirmation.now
        )
        try database.run(
            """
            INSERT INTO device(id, account, token, name, created_at, pair)
            VALUES(?, ?, ?, ?, ?, ?)
            """,
            .blob(device.bits.bytes),
            .blob(account.bytes),
            .blob(confirmation.tokenHash),
            .blob(name),
            .integer(confirmation.now.millisecondsSinceEpoch),
            .blob(pair)
        )
    }
}

/// A device and its account as stored.
private struct SealedDevice: Sendable {
    let id: [UInt8]
    let account: [UInt8]
    let address: [UInt8]
    let accountCreatedAt: WallTime
    let isRevoked: Bool
    let usedAt: WallTime?
}
