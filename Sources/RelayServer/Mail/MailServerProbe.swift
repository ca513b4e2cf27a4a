import CLibcurl
import Curl

/// Looks at the TLS of a mail server: greets it, protects the connection as the relay would, and leaves. No
/// password is sent, and no mail. Blocks the thread that runs it.
package enum MailServerProbe {
    /// What the mail server answered.
    package enum Result: Hashable, Sendable {
        /// The connection is protected, and the certificate is the server's own.
        case protected
        /// The server does not offer STARTTLS.
        case unprotected
        /// The certificate is not that of a server of this name, or its authority is not known, or it has
        /// expired.
        case badCertificate
        /// Server and relay agree on no protection.
        case failed
        /// The server's name has no address.
        case noName
        /// Nothing takes connections there, or no answer came in time.
        case unreachable
        /// The server ended the session with this reply, or spoke no SMTP (0).
        case refused(reply: Int)
    }

    /// The time for connecting and for the whole session, in seconds.
    private static let seconds = 15

    /// Looks at a server.
    ///
    /// - Returns: `nil` when libcurl cannot be used.
    package static func look(at server: MailServer) -> Result? {
        guard let handle = CurlHandle() else { return nil }
        let scheme = server.security == .implicit ? "smtps" : "smtp"
        var transfer = CurlTransfer()
        transfer.texts = [
            (CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)"),
            (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            (CURLOPT_PROXY, ""),
            (CURLOPT_CUSTOMREQUEST, "NOOP"),
        ]
        transfer.numbers = [
            (CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)),
            (CURLOPT_CONNECTTIMEOUT, seconds),
            (CURLOPT_TIMEOUT, seconds),
            (CURLOPT_FORBID_REUSE, 1),
        ]
        transfer.receive = { _ in true }
        guard let code = handle.perform(transfer) else { return nil }
        return result(code, reply: handle.responseCode)
    }

    static func result(_ code: CURLcode, reply: Int) -> Result {
        switch code {
        case CURLE_OK: .protected
        case CURLE_USE_SSL_FAILED: .unprotected
        case CURLE_PEER_FAILED_VERIFICATION: .badCertificate
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .failed
        case CURLE_COULDNT_RESOLVE_HOST: .noName
        case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT: .unreachable
        default: .refused(reply: reply)
        }
    }
}
