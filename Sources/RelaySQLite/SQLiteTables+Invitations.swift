import Outbox
import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func invitation(of addressKey: [UInt8]) throws -> WallTime? {
        try database.first(
            "SELECT invited_at FROM invitation WHERE address_key = ?",
            .blob(addressKey)
        ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
    }

    func invitations(after time: WallTime) throws -> Int {
        try database.first(
            "SELECT count(*) FROM invitation WHERE invited_at > ?",
            .integer(time.millisecondsSinceEpoch)
        ) { Int($0.integer(0)) } ?? 0
    }

    /// The invitations after a time, the earliest first.
    func listedInvitations(after time: WallTime) throws -> [ListedInvitation] {
        try database.query(
            "SELECT id, address, invited_at FROM invitation WHERE invited_at > ? ORDER BY invited_at, id",
            .integer(time.millisecondsSinceEpoch)
        ) { row in
            let invitedAt = WallTime(millisecondsSinceEpoch: row.integer(2))
            do {
                let id = try OperationID(column: row.blob(0))
                let address = try sealer.address(row.blob(1), of: id, createdAt: invitedAt)
                return ListedInvitation(address: address, invitedAt: invitedAt)
            } catch is UnreadableRecord {
                return ListedInvitation(address: nil, invitedAt: invitedAt)
            }
        }
    }

    func insertInvitation(
        _ address: MailAddress,
        of addressKey: [UInt8],
        at now: WallTime
    ) throws {
        let id = OperationID.random(at: now)
        let sealed = try sealer.seal(
            Array(address.text.utf8),
            id: id,
            kind: .address,
            createdAt: now
        )
        try dropInvitation(of: addressKey)
        try database.run(
            "INSERT INTO invitation(id, address_key, address, invited_at) VALUES(?, ?, ?, ?)",
            .blob(id.bytes),
            .blob(addressKey),
            .blob(sealed),
            .integer(now.millisecondsSinceEpoch)
        )
    }

    func dropInvitation(of addressKey: [UInt8]) throws {
        try database.run("DELETE FROM invitation WHERE address_key = ?", .blob(addressKey))
    }

    func dropInvitations(until time: WallTime) throws {
        try database.run(
            "DELETE FROM invitation WHERE invited_at <= ?",
            .integer(time.millisecondsSinceEpoch)
        )
    }
}
