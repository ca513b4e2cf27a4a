import MemoCore
package import OutboxCore

/// A mail in the relay's queue: its frozen bytes, sender and recipient.
///
/// Stored form, integers big-endian:
/// `version 1 | (length, 2 bytes | bytes) of sender, recipient, message id | message`. A memo's mail has
/// version 2, and the memo's identifier, 16 bytes, behind it.
public struct QueuedMail: Hashable, Sendable {
    /// The address of the SMTP envelope's sender.
    public let sender: String
    /// The address of the SMTP envelope's one recipient.
    public let recipient: String
    /// The mail's `Message-ID` without its angle brackets.
    public let messageID: String
    /// Header and body, lines ended by CR LF.
    public let message: [UInt8]
    /// The identifier of the mail's memo, under which its sender's history has it; `nil` for a mail of
    /// no memo, and for one that an earlier build stored.
    package var memo: OperationID?
    /// The tag by which a provider's events name the mail; `nil` for a mail of no memo. Not stored.
    package var tag: String?
    /// What is known of earlier attempts. Not stored with the mail.
    package var earlier = EarlierAttempts()

    /// The time of a mail in the queue, and the failure of its latest attempt.
    package struct EarlierAttempts: Hashable, Sendable {
        /// The time at which the mail was queued; `nil` where it is unknown.
        package var queuedAt: WallTime?
        /// The reason of the latest failure; `nil` for none.
        package var lastFailure: ReasonCode?
    }

    package init(sender: String, recipient: String, messageID: String, message: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.messageID = messageID
        self.message = message
    }

    /// The stored form.
    ///
    /// - Precondition: The three names are shorter than 64 KiB.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = memo.map { [2] + $0.bytes } ?? [1]
        bytes.reserveCapacity(message.count + 512)
        for name in [sender, recipient, messageID] {
            bytes += bigEndian(UInt16(name.utf8.count)) + Array(name.utf8)
        }
        return bytes + message
    }

    /// Reads the stored form.
    ///
    /// - Returns: The mail; `nil` for bytes that are not a stored form.
    package init?(decoding bytes: [UInt8]) {
        var rest = bytes.dropFirst()
        var memo: OperationID?
        switch bytes.first {
        case 1: break
        case 2:
            memo = OperationID(bytes: Array(rest.prefix(16)))
            guard memo != nil else { return nil }
            rest = rest.dropFirst(16)
        default: return nil
        }
        var names: [String] = []
        for _ in 0..<3 {
            guard rest.count >= 2 else { return nil }
            let length = Int(number(bigEndian: rest.prefix(2)))
            rest = rest.dropFirst(2)
            guard rest.count >= length,
                let name = String(validating: rest.prefix(length), as: UTF8.self)
            else { return nil }
            names.append(name)
            rest = rest.dropFirst(length)
        }
        self.init(
            sender: names[0],
            recipient: names[1],
            messageID: names[2],
            message: Array(rest)
        )
        self.memo = memo
    }
}
