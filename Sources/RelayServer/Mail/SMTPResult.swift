import CLibcurl
import OutboxCore

/// The answer of libcurl after a session, and its meaning for the mail.
struct SMTPResult {
    let curlCode: CURLcode
    /// The server's last answer: 0 if there was none.
    let responseCode: Int
    let dialogue: SMTPDialogue
    /// Whether the whole message was handed to libcurl, which then sends the final dot.
    let isHandedOver: Bool
    /// Whether this side gave up because its task was cancelled, rather than for want of time.
    let isCancelled: Bool

    /// A 5xx refuses the mail for good only where it speaks of the mail: 5.1.x to `RCPT`, and an
    /// answer to the whole message. Any other 5xx, and 5.7.x wherever it stands, speaks of the
    /// relay: of its sender address, its network, its password. A person can mend that while the
    /// mail waits.
    ///
    /// Without an answer to the whole message nobody knows. The last answer is then still the one
    /// to `DATA`, 354.
    var outcome: MailOutcome {
        if curlCode == CURLE_OK { return .accepted }
        switch responseCode {
        case 500...599:
            return isAboutThisMail ? .refused(answerCode) : .tryLater(relayCode)
        case 400...499:
            return .tryLater(answerCode)
        default:
            return isHandedOver ? .unknown("smtp.unanswered") : .tryLater(connectionCode)
        }
    }

    /// Whether an open connection took no further mail: the server has closed it, or answers `MAIL`
    /// with a 4xx. The server has nothing of the mail.
    var isConnectionRefused: Bool {
        guard curlCode != CURLE_OK, !isHandedOver, !isCancelled else { return false }
        switch dialogue.command {
        case .opening, .mail: return responseCode == 0 || (400...499).contains(responseCode)
        case .recipient, .data: return false
        }
    }

    private var isAboutThisMail: Bool {
        let code = dialogue.enhancedCode
        if code?.subject == 7 { return false }
        return isHandedOver || dialogue.command == .recipient && code?.subject == 1
    }

    /// Tells a refusal of the relay from one of the mail, in the log and in the queue; with the
    /// enhanced status code, such as `smtp.relay.550.5.7.1`, where the server sends one.
    private var relayCode: ReasonCode {
        let enhanced = dialogue.enhancedCode.map { ".5.\($0.subject).\($0.detail)" } ?? ""
        return ReasonCode(utf8: Array("smtp.relay.\(responseCode)\(enhanced)".utf8))
    }

    private var answerCode: ReasonCode {
        ReasonCode(utf8: Array("smtp.\(responseCode)".utf8))
    }

    private var connectionCode: ReasonCode {
        switch curlCode {
        case CURLE_COULDNT_RESOLVE_HOST: "smtp.resolve"
        case CURLE_COULDNT_CONNECT: "smtp.connect"
        case CURLE_OPERATION_TIMEDOUT: "smtp.timeout"
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
            "smtp.tls"
        case CURLE_LOGIN_DENIED: "smtp.authentication"
        case CURLE_ABORTED_BY_CALLBACK: isCancelled ? "smtp.cancelled" : "smtp.timeout"
        default: "smtp.connection"
        }
    }
}
