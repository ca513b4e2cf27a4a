import Essentials

/// The parts of a mail that ``MailRenderer`` has written, for a provider that takes parts in place of
/// a message.
///
/// Reads what the renderer writes, and nothing else. So the queue keeps one form of a mail, whatever
/// the transport is.
struct RenderedMail: Hashable {
    let from: String
    let to: String
    let replyTo: String?
    let subject: String
    let text: String
    /// The fields beside these that a provider lets a sender choose: `Auto-Submitted` and
    /// `X-Entity-Ref-ID`.
    let fields: [String: String]

    /// - Returns: `nil` for a message that the renderer does not write.
    /// - Complexity: O(size).
    init?(_ mail: QueuedMail) {
        guard let end = Self.endOfHeader(mail.message) else { return nil }
        var fields: [String: String] = [:]
        let header = String(decoding: mail.message[..<end], as: UTF8.self)
            .replacing("\r\n ", with: " ")
        for line in header.split(separator: "\r\n") {
            guard let colon = line.firstRange(of: ": ") else { return nil }
            fields[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        let body = mail.message[(end + 4)...]
        let decoded: [UInt8]?
        switch fields["Content-Transfer-Encoding"] {
        case "quoted-printable": decoded = QuotedPrintable.decode(body)
        case "base64":
            decoded = Data(base64Encoded: Data(body), options: .ignoreUnknownCharacters)
                .map(Array.init)
        default: return nil
        }
        guard let decoded, let text = String(validating: decoded, as: UTF8.self),
            let from = fields["From"], let to = fields["To"],
            let subject = fields["Subject"].flatMap(MailSubject.text(ofField:))
        else { return nil }
        self.from = from
        self.to = Self.address(to)
        replyTo = fields["Reply-To"].map(Self.address)
        self.subject = subject
        self.text = text
        let kept = ["Auto-Submitted", "X-Entity-Ref-ID"]
        self.fields = fields.filter { kept.contains($0.key) }
    }

    private static func endOfHeader(_ message: [UInt8]) -> Int? {
        let emptyLine = Array("\r\n\r\n".utf8)
        return message.indices.first { message[$0...].starts(with: emptyLine) }
    }

    private static func address(_ value: String) -> String {
        value.hasPrefix("<") && value.hasSuffix(">") ? String(value.dropFirst().dropLast()) : value
    }
}
