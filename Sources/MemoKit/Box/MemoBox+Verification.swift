public import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import WireCore

/// A sign-in that waits for the mailed code.
public struct OpenVerification: Hashable, Sendable {
    /// The relay's base URL.
    public let relay: String
    /// The address that the code was mailed to.
    public let address: String
    /// The relay's answer to the request for the code.
    public let mailed: MailedCode
    /// The state of the code.
    public var code: OpenCode

    /// Makes a sign-in of a code that was just mailed.
    public init(relay: String, address: String, mailed: MailedCode, code: OpenCode) {
        self.relay = relay
        self.address = address
        self.mailed = mailed
        self.code = code
    }
}

extension OpenVerification: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names the type only: address and handle belong into no log line.
    public var description: String { "OpenVerification" }
    public var debugDescription: String { "OpenVerification" }
}

extension MemoBox {
    private static let verificationDocument = SealedDocument<OpenVerification>(
        table: "memo_verification",
        kind: .account,
        damaged: .accountDamaged
    )

    /// The sign-in that waits for its code; `nil` for none, and for a code that cannot be tried any
    /// more.
    public func openVerification() throws(MemoError) -> OpenVerification? {
        guard let verification = try Self.verificationDocument.value(in: self) else { return nil }
        return verification.code.canBeTried(at: OutboxClock.system.wallTime()) ? verification : nil
    }

    /// Stores a sign-in, sealed, in place of the former one; `nil` deletes it.
    public func setOpenVerification(_ verification: OpenVerification?) throws(MemoError) {
        if let verification {
            try Self.verificationDocument.store(verification, in: self)
        } else {
            try translatingErrors {
                try storage.write { _ = try $0.run("DELETE FROM memo_verification") }
            }
        }
    }

    /// Whether a code was mailed that a person has not entered. Needs no key.
    static func isCodeAsked(at now: WallTime, in connection: Connection) throws -> Bool {
        let oldest = now.advanced(by: Milliseconds(-RelayLimits.codeLifetime.count))
        return try connection.first(
            "SELECT 1 FROM memo_verification WHERE created_at > ?",
            .integer(oldest.millisecondsSinceEpoch),
            row: { _ in true }
        ) ?? false
    }
}

extension OpenVerification: StoredDocument {
    init?(_ json: JSON) {
        guard let relay = json.text("relay"), let address = json.text("address"),
            let handle = json["handle"]?.string, let digits = json["digits"]?.number,
            let mailedAt = json["mailedAt"]?.number, let rejections = json["rejections"]?.number
        else { return nil }
        self.init(
            relay: relay,
            address: address,
            mailed: MailedCode(
                handle: handle,
                digits: Int(digits),
                isLong: json["longCode"]?.bool ?? false
            ),
            code: OpenCode(
                mailedAt: WallTime(millisecondsSinceEpoch: mailedAt),
                rejections: Int(rejections)
            )
        )
    }

    var json: JSON {
        .object([
            ("address", .string(address)),
            ("digits", .number(Int64(mailed.digits))),
            ("handle", .string(mailed.handle)),
            ("longCode", .bool(mailed.isLong)),
            ("mailedAt", .number(code.mailedAt.millisecondsSinceEpoch)),
            ("rejections", .number(Int64(code.rejections))),
            ("relay", .string(relay)),
        ])
    }
}
