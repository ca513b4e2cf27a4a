public import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import WireCore

/// The account of this device: the relay, the person's verified address, and the device's token.
///
/// Sealed at rest. The token can send mail to its owner and to nobody else.
public struct Account: Hashable, Sendable {
    /// The relay's base URL, such as `https://relay.example.org`.
    public var relay: String
    /// The verified address.
    public var address: String
    /// The device token. Never printed, logged or put on a command line.
    public var token: String

    /// Makes an account of its parts. Checks none of them.
    ///
    /// - Parameters:
    ///   - relay: The relay's base URL.
    ///   - address: The verified address.
    ///   - token: The device token.
    public init(relay: String, address: String, token: String) {
        self.relay = relay
        self.address = address
        self.token = token
    }
}

extension Account: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names the type only, so that an account in a log line gives nothing away.
    public var description: String { "Account" }
    public var debugDescription: String { "Account" }
}

extension MemoBox {
    private static let accountDocument = SealedDocument<Account>(
        table: "memo_account",
        kind: .account,
        damaged: .accountDamaged
    )

    /// The account that is signed in; `nil` for none.
    ///
    /// - Throws: ``MemoError/wrongKey(_:)`` when the account was sealed with another key than the
    ///   present one; ``MemoError/accountDamaged`` when no key will open it.
    public func account() throws(MemoError) -> Account? {
        try Self.accountDocument.value(in: self)
    }

    /// Whether an account is signed in. Needs no key.
    public func hasAccount() throws(MemoError) -> Bool {
        try translatingErrors {
            try storage.read { connection in
                try connection.first("SELECT 1 FROM memo_account", row: { $0.integer(0) }) != nil
            }
        }
    }

    /// The standing of this device's account. Needs no key.
    public func accountStanding() throws(MemoError) -> AccountStanding {
        let now = OutboxClock.system.wallTime()
        return try translatingErrors {
            try storage.read { connection in
                let refusal: Int64?? = try connection.first(
                    "SELECT refused_at FROM memo_account",
                    row: { $0.optionalInteger(0) }
                )
                guard let refusal else {
                    return try Self.isCodeAsked(at: now, in: connection) ? .codeAsked : .signedOut
                }
                return refusal == nil ? .signedIn : .signedOutElsewhere
            }
        }
    }

    /// Notes that the relay refuses the token of an account. Does nothing when another account, or
    /// another token, was stored meanwhile.
    package func noteRefusal(of account: Account) throws(MemoError) {
        guard let (id, stored) = try Self.accountDocument.stored(in: self),
            stored == account
        else { return }
        let now = OutboxClock.system.wallTime()
        try translatingErrors {
            try storage.write { connection in
                _ = try connection.run(
                    "UPDATE memo_account SET refused_at = ? WHERE id = ? AND refused_at IS NULL",
                    .integer(now.millisecondsSinceEpoch),
                    .blob(id.bytes)
                )
            }
        }
    }

    /// Notes that the relay accepts the stored token.
    package func noteAcceptance() throws(MemoError) {
        guard try accountStanding() == .signedOutElsewhere else { return }
        try translatingErrors { try storage.write { try Self.forgetRefusal(in: $0) } }
    }

    static func forgetRefusal(in connection: Connection) throws {
        try connection.run("UPDATE memo_account SET refused_at = NULL WHERE refused_at IS NOT NULL")
    }

    /// Stores the account, sealed, in place of the former one.
    public func setAccount(_ account: Account) throws(MemoError) {
        try Self.accountDocument.store(account, in: self)
    }

    /// Deletes the account. History, draft and outbox stay.
    public func removeAccount() throws(MemoError) {
        try translatingErrors {
            try storage.write { connection in
                _ = try connection.run("DELETE FROM memo_account")
            }
        }
    }
}

extension Account: StoredDocument {
    init?(_ json: JSON) {
        guard let relay = json.text("relay"), let address = json.text("address"),
            let token = json.text("token")
        else { return nil }
        self.init(relay: relay, address: address, token: token)
    }

    var json: JSON {
        .object([
            ("address", .string(address)), ("relay", .string(relay)), ("token", .string(token)),
        ])
    }
}
