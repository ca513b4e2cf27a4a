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

    /// Without an answer to the whole message nobody knows. The last answer is then still the one
    /// to `DATA`, 354.
    var outcome: MailOutcome {
        if curlCode == CURLE_OK { return .accepted }
        let refusal = SMTPRefusal(
            code: responseCode,
            enhancedCode: dialogue.enhancedCode,
            stage: isHandedOver ? .message : dialogue.stage
        )
        if let outcome = refusal.outcome { return outcome }
        return isHandedOver ? .unknown("smtp.unanswered") : .tryLater(connectionCode)
    }

    /// Whether an open connection took no further mail: the server has closed it, or answers `MAIL`
    /// with a 4xx. The server has nothing of the mail.
    var isConnectionRefused: Bool {
        guard curlCode != CURLE_OK, !isHandedOver, !isCancelled else { return false }
        switch dialogue.stage {
        case .opening, .mail: return responseCode == 0 || (400...499).contains(responseCode)
        case .recipient, .data, .message: return false
        }
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
