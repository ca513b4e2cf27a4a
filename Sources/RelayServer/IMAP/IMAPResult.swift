import CLibcurl
import OutboxCore

/// The end of one transfer by libcurl, and its meaning for the mail.
struct IMAPResult {
    let curlCode: CURLcode
    let dialogue: IMAPDialogue
    /// Whether this transfer appends, and the whole mail was handed to libcurl.
    let isHandedOver: Bool
    /// Whether this side gave up because its task was cancelled, rather than for want of time.
    let isCancelled: Bool

    /// - Throws: Nothing for a command that the server has executed.
    func check() throws(MailboxFailure) {
        if curlCode == CURLE_OK, dialogue.status == .ok { return }
        switch dialogue.status {
        case .no, .bad: throw .failed(answerReason)
        case .ok, nil: throw isHandedOver ? .unanswered : .failed(connectionReason)
        }
    }

    /// Whether an open connection took no further command: the server has closed it. The server has
    /// nothing of the mail.
    var isConnectionLost: Bool {
        curlCode != CURLE_OK && !isHandedOver && !isCancelled && dialogue.status == nil
    }

    /// The causes that a person has to remove have names of their own: the mail waits meanwhile.
    private var answerReason: ReasonCode {
        switch (dialogue.command, dialogue.code) {
        case (_, "OVERQUOTA"): "imap.quota"
        case (_, "UNAVAILABLE"), (_, "LIMIT"), (_, "INUSE"), (_, "SERVERBUG"): "imap.busy"
        case (.login, _), (_, "AUTHENTICATIONFAILED"): "imap.login"
        case (.select, _), (_, "TRYCREATE"), (_, "NONEXISTENT"): "imap.folder"
        case (.append, _): "imap.append"
        case (.opening, _): "imap.opening"
        case (.other, _): "imap.command"
        }
    }

    private var connectionReason: ReasonCode {
        switch curlCode {
        case CURLE_COULDNT_RESOLVE_HOST: "imap.resolve"
        case CURLE_COULDNT_CONNECT: "imap.connect"
        case CURLE_OPERATION_TIMEDOUT: "imap.timeout"
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
            "imap.tls"
        case CURLE_LOGIN_DENIED: "imap.login"
        case CURLE_ABORTED_BY_CALLBACK: isCancelled ? "imap.cancelled" : "imap.timeout"
        default: "imap.connection"
        }
    }
}
