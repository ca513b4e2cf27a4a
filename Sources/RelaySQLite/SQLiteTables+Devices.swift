import MemoTexts
import Outbox
import OutboxCore
import RelayAPI
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func account(of addressKey: [UInt8]) throws -> AccountID? {
        try database.first(
            "SELECT id FROM account WHERE address_key = ?",
            .blob(addressKey)
        ) { AccountID(bits: try OperationID(column: $0.blob(0))) }
    }

    func address(of addressKey: [UInt8]) throws -> MailAddress? {
        try database.first(
            "SELECT address, id, created_at FROM account WHERE address_key = ?",
            .blob(addressKey)
        ) { row in
            try sealer.address(
                row.blob(0),
                of: OperationID(column: row.blob(1)),
                createdAt: WallTime(millisecondsSinceEpoch: row.integer(2))
            )
        }
    }

    func accountCreation(of addressKey: [UInt8]) throws -> WallTime? {
        try database.first(
            "SELECT created_at FROM account WHERE address_key = ?",
            .blob(addressKey)
        ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
    }

    /// Settings that cannot be opened tell no language, and keep nobody from signing in.
    func language(of addressKey: [UInt8]) throws -> Language? {
        let account = try database.first(
            "SELECT id, language FROM account WHERE address_key = ?",
            .blob(addressKey)
        ) { row in
            (
                id: AccountID(bits: try OperationID(column: row.blob(0))),
                language: row.optionalText(1)
            )
        }
        guard let account else { return nil }
        var tag = account.language
        do {
            let chosen = try settings(of: account.id)?.fields[SharedSettings.language]?.value
            if let chosen, Language(tag: chosen.utf8) != nil { tag = chosen }
        } catch is UnreadableRecord {}
        return tag.flatMap { Language(tag: $0.utf8) }
    }

    func set(_ language: Language, of account: AccountID) throws {
        try database.run(
            "UPDATE account SET language = ? WHERE id = ?",
            .text(language.tag.description),
            .blob(account.bits.bytes)
        )
    }

    func livingDevices(of addressKey: [UInt8]) throws -> [DeviceID] {
        try database.query(
            """
            SELECT id FROM device INDEXED BY device_living
            WHERE account = (SELECT id FROM account WHERE address_key = ?) AND revoked_at IS NULL
            ORDER BY created_at, id
            """,
            .blob(addressKey)
        ) { DeviceID(bits: try OperationID(column: $0.blob(0))) }
    }

    func signIns(of addressKey: [UInt8], in window: RateWindow) throws -> RateUse {
        try database.first(
            """
            SELECT count(*), min(created_at) FROM device INDEXED BY device_account
            WHERE account = (SELECT id FROM account WHERE address_key = ?)
                AND created_at > ? AND created_at < ?
            """,
            .blob(addressKey),
            .integer(window.start.millisecondsSinceEpoch),
            .integer(window.end.millisecondsSinceEpoch)
        ) { row in
            RateUse(
                count: Int(row.integer(0)),
                oldest: row.isNull(1) ? nil : WallTime(millisecondsSinceEpoch: row.integer(1))
            )
        } ?? RateUse(count: 0, oldest: nil)
    }

    func device(_ device: DeviceID, of account: AccountID) throws -> OwnedDevice? {
        try database.first(
            "SELECT revoked_at, change FROM device WHERE id = ? AND account = ?",
            .blob(device.bits.bytes),
            .blob(account.bits.bytes)
        ) { OwnedDevice(isRevoked: !$0.isNull(0), change: $0.integer(1)) }
    }

    func oldestAccount(signedInUnder pair: [UInt8]) throws -> WallTime? {
        try database.first(
            """
            SELECT account.created_at FROM device JOIN account ON account.id = device.account
            WHERE pair = ? AND revoked_at IS NULL ORDER BY account.created_at LIMIT 1
            """,
            .blob(pair)
        ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
    }

    func oldestAccount() throws -> WallTime? {
        try database.first("SELECT created_at FROM account ORDER BY created_at LIMIT 1") {
            WallTime(millisecondsSinceEpoch: $0.integer(0))
        }
    }

    func insert(_ account: NewAccount) throws {
        let address = try sealer.seal(
            Array(account.address.text.utf8),
            id: account.id.bits,
            kind: .address,
            createdAt: account.createdAt
        )
        try database.run(
            """
            INSERT INTO account(id, address_key, address, created_at, mailbox)
            VALUES(?, ?, ?, ?, ?)
            """,
            .blob(account.id.bits.bytes),
            .blob(account.addressKey),
            .blob(address),
            .integer(account.createdAt.millisecondsSinceEpoch),
            .blob(account.mailbox.bits.bytes)
        )
    }

    func insert(_ device: NewDeviceRow, of account: AccountID) throws {
        let name = try sealer.seal(
            Array(device.name.utf8),
            id: device.id.bits,
            kind: .deviceName,
            createdAt: device.createdAt
        )
        try database.countChange(of: account)
        try database.run(
            """
            INSERT INTO device(id, account, token, name, created_at, pair, change)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, (SELECT last FROM account_change WHERE account = ?2))
            """,
            .blob(device.id.bits.bytes),
            .blob(account.bits.bytes),
            .blob(device.tokenHash),
            .blob(name),
            .integer(device.createdAt.millisecondsSinceEpoch),
            .blob(device.pair)
        )
    }

    func revoke(_ device: DeviceID, at now: WallTime) throws {
        try database.run(
            """
            UPDATE account_change SET last = last + 1
            WHERE account = (SELECT account FROM device WHERE id = ? AND revoked_at IS NULL)
            """,
            .blob(device.bits.bytes)
        )
        try database.run(
            """
            UPDATE device SET revoked_at = ?,
                change = (SELECT last FROM account_change WHERE account = device.account)
            WHERE id = ? AND revoked_at IS NULL
            """,
            .integer(now.millisecondsSinceEpoch),
            .blob(device.bits.bytes)
        )
    }

    func newlyRevoked(limit: Int) throws -> [DeviceID] {
        try database.query(
            """
            SELECT id FROM device INDEXED BY device_revoked
            WHERE revoked_at IS NOT NULL AND revoked_seen IS NULL LIMIT ?
            """,
            .integer(Int64(limit))
        ) { DeviceID(bits: try OperationID(column: $0.blob(0))) }
    }

    func notedRevoked(limit: Int) throws -> [RevokedDevice] {
        try database.query(
            """
            SELECT id, revoked_seen, account FROM device INDEXED BY device_revoked
            WHERE revoked_at IS NOT NULL AND revoked_seen IS NOT NULL
            ORDER BY revoked_seen LIMIT ?
            """,
            .integer(Int64(limit))
        ) { row in
            RevokedDevice(
                id: DeviceID(bits: try OperationID(column: row.blob(0))),
                account: AccountID(bits: try OperationID(column: row.blob(2))),
                seen: Milliseconds(row.integer(1))
            )
        }
    }

    func noteRevoked(_ device: DeviceID, at running: Milliseconds) throws {
        try database.run(
            "UPDATE device SET revoked_seen = coalesce(revoked_seen, ?) WHERE id = ?",
            .integer(running.count),
            .blob(device.bits.bytes)
        )
    }

    func forget(_ device: DeviceID) throws {
        try database.run(
            """
            UPDATE account_change SET forgotten = max(forgotten, device.change) FROM device
            WHERE device.id = ? AND revoked_at IS NOT NULL
                AND account_change.account = device.account
            """,
            .blob(device.bits.bytes)
        )
        try database.run(
            "DELETE FROM device WHERE id = ? AND revoked_at IS NOT NULL",
            .blob(device.bits.bytes)
        )
    }

    func note(_ use: DeviceUse) throws {
        try database.run(
            "UPDATE device SET used_at = ? WHERE id = ?",
            .integer(use.time.millisecondsSinceEpoch),
            .blob(use.device.bits.bytes)
        )
    }
}
