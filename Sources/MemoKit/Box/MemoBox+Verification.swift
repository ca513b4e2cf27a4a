public import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite

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
    private static let verificationDocument = SealedDocument<StoredVerification>(
        table: "memo_verification",
        kind: .account,
        damaged: .accountDamaged
    )

    /// The sign-in that waits for its code; `nil` for none, and for a code that cannot be tried any
    /// more.
    public func openVerification() throws(MemoError) -> OpenVerification? {
        guard let stored = try Self.verificationDocument.value(in: self) else { return nil }
        let verification = OpenVerification(stored)
        return verification.code.canBeTried(at: OutboxClock.system.wallTime()) ? verification : nil
    }

    /// Stores a sign-in, sealed, in place of the former one; `nil` deletes it.
    public func setOpenVerification(_ verification: OpenVerification?) throws(MemoError) {
        if let verification {
            try Self.verificationDocument.store(StoredVerification(verification), in: self)
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

/// A sign-in as it is sealed.
private struct StoredVerification: Codable {
    var relay: String
    var address: String
    var handle: String
    var digits: Int
    var mailedAt: Int64
    var rejections: Int

    init(_ verification: OpenVerification) {
        relay = verification.relay
        address = verification.address
        handle = String(decoding: verification.mailed.handle, as: UTF8.self)
        digits = verification.mailed.digits
        mailedAt = verification.code.mailedAt.millisecondsSinceEpoch
        rejections = verification.code.rejections
    }
}

extension OpenVerification {
    fileprivate init(_ stored: StoredVerification) {
        self.init(
            relay: stored.relay,
            address: stored.address,
            mailed: MailedCode(handle: Array(stored.handle.utf8), digits: stored.digits),
            code: OpenCode(
                mailedAt: WallTime(millisecondsSinceEpoch: stored.mailedAt),
                rejections: stored.rejections
            )
        )
    }
}
