import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import RelayRules
import RelayServer
import SQLite

/// Names the mailboxes of accounts that a former build has made, and makes one account of those whose
/// addresses differ in case alone.
///
/// The steps of ``RelaySchema`` have no key, which this needs. A transaction is of some accounts, and an
/// account that has its mailbox is done: after a crash the next start goes on. An account whose address
/// cannot be opened stays as it is, and each start looks at it again.
///
/// A merge keeps the older account, with its identifier and the spelling of its address:
///
/// | of the younger account | becomes |
/// |---|---|
/// | devices | devices of the older one: their tokens stay good |
/// | memos | memos of the older one; of a memo that both have, the older account's record stays |
/// | settings | kept if they were changed later than the older account's, else dropped |
/// | answers to changes of the settings | dropped: such a change is decided anew, and never applied unseen |
/// | cursors | refused: a device reads its list from the beginning |
///
/// All rows that come, and the settings, get numbers above those of both accounts. So no device misses
/// one, and no change of the settings was made on the version that it meets.
struct AddressFolding {
    let storage: SQLiteStorage
    let sealer: Sealer
    let secret: RelaySecret

    /// The greatest number of accounts in one transaction.
    private static let batch = 128

    private struct Account {
        let id: OperationID
        let key: [UInt8]
        let address: [UInt8]
        let createdAt: WallTime
    }

    /// Folds all accounts without a mailbox.
    ///
    /// - Throws: `StorageError`, `KeyStoreError`. What earlier transactions have folded stays.
    /// - Complexity: One look where there are none; else O(those accounts and their memos).
    func run() throws {
        let isNeeded = try storage.read { database in
            try database.first("SELECT 1 FROM account WHERE mailbox IS NULL") { _ in true } ?? false
        }
        var last: OperationID? = isNeeded ? OperationID(high: 0, low: 0) : nil
        while let end = last {
            last = try storage.write { database in
                let accounts = try Self.accounts(after: end, in: database)
                for account in accounts { try fold(account, in: database) }
                return accounts.count == Self.batch ? accounts.last?.id : nil
            }
        }
    }

    /// An erased account has no address.
    private static func accounts(
        after last: OperationID,
        in database: Connection
    ) throws -> [Account] {
        try database.query(
            """
            SELECT id, address_key, address, created_at FROM account
            WHERE mailbox IS NULL AND id > ? AND length(address) > 0 ORDER BY id LIMIT \(batch)
            """,
            .blob(last.bytes)
        ) { row in
            Account(
                id: try OperationID(column: row.blob(0)),
                key: row.blob(1),
                address: row.blob(2),
                createdAt: WallTime(millisecondsSinceEpoch: row.integer(3))
            )
        }
    }

    private func fold(_ account: Account, in database: Connection) throws {
        let address: MailAddress
        do {
            address = try sealer.address(
                account.address,
                of: account.id,
                createdAt: account.createdAt
            )
        } catch is UnreadableRecord {
            return
        } catch is CorruptRow {
            return
        }
        try name(secret.mailbox(of: address), account, in: database)
        let key = secret.key(of: address)
        guard key != account.key else { return }
        let other = try database.first(
            "SELECT id, created_at FROM account WHERE address_key = ?",
            .blob(key)
        ) { row in
            (
                id: try OperationID(column: row.blob(0)),
                createdAt: WallTime(millisecondsSinceEpoch: row.integer(1))
            )
        }
        var kept = account.id
        if let other {
            let isOlder = (other.createdAt, other.id) < (account.createdAt, account.id)
            if isOlder { kept = other.id }
            try merge(isOlder ? account.id : other.id, into: kept, in: database)
        }
        try database.run(
            "UPDATE account SET address_key = ? WHERE id = ?",
            .blob(key),
            .blob(kept.bytes)
        )
    }

    private func name(
        _ mailbox: MailboxID,
        _ account: Account,
        in database: Connection
    ) throws {
        let statements = [
            "UPDATE account SET mailbox = ?1 WHERE id = ?2",
            "UPDATE memo SET mailbox = ?1 WHERE account = ?2",
            "UPDATE dead_letter SET mailbox = ?1 WHERE mailbox = ?2",
        ]
        for statement in statements {
            try database.run(statement, .blob(mailbox.bits.bytes), .blob(account.id.bytes))
        }
    }

    /// See ``AddressFolding``.
    private func merge(
        _ lost: OperationID,
        into kept: OperationID,
        in database: Connection
    ) throws {
        let (keptID, lostID) = (Value.blob(kept.bytes), Value.blob(lost.bytes))
        try database.run("UPDATE account SET address_key = id WHERE id = ?", lostID)
        try database.run(
            "INSERT OR IGNORE INTO account_change(account, last) VALUES(?, 0)",
            keptID
        )
        try raise(keptID, to: "SELECT last FROM account_change", of: lostID, in: database)
        try moveDevices(of: lostID, to: keptID, in: database)
        try moveMemos(of: lostID, to: keptID, in: database)
        try keepSettings(of: [kept, lost], in: database)
        try database.run("DELETE FROM change_ledger WHERE account = ?", keptID)
        for table in ["change_ledger", "account_settings", "account_change"] {
            try database.run("DELETE FROM \(table) WHERE account = ?", lostID)
        }
        try database.run("DELETE FROM account WHERE id = ?", lostID)
    }

    /// Lets the next change of an account have a number above one that a statement reads.
    private func raise(
        _ account: Value,
        to number: String,
        of other: Value,
        in database: Connection
    ) throws {
        try database.run(
            """
            UPDATE account_change SET last = max(last, coalesce((\(number) WHERE account = ?2), 0))
            WHERE account = ?1
            """,
            account,
            other
        )
    }

    /// Nobody has to be told of the devices that are signed out.
    private func moveDevices(
        of lost: Value,
        to kept: Value,
        in database: Connection
    ) throws {
        try database.run(
            """
            UPDATE device SET account = ?1, change = iif(revoked_at IS NULL, moved.change, 0)
            FROM (SELECT id, (SELECT last FROM account_change WHERE account = ?1)
                    + row_number() OVER (ORDER BY created_at, id) AS change
                FROM device WHERE account = ?2) AS moved
            WHERE moved.id = device.id
            """,
            kept,
            lost
        )
        try raise(kept, to: "SELECT max(change) FROM device", of: kept, in: database)
    }

    private func moveMemos(
        of lost: Value,
        to kept: Value,
        in database: Connection
    ) throws {
        try database.run(
            """
            DELETE FROM memo WHERE account = ?2
                AND id IN (SELECT own.id FROM memo AS own WHERE own.account = ?1)
            """,
            kept,
            lost
        )
        try database.run(
            """
            UPDATE memo SET account = ?1, change = moved.change
            FROM (SELECT id, (SELECT last FROM account_change WHERE account = ?1)
                    + row_number() OVER (ORDER BY change, id) AS change
                FROM memo WHERE account = ?2) AS moved
            WHERE memo.account = ?2 AND moved.id = memo.id
            """,
            kept,
            lost
        )
        try raise(kept, to: "SELECT max(change) FROM memo", of: kept, in: database)
    }

    /// Keeps the settings that were changed last, as the latest change of the first account. Settings
    /// that cannot be opened count as none.
    private func keepSettings(of accounts: [OperationID], in database: Connection) throws {
        let tables = SQLiteTables(database: database, storage: storage, sealer: sealer)
        let kept = AccountID(bits: accounts[0])
        var latest: (fields: [String: SharedField], changedAt: WallTime)?
        for account in accounts {
            let settings: SharedSettings?
            do {
                settings = try tables.settings(of: AccountID(bits: account))
            } catch is UnreadableRecord {
                continue
            }
            let changedAt = try database.first(
                "SELECT changed_at FROM account_settings WHERE account = ?",
                .blob(account.bytes)
            ) { WallTime(millisecondsSinceEpoch: $0.integer(0)) }
            guard let settings, let changedAt else { continue }
            if latest.map({ $0.changedAt < changedAt }) ?? true {
                latest = (settings.fields, changedAt)
            }
        }
        guard let latest else { return }
        let version = try tables.lastChange(of: kept) + 1
        try tables.set(
            SharedSettings(version: version, fields: latest.fields),
            of: kept,
            at: latest.changedAt
        )
    }
}
