import OutboxCore

/// The last command of an SMTP session, and the enhanced code of the last reply.
///
/// The commands and replies are noted line by line. `QUIT` and its reply end the session and are
/// not noted. No line is kept: a line may hold a password or an address.
struct SMTPDialogue: Hashable, Sendable {
    /// The command that the last reply answers.
    enum Command: Hashable, Sendable {
        /// Any command before the mail is named: `EHLO`, `STARTTLS`, `AUTH` and its answers.
        case opening
        case mail
        case recipient
        /// `DATA`, and after it the message with its final dot.
        case data
    }

    /// The subject and the detail of an enhanced status code
    /// ([RFC 3463](https://www.rfc-editor.org/rfc/rfc3463#section-2)), such as 1 and 2 of `5.1.2`.
    struct EnhancedCode: Hashable, Sendable {
        let subject: Int
        let detail: Int
    }

    private(set) var command = Command.opening
    /// `nil` where the server sends no such codes.
    private(set) var enhancedCode: EnhancedCode?
    private var isOver = false

    /// Notes a command that was sent.
    mutating func sent(_ line: some Sequence<UInt8>) {
        guard !isOver else { return }
        switch Array(line.prefix(4)) {
        case Array("MAIL".utf8): command = .mail
        case Array("RCPT".utf8): command = .recipient
        case Array("DATA".utf8): command = .data
        case Array("QUIT".utf8): isOver = true
        default: break
        }
    }

    /// Notes a line of a reply, such as `550 5.7.1 refused`.
    mutating func received(_ line: some Sequence<UInt8>) {
        guard !isOver else { return }
        let text = String(decoding: Array(line.prefix(32)), as: UTF8.self)
        let code = text.dropFirst(4).prefix(while: { $0.isNumber || $0 == "." })
            .split(separator: ".", omittingEmptySubsequences: false)
        guard code.count == 3, code[0].first == text.first, let subject = Int(code[1]),
            let detail = Int(code[2]), subject <= 999, detail <= 999
        else {
            enhancedCode = nil
            return
        }
        enhancedCode = EnhancedCode(subject: subject, detail: detail)
    }
}
