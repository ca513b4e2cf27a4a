import CLibcurl
import OutboxCore

/// What libcurl says about a finished session, and what that means for the mail.
struct SMTPResult {
    let curlCode: CURLcode
    /// The server's last answer: 0 if there was none.
    let responseCode: Int
    /// Whether the whole message was handed to libcurl, which then sends the final dot.
    let isHandedOver: Bool
    /// Whether this side gave up because its task was cancelled, rather than for want of time.
    let isCancelled: Bool

    /// Before the message was handed over, only an answer about this mail (to `MAIL`, `RCPT` or
    /// `DATA`, which libcurl reports as a send error) refuses it for good. A 5xx to anything else,
    /// or one that asks for authentication, speaks of the relay's configuration, which a person can
    /// mend while the mail waits.
    ///
    /// After that, an answer decides; without one nobody knows. The last answer is then still the
    /// one to `DATA`, 354.
    var outcome: MailOutcome {
        if curlCode == CURLE_OK { return .accepted }
        switch responseCode {
        case 500...599:
            let isAboutThisMail =
                isHandedOver || curlCode == CURLE_SEND_ERROR && !isAboutAuthentication
            return isAboutThisMail ? .refused(answerCode) : .tryLater(answerCode)
        case 400...499:
            return .tryLater(answerCode)
        default:
            return isHandedOver ? .unknown("smtp.unanswered") : .tryLater(connectionCode)
        }
    }

    private var isAboutAuthentication: Bool {
        [530, 534, 535, 538].contains(responseCode)
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
