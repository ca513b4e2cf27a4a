import CLibcurl
import CurlShims
import OutboxCore
import Synchronization

/// One mail's connection to a mail server. Blocks the thread that runs it.
final class SMTPSession: Sendable {
    private let endpoint: SMTPEndpoint
    private let mail: QueuedMail
    private let isCancelled = Atomic(false)
    /// How much of the message libcurl has taken. Touched by the running thread only, through
    /// libcurl's callbacks.
    private let position = Atomic(0)
    /// Whether libcurl was told that the message is complete: from here on the server may have it.
    private let isHandedOver = Atomic(false)
    /// When to give up, whatever libcurl waits for: some of its waits ignore its own time limits.
    private let deadline: Mutex<ContinuousClock.Instant>

    init(endpoint: SMTPEndpoint, mail: QueuedMail) {
        self.endpoint = endpoint
        self.mail = mail
        deadline = Mutex(.now + endpoint.timeout)
    }

    /// Ends the session within about a second, or, where the server may already have the mail,
    /// gives it five seconds to say so.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        endWithin(.seconds(5))
    }

    private func endWithin(_ time: Duration) {
        deadline.withLock { $0 = min($0, .now + time) }
    }

    /// Runs once.
    func run() -> MailOutcome {
        guard Self.isCurlReady, let handle = curl_easy_init() else {
            return .tryLater("smtp.libcurl")
        }
        defer { curl_easy_cleanup(handle) }
        let recipients = curl_slist_append(nil, "<\(mail.recipient)>")
        defer { curl_slist_free_all(recipients) }
        guard recipients != nil, configure(handle, recipients: recipients) else {
            return .tryLater("smtp.libcurl")
        }
        let result = withExtendedLifetime(self) { curl_easy_perform(handle) }
        return SMTPResult(
            curlCode: result,
            responseCode: memo_curl_response_code(handle),
            isHandedOver: isHandedOver.load(ordering: .relaxed),
            isCancelled: isCancelled.load(ordering: .relaxed)
        ).outcome
    }

    private static let isCurlReady = memo_curl_global_init() == CURLE_OK

    private func configure(
        _ handle: UnsafeMutableRawPointer,
        recipients: UnsafeMutablePointer<curl_slist>?
    ) -> Bool {
        let scheme = endpoint.security == .implicit ? "smtps" : "smtp"
        let domain = mail.sender.split(separator: "@").last ?? "localhost"
        var strings: [(CURLoption, String)] = [
            (CURLOPT_URL, "\(scheme)://\(endpoint.host):\(endpoint.port)/\(domain)"),
            (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            (CURLOPT_PROXY, ""),
            (CURLOPT_MAIL_FROM, "<\(mail.sender)>"),
        ]
        if let credentials = endpoint.credentials {
            strings.append((CURLOPT_USERNAME, credentials.user))
            strings.append((CURLOPT_PASSWORD, credentials.password))
        }
        let longs: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_UPLOAD, 1),
            (CURLOPT_SASL_IR, 1),
            // Ends the connection, with its QUIT, where ``isToEnd`` is still asked.
            (CURLOPT_FORBID_REUSE, 1),
            (CURLOPT_USE_SSL, useSSL),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(endpoint.connectTimeout / .milliseconds(1))),
            (CURLOPT_TIMEOUT_MS, Int(endpoint.timeout / .milliseconds(1))),
            (CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(endpoint.responseTimeout / .seconds(1)))),
        ]
        let context = Unmanaged.passUnretained(self).toOpaque()
        return strings.allSatisfy { memo_curl_set_string(handle, $0, $1) == CURLE_OK }
            && longs.allSatisfy { memo_curl_set_long(handle, $0, $1) == CURLE_OK }
            && memo_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients) == CURLE_OK
            && memo_curl_set_read(handle, readMessage, context) == CURLE_OK
            && memo_curl_set_header(handle, noticeAnswer, context) == CURLE_OK
            && memo_curl_set_progress(handle, checkCancellation, context) == CURLE_OK
    }

    private var useSSL: Int {
        switch endpoint.security {
        case .implicit, .require: Int(CURLUSESSL_ALL.rawValue)
        case .opportunistic: Int(CURLUSESSL_TRY.rawValue)
        }
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = position.load(ordering: .relaxed)
        let chunk = mail.message[start...].prefix(buffer.count)
        buffer.copyBytes(from: chunk)
        position.store(start + chunk.count, ordering: .relaxed)
        if chunk.isEmpty { isHandedOver.store(true, ordering: .relaxed) }
        return chunk.count
    }

    /// The server said something. If that was about the whole message, all that is left is to say
    /// goodbye.
    fileprivate func answered() {
        if isHandedOver.load(ordering: .relaxed) { endWithin(.seconds(1)) }
    }

    fileprivate var isToEnd: Bool {
        isCancelled.load(ordering: .relaxed) && !isHandedOver.load(ordering: .relaxed)
            || deadline.withLock { $0 <= .now }
    }
}

private func session(_ context: UnsafeMutableRawPointer?) -> SMTPSession {
    guard let context else { preconditionFailure("libcurl lost its context") }
    return Unmanaged<SMTPSession>.fromOpaque(context).takeUnretainedValue()
}

private func readMessage(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    session(context).read(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count)
    )
}

private func noticeAnswer(
    _: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    session(context).answered()
    return size * count
}

private func checkCancellation(
    _ context: UnsafeMutableRawPointer?,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t
) -> Int32 {
    session(context).isToEnd ? 1 : 0
}
