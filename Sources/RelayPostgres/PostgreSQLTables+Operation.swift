import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
import RelayServer

extension PostgreSQLTables {
    func nextTurn(of pace: PaceName) throws -> WallTime? {
        try first("SELECT next FROM relay_pace WHERE name = $1", .text(pace.rawValue)) {
            $0.time(0)
        }
    }

    func lastMovement() throws -> WallTime? {
        try first("SELECT at FROM relay_movement") { $0.time(0) }
    }

    func runningTime() throws -> Milliseconds {
        Milliseconds(try first("SELECT milliseconds FROM relay_running") { $0.integer(0) } ?? 0)
    }

    // MARK: Invitations

    func invitation(of addressKey: [UInt8]) throws -> WallTime? {
        try first("SELECT invited_at FROM invitation WHERE address_key = $1", .bytes(addressKey)) {
            $0.time(0)
        }
    }

    func invitations(after time: WallTime) throws -> Int {
        try first("SELECT count(*) FROM invitation WHERE invited_at > $1", .time(time)) {
            $0.count(0)
        } ?? 0
    }

    /// The invitations after a time, the earliest first.
    func listedInvitations(after time: WallTime) throws -> [ListedInvitation] {
        try list(
            """
            SELECT id, address, invited_at FROM invitation
            WHERE invited_at > $1 ORDER BY invited_at, id
            """,
            .time(time)
        ) { row in
            let invitedAt = row.time(2)
            do {
                let address = try sealer.address(row.bytes(1), of: row.id(0), createdAt: invitedAt)
                return ListedInvitation(address: address, invitedAt: invitedAt)
            } catch is UnreadableRecord {
                return ListedInvitation(address: nil, invitedAt: invitedAt)
            }
        }
    }

    // MARK: Mailboxes of single addresses

    func ownMailbox(of addressKey: [UInt8]) throws -> OwnMailbox? {
        try first(
            "SELECT id, content, changed_at FROM own_mailbox WHERE address_key = $1",
            .bytes(addressKey),
            read: opened
        )
    }

    func hasOwnMailbox(_ addressKey: [UInt8]) throws -> Bool {
        try isThere("SELECT 1 FROM own_mailbox WHERE address_key = $1", .bytes(addressKey))
    }

    /// The mailboxes of single addresses, those that were changed last behind others.
    func ownMailboxes() throws -> [ListedMailbox] {
        try list("SELECT id, content, changed_at FROM own_mailbox ORDER BY changed_at, id") { row in
            do {
                return ListedMailbox(try opened(row), changedAt: row.time(2))
            } catch is UnreadableRecord {
                return ListedMailbox(nil, changedAt: row.time(2))
            }
        }
    }

    /// - Throws: `UnreadableRecord` for bytes that no key opens, `CorruptRow` for those that are no mailbox,
    ///   `KeyStoreError`.
    private func opened(_ row: Row) throws -> OwnMailbox {
        let content = try sealer.open(
            row.bytes(1),
            id: row.id(0),
            kind: .ownMailbox,
            createdAt: row.time(2)
        )
        guard let mailbox = OwnMailbox(decoding: content) else { throw CorruptRow() }
        return mailbox
    }
}
