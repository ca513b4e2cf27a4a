import Foundation
import OutboxCore

@testable import RelayRules
@testable import RelayServer

/// A mail of a memo: the input as a message, and as subject and text of a mail, which a plain reader
/// of MIME (https://www.rfc-editor.org/rfc/rfc2045#section-6.7) reads back.
func fuzzMail(_ input: [UInt8]) {
    let message = QueuedMail(sender: "a@b", recipient: "c@d", messageID: "x", message: input)
    _ = RenderedMail(message)
    var material = Material(input)
    let hasSubject = material.integer(UInt8.self) % 2 == 1
    let subject = String(decoding: material.name(longest: 300), as: UTF8.self)
    let text = String(decoding: material.remainder(), as: UTF8.self)
    let address = MailAddress("somebody@example.org")!
    let mail = MailRenderer(from: address).render(
        MailRenderer.Content(
            to: address,
            replyTo: nil,
            subject: MailSubject(asked: hasSubject ? subject : nil, memo: text),
            text: text,
            token: "0123456789abcdef",
            date: WallTime(millisecondsSinceEpoch: 1_795_236_598_123)
        )
    )
    let lines = mail.message.split(separator: 10, omittingEmptySubsequences: false)
    let isWhole = lines.dropLast().allSatisfy { $0.last == 13 && $0.count <= 999 }
    agree("every line ends by CR LF, and is no longer than SMTP allows", isWhole, true)
    agree("read by the relay", RenderedMail(mail).map { Array($0.text.utf8) }, Array(text.utf8))
    agree("read by the model", body(of: mail.message), Array(text.utf8))
}

private func body(of message: [UInt8]) -> [UInt8]? {
    let text = String(decoding: message, as: UTF8.self)
    let parts = text.components(separatedBy: "\r\n\r\n")
    let rest = parts.dropFirst().joined(separator: "\r\n\r\n")
    if parts[0].contains("Content-Transfer-Encoding: base64") {
        return Data(base64Encoded: rest.replacingOccurrences(of: "\r\n", with: "")).map(Array.init)
    }
    // The renderer writes an "=" before every break that is not one of the text, and all breaks of
    // the text as "=0A" or "=0D".
    let joined = rest.replacingOccurrences(of: "=\r\n", with: "")
    var decoded: [UInt8] = []
    var bytes = Array(joined.utf8)[...]
    while let byte = bytes.popFirst() {
        if byte != UInt8(ascii: "=") {
            decoded.append(byte)
            continue
        }
        guard let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16) else {
            return nil
        }
        decoded.append(value)
        bytes = bytes.dropFirst(2)
    }
    return decoded
}
