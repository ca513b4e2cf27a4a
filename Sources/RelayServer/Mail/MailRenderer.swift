import Essentials
import OutboxCore
package import RelayRules

/// Turns text into the bytes of a mail, once. The mail is stored, and every attempt sends the same
/// bytes.
package struct MailRenderer: Sendable {
    /// The sender, an address of the relay's own domain, so that the domain can sign for it.
    let from: MailAddress
    /// Signs the mails; `nil` for none.
    private let signer: DKIMSigner?

    package init(from: MailAddress, signer: DKIMSigner? = nil) {
        self.from = from
        self.signer = signer
    }

    /// The content of a mail.
    struct Content {
        var to: MailAddress
        var replyTo: MailAddress?
        var subject: MailSubject
        var text: String
        /// Unguessable letters and digits, always the same for the same mail: mailboxes drop a
        /// second mail with an equal `Message-ID`.
        var token: String
        var date: WallTime
    }

    /// The longest text, in bytes, that is always in quoted-printable, which a person can read.
    static let alwaysReadable = 1024

    /// The mail, its lines ended by CR LF, in ASCII. A text is in quoted-printable; a text longer
    /// than ``alwaysReadable`` is in base64 where that is shorter.
    ///
    /// - Complexity: O(size of the text), and the signatures.
    func render(_ content: Content) -> QueuedMail {
        let text = Array(content.text.utf8)
        let base64Length = Self.base64Length(text.count)
        let isShort = text.count <= Self.alwaysReadable
        let readable = QuotedPrintable.encode(text, atMost: isShort ? .max : base64Length)
        let messageID = content.token + "@" + from.domain
        var header = "From: Simple Memo <\(from.text)>\r\n"
        header += "To: <\(content.to.text)>\r\n"
        if let replyTo = content.replyTo { header += "Reply-To: <\(replyTo.text)>\r\n" }
        header += "Date: \(MailDate.text(content.date))\r\n"
        header += "Message-ID: <\(messageID)>\r\n"
        header += content.subject.header
        header += "MIME-Version: 1.0\r\n"
        header += "Content-Type: text/plain; charset=utf-8\r\n"
        let encoding = readable == nil ? "base64" : "quoted-printable"
        header += "Content-Transfer-Encoding: \(encoding)\r\n"
        header += "Auto-Submitted: auto-generated\r\n"
        header += "X-Entity-Ref-ID: \(content.token)\r\n"
        let body = readable ?? Self.base64(text)
        let signatures = signer?.fields(header: header, body: body) ?? ""
        return QueuedMail(
            sender: from.text,
            recipient: content.to.text,
            messageID: messageID,
            message: Array((signatures + header + "\r\n").utf8) + body
        )
    }

    /// Lines of 76 characters, each ended by CR LF
    /// ([RFC 2045, section 6.8](https://www.rfc-editor.org/rfc/rfc2045#section-6.8)).
    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let lines = Data(bytes).base64EncodedString(
            options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed]
        )
        return Array(lines.utf8) + [0x0D, 0x0A]
    }

    private static func base64Length(_ count: Int) -> Int {
        let characters = (count + 2) / 3 * 4
        return characters + (characters + 75) / 76 * 2
    }
}
