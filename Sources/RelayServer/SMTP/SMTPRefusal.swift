import OutboxCore

/// A part of a mail's way through an SMTP session.
enum SMTPStage: Hashable, Sendable, CaseIterable {
    /// All that precedes the mail: the greeting, `EHLO`, `STARTTLS`, `AUTH` and its answers.
    case opening
    /// `MAIL`, which names the sender.
    case mail
    /// `RCPT`, which names the recipient.
    case recipient
    /// `DATA`, by which the server is asked to take the message.
    case data
    /// The message with its final dot.
    case message
}

/// A reply by which a server does not take a mail, and its meaning for the mail.
///
/// A 5xx refuses the mail for good only where it speaks of the mail: 5.1.x to `RCPT`, and an answer
/// to the whole message. Any other 5xx, and 5.7.x wherever it stands, speaks of the relay: of its
/// sender address, its network, its password. A person can mend that while the mail waits.
struct SMTPRefusal: Hashable, Sendable {
    /// The reply code.
    let code: Int
    /// The enhanced status code; `nil` where the server sends none.
    let enhancedCode: EnhancedCode?
    /// The stage that the reply ends.
    let stage: SMTPStage

    /// The mail's outcome; `nil` for a code that is neither 4xx nor 5xx, which decides nothing.
    var outcome: MailOutcome? {
        switch code {
        case 500...599: isAboutThisMail ? .refused(answerCode) : .tryLater(relayCode)
        case 400...499: .tryLater(answerCode)
        default: nil
        }
    }

    private var isAboutThisMail: Bool {
        if enhancedCode?.subject == 7 { return false }
        return stage == .message || stage == .recipient && enhancedCode?.subject == 1
    }

    /// Tells a refusal of the relay from one of the mail, in the log and in the queue; with the
    /// enhanced status code, such as `smtp.relay.550.5.7.1`, where the server sends one.
    private var relayCode: ReasonCode {
        let enhanced = enhancedCode.map { ".5.\($0.subject).\($0.detail)" } ?? ""
        return ReasonCode(utf8: Array("smtp.relay.\(code)\(enhanced)".utf8))
    }

    private var answerCode: ReasonCode {
        ReasonCode(utf8: Array("smtp.\(code)".utf8))
    }
}
