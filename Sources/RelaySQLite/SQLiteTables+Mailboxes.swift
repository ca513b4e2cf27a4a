import Outbox
import OutboxCore
import RelayRules
import RelayServer
import SQLite

extension SQLiteTables {
    func ownMailbox(of addressKey: [UInt8]) throws -> OwnMailbox? {
        try database.first(
            "SELECT id, content, changed_at FROM own_mailbox WHERE address_key = ?",
            .blob(addressKey)
        ) { try opened($0) }
    }

    func hasOwnMailbox(_ addressKey: [UInt8]) throws -> Bool {
        try database.first(
            "SELECT 1 FROM own_mailbox WHERE address_key = ?",
            .blob(addressKey)
        ) { _ in true } ?? false
    }

    /// The mailboxes of single addresses, those that were changed last behind others.
    func ownMailboxes() throws -> [ListedMailbox] {
        try database.query(
            "SELECT id, content, changed_at FROM own_mailbox ORDER BY changed_at, id"
        ) { row in
            let changedAt = WallTime(millisecondsSinceEpoch: row.integer(2))
            do {
                return ListedMailbox(try opened(row), changedAt: changedAt)
            } catch is UnreadableRecord {
                return ListedMailbox(nil, changedAt: changedAt)
            }
        }
    }

    func set(_ mailbox: OwnMailbox, of addressKey: [UInt8], at now: WallTime) throws {
        let id = OperationID.random(at: now)
        let content = try sealer.seal(
            mailbox.encoded(),
            id: id,
            kind: .ownMailbox,
            createdAt: now
        )
        try dropMailbox(of: addressKey)
        try database.run(
            "INSERT INTO own_mailbox(id, address_key, content, changed_at) VALUES(?, ?, ?, ?)",
            .blob(id.bytes),
            .blob(addressKey),
            .blob(content),
            .integer(now.millisecondsSinceEpoch)
        )
    }

    func dropMailbox(of addressKey: [UInt8]) throws {
        try database.run("DELETE FROM own_mailbox WHERE address_key = ?", .blob(addressKey))
    }

    /// - Throws: `UnreadableRecord` for bytes that no key opens, ``CorruptRow`` for those that are no
    ///   mailbox, `KeyStoreError`.
    private func opened(_ row: borrowing Row) throws -> OwnMailbox {
        let content = try sealer.open(
            row.blob(1),
            id: OperationID(column: row.blob(0)),
            kind: .ownMailbox,
            createdAt: WallTime(millisecondsSinceEpoch: row.integer(2))
        )
        guard let mailbox = OwnMailbox(decoding: content) else { throw CorruptRow() }
        return mailbox
    }
}
