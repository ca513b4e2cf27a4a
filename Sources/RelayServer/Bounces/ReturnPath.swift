import MemoCore
package import OutboxCore
package import RelayRules

/// The envelope senders of memos' mails: each mail has an address of its own, so that a bounce tells
/// its mail whatever else it says (variable envelope return path, VERP).
///
/// The address of a mail is `mailbox+TAG@domain`. The tag is 42 characters of base32
/// ([RFC 4648, section 6](https://www.rfc-editor.org/rfc/rfc4648#section-6)) in lower case: the 16
/// bytes of the mail's identifier in the queue, and the first 10 bytes of their HMAC-SHA256 under
/// the relay's secret. A reader takes both cases, because mail servers may change them. Without the
/// secret nobody can make an address that the relay believes.
package struct ReturnPath: Sendable {
    /// The longest part before the `@`, in bytes, that leaves room for `+` and a tag: SMTP allows 64
    /// ([RFC 5321, section 4.5.3.1.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.1)).
    package static let longestMailbox = 64 - 1 - RelaySecret.bounceTagLength

    let mailbox: MailAddress
    let secret: RelaySecret

    /// - Precondition: The part of `mailbox` before the `@` has at most ``longestMailbox`` bytes.
    package init(mailbox: MailAddress, secret: RelaySecret) {
        precondition(mailbox.localPart.utf8.count <= Self.longestMailbox)
        self.mailbox = mailbox
        self.secret = secret
    }

    /// The mail with its own envelope sender. Its bytes stay.
    func addressed(_ mail: QueuedMail, of operation: OperationID) -> QueuedMail {
        var marked = QueuedMail(
            sender: "\(mailbox.localPart)+\(secret.bounceTag(of: operation))@\(mailbox.domain)",
            recipient: mail.recipient,
            messageID: mail.messageID,
            message: mail.message
        )
        marked.memo = mail.memo
        return marked
    }
}

extension RelaySecret {
    static let bounceTagLength = 42
    private static let codeLength = 10
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package func bounceTag(of operation: OperationID) -> String {
        var text: [UInt8] = []
        var bits: UInt = 0
        var count = 0
        for byte in operation.bytes + bounceCode(of: operation) {
            bits = bits << 8 | UInt(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(Self.digits[Int(bits >> UInt(count) & 31)])
            }
            bits &= 1 << UInt(count) - 1
        }
        if count > 0 { text.append(Self.digits[Int(bits << UInt(5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The mail to whose envelope sender a bounce came.
    ///
    /// - Parameter address: An address as a mail server gives it, perhaps in angle brackets, or its
    ///   part before the `@`.
    /// - Returns: `nil` for an address that this relay has not made.
    func operation(bouncedTo address: some Collection<UInt8>) -> OperationID? {
        Self.tag(of: address).flatMap { operation(ofBounceTag: $0) }
    }

    /// Whether an address has the form of one to which a memo's mail bounces, whoever made it.
    static func mayHaveTag(_ address: some Collection<UInt8>) -> Bool {
        tag(of: address).flatMap { parts(ofBounceTag: $0) } != nil
    }

    private static func tag(of address: some Collection<UInt8>) -> [UInt8]? {
        guard address.count <= RelayLimits.addressLength + 4 else { return nil }
        let local = address.prefix { $0 != UInt8(ascii: "@") }
        guard let tag = local.split(separator: UInt8(ascii: "+")).last, tag.count < local.count
        else { return nil }
        return Array(tag)
    }

    /// The mail of a tag, in either case.
    ///
    /// - Returns: `nil` for a tag that this relay has not made.
    func operation(ofBounceTag tag: some Collection<UInt8>) -> OperationID? {
        guard let (operation, code) = Self.parts(ofBounceTag: tag) else { return nil }
        return areEqualInConstantTime(code, bounceCode(of: operation)) ? operation : nil
    }

    /// The identifier and the code of a tag, in either case; `nil` for a text that is none.
    private static func parts(
        ofBounceTag tag: some Collection<UInt8>
    ) -> (operation: OperationID, code: [UInt8])? {
        guard tag.count == bounceTagLength else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt = 0
        var count = 0
        for character in tag {
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
            guard let digit = digits.firstIndex(of: isCapital ? character | 0x20 : character)
            else { return nil }
            bits = bits << 5 | UInt(digit)
            count += 5
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt(count)))
                bits &= 1 << UInt(count) - 1
            }
        }
        guard bits == 0, let operation = OperationID(bytes: Array(bytes.dropLast(codeLength)))
        else { return nil }
        return (operation, Array(bytes.suffix(codeLength)))
    }

    private func bounceCode(of operation: OperationID) -> [UInt8] {
        Array(authenticationCode(.bounce, operation.bytes).prefix(Self.codeLength))
    }
}
