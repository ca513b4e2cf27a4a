import Outbox
import OutboxCore
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
        // An erased account has no address.
        guard let found, !found.address.isEmpty else { return nil }
        let account = try OperationID(column: found.account)
        let address = try outbox.sealer.address(
            found.address,
            of: account,
            createdAt: found.accountCreatedAt
        )
        return AuthenticatedDevice(
            id: DeviceID(bits: try OperationID(column: found.id)),
            account: AccountID(bits: account),
            address: address,
            accountCreatedAt: found.accountCreatedAt,
            isRevoked: found.isRevoked,
            usedAt: found.usedAt
        )
    }

    public func devices(of account: AccountID) async throws -> [DeviceRecord] {
        try await readMuch { database in
            try database.query(
                """
                SELECT id, name, created_at, used_at FROM device INDEXED BY device_living
                WHERE account = ? AND revoked_at IS NULL ORDER BY created_at DESC, id DESC
                LIMIT \(VerificationRules().devices)
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
