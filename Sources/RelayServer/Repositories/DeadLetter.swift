public import OutboxCore
import RelayAPI
import RelayRules

/// A mail that the relay will not attempt again by itself: the mail server refused it for good, it
/// has expired, or its stored bytes cannot be read. Without content, and without the address.
public struct DeadLetter: Hashable, Sendable {
    /// The mail's identifier, which the relay's log calls `operation`.
    public let id: OperationID
    /// The identifier under which the sender's history has the memo; `nil` for a mail of no memo.
    public let memo: OperationID?
    /// The reason, such as `smtp.550` or `expired.smtp.451`.
    public let reason: String
    /// The time at which the mail was queued.
    public let queuedAt: WallTime
    /// The number of failed attempts, the last one included; 0 when the bookkeeping cannot be read.
    public let attempts: UInt32
    /// The domain of the recipient; `nil` for a mail of no account.
    public let domain: String?
    /// The length of the sealed mail, in bytes.
    public let bytes: Int
    /// Whether the mail can be attempted again: its bookkeeping can be read.
    public let isRetryable: Bool

    /// The letter of a stored mail.
    ///
    /// - Parameters:
    ///   - id: The mail's identifier.
    ///   - isParked: Whether the mail is parked. Else it is quarantined.
    ///   - quarantine: The reason of the quarantine, as it is stored.
    ///   - envelope: The stored envelope.
    ///   - bytes: The length of the sealed mail.
    ///   - memo: The identifier of the mail's memo.
    ///   - domain: The domain of the recipient.
    package init(
        id: OperationID,
        isParked: Bool,
        quarantine: String?,
        envelope: [UInt8],
        bytes: Int,
        memo: OperationID?,
        domain: String?
    ) {
        self.id = id
        self.memo = memo
        self.domain = domain
        self.bytes = bytes
        reason = Self.reason(isParked: isParked, quarantine: quarantine, envelope: envelope)
        let envelope = try? Envelope(decoding: envelope)
        queuedAt = envelope?.createdAt ?? MailPart.memos.time(of: id)
        // A refusal for good, or an expiry, is not counted by the queue: it ends the counting.
        attempts = envelope.map { $0.attemptCount + (isParked ? 1 : 0) } ?? 0
        isRetryable = isParked && envelope != nil
    }

    /// The letters as a JSON array with one object for each, and a line end.
    public static func json(_ letters: [DeadLetter]) throws -> [UInt8] {
        try RelayJSON.encode(letters.map(Described.init)) + [0x0A]
    }

    /// The letter as a JSON object, and a line end.
    public func json() throws -> [UInt8] {
        try RelayJSON.encode(Described(self)) + [0x0A]
    }

    private struct Described: Encodable {
        let attempts: UInt32
        let bytes: Int
        let domain: String?
        let id: String
        let memo: String?
        let queuedAt: String
        let reason: String
        let retryable: Bool

        init(_ letter: DeadLetter) {
            attempts = letter.attempts
            bytes = letter.bytes
            domain = letter.domain
            id = String(decoding: letter.id.text, as: UTF8.self)
            memo = letter.memo.map { String(decoding: $0.text, as: UTF8.self) }
            queuedAt = "\(letter.queuedAt)"
            reason = letter.reason
            retryable = letter.isRetryable
        }
    }
}

extension DeadLetter: ListedMail {
    package var lastFailure: String? { reason }
}

extension DeadLetter {
    /// The reason of a stored mail, only of characters that are safe to show.
    package static func reason(isParked: Bool, quarantine: String?, envelope: [UInt8]) -> String {
        if isParked { return "\(ReasonCode(lastErrorOf: envelope))" }
        let damage = ReasonCode(utf8: Array((quarantine ?? "").utf8))
        return damage.isPlain ? "\(damage)" : "quarantine"
    }
}
