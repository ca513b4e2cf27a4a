import OutboxCore

/// Turns text into the bytes of a mail, once. The mail is stored, and every attempt sends the same
/// bytes.
package struct MailRenderer: Sendable {
    /// The sender, an address of the relay's own domain, so that the domain can sign for it.
    let from: MailAddress

    package init(from: MailAddress) {
        self.from = from
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

    /// The mail, its lines ended by CR LF, in ASCII.
    ///
    /// - Complexity: O(size of the text).
    func render(_ content: Content) -> QueuedMail {
        let messageID = content.token + "@" + from.domain
        var header = "From: Simple Memo <\(from.text)>\r\n"
        header += "To: <\(content.to.text)>\r\n"
        if let replyTo = content.replyTo { header += "Reply-To: <\(replyTo.text)>\r\n" }
        header += "Date: \(MailDate.text(content.date))\r\n"
        header += "Message-ID: <\(messageID)>\r\n"
        header += content.subject.header
        header += "MIME-Version: 1.0\r\n"
        header += "Content-Type: text/plain; charset=utf-8\r\n"
        header += "Content-Transfer-Encoding: quoted-printable\r\n"
        header += "Auto-Submitted: auto-generated\r\n"
        header += "X-Entity-Ref-ID: \(content.token)\r\n\r\n"
        return QueuedMail(
            sender: from.text,
            recipient: content.to.text,
            messageID: messageID,
            message: Array(header.utf8) + QuotedPrintable.encode(content.text.utf8)
        )
    }
}
