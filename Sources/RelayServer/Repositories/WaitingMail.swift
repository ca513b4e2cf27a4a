public import OutboxCore
import RelayAPI
import RelayRules

/// A mail that the relay has yet to hand over: it is due, or it waits after a failure, or its operator
/// holds it. Without content, and without the address.
public struct WaitingMail: Hashable, Sendable {
    /// The mail's identifier, which the relay's log calls `operation`.
    public let id: OperationID
    /// The identifier under which the sender's history has the memo; `nil` for a mail of no memo.
    public let memo: OperationID?
    /// The content of the mail: `memo`, `code`, or `device` for the news of a new device; `nil` when the
    /// bookkeeping cannot be read.
    public let kind: String?
    /// The reason of the last failure, such as `smtp.451`; `nil` for a mail that has not failed.
    public let reason: String?
    /// The time at which the mail was queued.
    public let queuedAt: WallTime
    /// The number of failed attempts; 0 when the bookkeeping cannot be read.
    public let attempts: UInt32
    /// The moment of the next attempt; `nil` for a mail that is due at once.
    public let dueAt: WallTime?
    /// The time since which the operator holds the mail; `nil` for a mail that is not held.
    public let heldSince: WallTime?
    /// The domain of the recipient; `nil` for a mail of no account.
    public let domain: String?
    /// The length of the sealed mail, in bytes.
    public let bytes: Int
    /// Whether the mail's bookkeeping can be read. Only such a mail can be held.
    public let isReadable: Bool

    /// The description of a stored mail.
    ///
    /// - Parameters:
    ///   - id: The mail's identifier.
    ///   - envelope: The stored envelope.
    ///   - bytes: The length of the sealed mail.
    ///   - memo: The identifier of the mail's memo.
    ///   - domain: The domain of the recipient.
    ///   - heldSince: The time since which the operator holds the mail.
    package init(
        id: OperationID,
        envelope stored: [UInt8],
        bytes: Int,
        memo: OperationID?,
        domain: String?,
        heldSince: WallTime?
    ) {
        self.id = id
        self.memo = memo
        self.domain = domain
        self.bytes = bytes
        self.heldSince = heldSince
        let envelope = try? Envelope(decoding: stored)
        isReadable = envelope != nil
        kind = envelope.flatMap { Self.kinds[$0.kind] }
        reason = envelope?.lastError.map { _ in "\(ReasonCode(lastErrorOf: stored))" }
        queuedAt = envelope?.createdAt ?? MailPart.memos.time(of: id)
        attempts = envelope?.attemptCount ?? 0
        let due = envelope?.nextEligibleAt ?? .distantPast
        dueAt = due == .distantPast ? nil : due
    }

    private static let kinds: [OperationKind: String] = [
        .memoMail: "memo", .verificationMail: "code", .deviceMail: "device",
    ]

    /// The mails as a JSON array with one object for each, and a line end.
    public static func json(_ mails: [WaitingMail]) throws -> [UInt8] {
        try RelayJSON.encode(mails.map(Described.init)) + [0x0A]
    }

    /// The mail as a JSON object, and a line end.
    public func json() throws -> [UInt8] {
        try RelayJSON.encode(Described(self)) + [0x0A]
    }

    private struct Described: Encodable {
        let attempts: UInt32
        let bytes: Int
        let domain: String?
        let dueAt: String?
        let heldSince: String?
        let id: String
        let kind: String?
        let memo: String?
        let queuedAt: String
        let reason: String?

        init(_ mail: WaitingMail) {
            attempts = mail.attempts
            bytes = mail.bytes
            domain = mail.domain
            dueAt = mail.dueAt.map { "\($0)" }
            heldSince = mail.heldSince.map { "\($0)" }
            id = String(decoding: mail.id.text, as: UTF8.self)
            kind = mail.kind
            memo = mail.memo.map { String(decoding: $0.text, as: UTF8.self) }
            queuedAt = "\(mail.queuedAt)"
            reason = mail.reason
        }
    }
}

extension WaitingMail: ListedMail {
    package var lastFailure: String? { reason }
}
