import CLibcurl
import Curl
import OutboxCore
import Synchronization

/// One request to Resend, and its answer. Only the thread that runs it touches the answer.
final class ResendExchange: @unchecked Sendable {
    /// The result of a request.
    enum Result {
        case answered(ResendAnswer)
        /// There was no answer; with what is known of the mail then.
        case unanswered(MailOutcome)
    }

    private let endpoint: ResendEndpoint
    private let request: ResendRequest
    private let isCancelled = Atomic(false)
    private var answer: [UInt8] = []
    /// Whether there was a connection: from then on Resend may have the mail.
    private var isConnected = false

    init(_ request: ResendRequest, _ endpoint: ResendEndpoint) {
        self.request = request
        self.endpoint = endpoint
    }

    /// Ends ``run(on:)`` within about a second, from any thread.
    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
    }

    /// Sends the request and reads the answer; blocks. Runs once.
    func run(on handle: CurlHandle) -> Result {
        defer { handle.reset() }
        guard let code = handle.perform(transfer) else {
            return .unanswered(.tryLater("resend.libcurl"))
        }
        guard code == CURLE_OK, handle.responseCode >= 200 else {
            return .unanswered(
                isConnected ? .unknown("resend.unanswered") : .tryLater(reason(code))
            )
        }
        return .answered(
            ResendAnswer(
                status: handle.responseCode,
                retryAfter: handle.field("Retry-After"),
                body: answer
            )
        )
    }

    private var transfer: CurlTransfer {
        var transfer = CurlTransfer()
        transfer.texts = [
            (CURLOPT_URL, "\(endpoint.url)/emails"),
            (CURLOPT_PROTOCOLS_STR, "http,https"),
        ]
        if endpoint.isOfThisMachine { transfer.texts.append((CURLOPT_PROXY, "")) }
        transfer.numbers = [
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_CONNECTTIMEOUT_MS, Int(endpoint.connectTimeout / .milliseconds(1))),
            (CURLOPT_TIMEOUT_MS, Int(endpoint.timeout / .milliseconds(1))),
        ]
        transfer.lists = [
            (
                CURLOPT_HTTPHEADER,
                [
                    "Authorization: Bearer \(endpoint.key.text)",
                    "Content-Type: application/json",
                    "Idempotency-Key: \(request.idempotencyKey)",
                    "User-Agent: simple-memo-relay",
                    // Without an empty one, a long body waits a second for a "100 Continue".
                    "Expect:",
                ]
            )
        ]
        transfer.body = request.body
        transfer.receive = { bytes in
            guard self.answer.count + bytes.count <= ResendAnswer.longestBody else { return false }
            self.answer.append(contentsOf: bytes)
            return true
        }
        transfer.noteConnection = { self.isConnected = true }
        transfer.shouldStop = { self.isCancelled.load(ordering: .relaxed) }
        return transfer
    }

    private func reason(_ code: CURLcode) -> ReasonCode {
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST: "resend.resolve"
        case CURLE_OPERATION_TIMEDOUT: "resend.timeout"
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR: "resend.tls"
        case CURLE_ABORTED_BY_CALLBACK: "resend.cancelled"
        default: "resend.connect"
        }
    }
}
