/// A mail in the relay's queue: its frozen bytes and where they go.
///
/// Stored form, integers big-endian:
/// `version 1 | (length, 2 bytes | bytes) of sender, recipient, message id | message`.
public struct QueuedMail: Hashable, Sendable {
    /// The envelope's sender, an address.
    public let sender: String
    /// The envelope's one recipient, an address.
    public let recipient: String
    /// The mail's `Message-ID` without its angle brackets.
    public let messageID: String
    /// Header and body, lines ended by CR LF.
    public let message: [UInt8]

    init(sender: String, recipient: String, messageID: String, message: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.messageID = messageID
        self.message = message
    }

    /// The stored form.
    ///
    /// - Precondition: The three names are shorter than 64 KiB.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = [1]
        bytes.reserveCapacity(message.count + 512)
        for name in [sender, recipient, messageID] {
            let length = UInt16(name.utf8.count)
            bytes += [UInt8(length >> 8), UInt8(length & 0xFF)]
            bytes += name.utf8
        }
        return bytes + message
    }

    /// Reads the stored form.
    ///
    /// - Returns: `nil` if it is not one.
    init?(decoding bytes: [UInt8]) {
        guard bytes.first == 1 else { return nil }
        var rest = bytes.dropFirst()
        var names: [String] = []
        for _ in 0..<3 {
            guard rest.count >= 2 else { return nil }
            let length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
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
    }
}
