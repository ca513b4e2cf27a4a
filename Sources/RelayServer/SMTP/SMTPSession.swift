import CLibcurl
import Curl
import OutboxCore
import Synchronization

/// One mail's way to a mail server. Blocks the thread that runs it.
final class SMTPSession: Sendable {
    private let endpoint: MailServer
    private let mail: QueuedMail
    private let isCancelled = Atomic(false)
    /// How much of the message libcurl has taken. Touched by the running thread only, through
    /// libcurl's callbacks.
    private let position = Atomic(0)
    /// Whether libcurl was told that the message is complete: from here on the server may have it.
    private let isHandedOver = Atomic(false)
    private let dialogue = Mutex(SMTPDialogue())
    /// When to give up, whatever libcurl waits for: some of its waits ignore its own time limits.
    private let deadline: Mutex<ContinuousClock.Instant>

    init(endpoint: MailServer, mail: QueuedMail) {
        self.endpoint = endpoint
        self.mail = mail
        deadline = Mutex(.now + endpoint.timeout)
    }

    /// Ends the session within about a second, or, where the server may already have the mail, waits
    /// for ``StopTimes/answer``: a server that looks through a mail for long would get it twice.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        endWithin(StopTimes.answer)
    }

    private func endWithin(_ time: Duration) {
        deadline.withLock { $0 = min($0, .now + time) }
    }

    /// Runs once.
    ///
    /// A server may end an open connection at any moment, or take no further mail on it. A mail
    /// that meets this is handed over on a new connection at once.
    func run(on connections: MailConnections<Never>) -> MailOutcome {
        guard let lease = connections.lease(), let result = perform(on: lease, connections) else {
            return .tryLater("smtp.libcurl")
        }
        guard lease.mailsBefore > 0, result.isConnectionRefused, !isToEnd else {
            return result.outcome
        }
        position.store(0, ordering: .relaxed)
        dialogue.withLock { $0 = SMTPDialogue() }
        guard let new = connections.lease(new: true), let second = perform(on: new, connections)
        else { return .tryLater("smtp.libcurl") }
        return second.outcome
    }

    /// - Returns: `nil` when libcurl refuses an option: nothing was sent.
    private func perform(
        on lease: MailConnections<Never>.Lease,
        _ connections: MailConnections<Never>
    ) -> SMTPResult? {
        guard let code = lease.handle.perform(transfer(isLast: lease.isLast)) else { return nil }
        let result = SMTPResult(
            curlCode: code,
            responseCode: lease.handle.responseCode,
            dialogue: dialogue.withLock { $0 },
            isHandedOver: isHandedOver.load(ordering: .relaxed),
            isCancelled: isCancelled.load(ordering: .relaxed)
        )
        connections.giveBack(lease, isGood: result.outcome == .accepted)
        return result
    }

    private func transfer(isLast: Bool) -> CurlTransfer {
        let scheme = endpoint.security == .implicit ? "smtps" : "smtp"
        let domain = mail.sender.split(separator: "@").last ?? "localhost"
        var transfer = CurlTransfer()
        transfer.texts = [
            (CURLOPT_URL, "\(scheme)://\(endpoint.host):\(endpoint.port)/\(domain)"),
            (CURLOPT_PROTOCOLS_STR, "smtp,smtps"),
            (CURLOPT_PROXY, ""),
            (CURLOPT_MAIL_FROM, "<\(mail.sender)>"),
        ]
        if let credentials = endpoint.credentials {
            transfer.texts.append((CURLOPT_USERNAME, credentials.user))
            transfer.texts.append((CURLOPT_PASSWORD, credentials.password))
        }
        transfer.numbers = [
            (CURLOPT_UPLOAD, 1),
            (CURLOPT_SASL_IR, 1),
            // Ends the last mail's connection, with its QUIT, where ``isToEnd`` is still asked.
            (CURLOPT_FORBID_REUSE, isLast ? 1 : 0),
            // ``MailConnections`` alone ends connections that have waited for too long.
            (CURLOPT_MAXAGE_CONN, 1 << 30),
            (CURLOPT_USE_SSL, endpoint.useSSL),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(endpoint.connectTimeout / .milliseconds(1))),
            (CURLOPT_TIMEOUT_MS, Int(endpoint.timeout / .milliseconds(1))),
            (CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(endpoint.responseTimeout / .seconds(1)))),
        ]
        transfer.lists = [(CURLOPT_MAIL_RCPT, ["<\(mail.recipient)>"])]
        transfer.provide = { self.read(into: $0) }
        transfer.noteCommand = { line in self.dialogue.withLock { $0.sent(line) } }
        transfer.noteAnswer = { self.answered($0) }
        transfer.shouldStop = { self.isToEnd }
        return transfer
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let start = position.load(ordering: .relaxed)
        let chunk = mail.message[start...].prefix(buffer.count)
        buffer.copyBytes(from: chunk)
        position.store(start + chunk.count, ordering: .relaxed)
        if chunk.isEmpty { isHandedOver.store(true, ordering: .relaxed) }
        return chunk.count
    }

    /// Notes a line of the server's reply. After the reply to the whole message only QUIT is left.
    private func answered(_ line: UnsafeRawBufferPointer) {
        dialogue.withLock { $0.received(line) }
        if isHandedOver.load(ordering: .relaxed) { endWithin(.seconds(1)) }
    }

    private var isToEnd: Bool {
        isCancelled.load(ordering: .relaxed) && !isHandedOver.load(ordering: .relaxed)
            || deadline.withLock { $0 <= .now }
    }
}
