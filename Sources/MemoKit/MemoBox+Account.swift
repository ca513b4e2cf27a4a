internal import Outbox
internal import OutboxCore
internal import OutboxSQLite
internal import RelayAPI
internal import SQLite

extension MemoBox {
    /// Who is signed in; `nil` for nobody.
    ///
    /// - Throws: ``MemoError/wrongKey(_:)`` when the account was sealed with another key than the
    ///   present one; ``MemoError/accountDamaged`` when no key will open it.
    public func account() throws(MemoError) -> Account? {
        try translatingErrors {
            let sealed = try storage.read { connection in
                try connection.first(
                    "SELECT id, created_at, sealed FROM memo_account",
                    row: { SealedBytes($0, from: 0) }
                )
            }
            guard let sealed else { return nil }
            guard let sealed else { throw MemoError.accountDamaged }
            let bytes: [UInt8]
            do {
                bytes = try outbox.sealer.open(
                    sealed.record,
                    id: sealed.id,
                    kind: .account,
                    createdAt: sealed.createdAt
                )
            } catch let error as UnreadableRecord where error.reason != .unknownKey {
                // Not an entry of the outbox, which is what this would be translated to.
                throw MemoError.accountDamaged
            }
            guard let stored = try? RelayJSON.decode(StoredAccount.self, from: bytes) else {
                throw MemoError.accountDamaged
            }
            return Account(relay: stored.relay, address: stored.address, token: stored.token)
        }
    }

    /// Whether somebody is signed in. Needs no key.
    public func hasAccount() throws(MemoError) -> Bool {
        try translatingErrors {
            try storage.read { connection in
                try connection.first("SELECT 1 FROM memo_account", row: { $0.integer(0) }) != nil
            }
        }
    }

    /// Signs in, in place of whoever was.
    public func setAccount(_ account: Account) throws(MemoError) {
        try translatingErrors {
            let stored = StoredAccount(
                relay: account.relay,
                address: account.address,
                token: account.token
            )
            let sealed = try SealedBytes(
                sealing: try RelayJSON.encode(stored),
                kind: .account,
                with: outbox.sealer
            )
            let columns = sealed.columns
            try storage.write { connection in
                _ = try connection.run(
                    "INSERT OR REPLACE INTO memo_account VALUES (1, ?, ?, ?)",
                    columns.id,
                    columns.createdAt,
                    columns.record
                )
            }
        }
    }

    /// Forgets the account. History, draft and outbox stay.
    public func removeAccount() throws(MemoError) {
        try translatingErrors {
            try storage.write { connection in
                _ = try connection.run("DELETE FROM memo_account")
            }
        }
    }
}

/// The account as it is sealed.
private struct StoredAccount: Codable {
    var relay: String
    var address: String
    var token: String
}
