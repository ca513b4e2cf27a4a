#if !canImport(Darwin)

    import CLibcurl
    import Curl
    import LibC
    import MemoCore
    import Synchronization

    /// One request by libcurl, and its answer. Only the thread that runs it touches the answer.
    final class CurlExchange: @unchecked Sendable {
        private let request: PreparedRequest
        private let limits: RelayClient.Limits
        private let authorities: String?
        private let isCancelled = Atomic(false)
        private var body: [UInt8] = []
        private var isTooLong = false
        private var isConnected = false

        /// - Parameter authorities: The absolute path of a file of certificates; `nil` for none.
        init(_ request: PreparedRequest, _ limits: RelayClient.Limits, authorities: String?) {
            self.request = request
            self.limits = limits
            self.authorities = authorities
        }

        /// Ends ``run(on:)`` within about a second, from any thread.
        func cancel() {
            isCancelled.store(true, ordering: .relaxed)
        }

        /// Sends the request and reads the answer; blocks. Runs once.
        func run(on handle: CurlHandle) -> Result<RelayAnswer, RelayFailure> {
            defer { handle.reset() }
            guard let code = handle.perform(transfer) else { return .failure(.connectionLost) }
            if code != CURLE_OK { return .failure(failure(code)) }
            let status = handle.responseCode
            guard status >= 200 else { return .failure(.connectionLost) }
            return .success(RelayAnswer(status: status, body: body) { handle.field($0) })
        }

        private var transfer: CurlTransfer {
            var transfer = CurlTransfer()
            transfer.texts = [
                (CURLOPT_CUSTOMREQUEST, request.method),
                (CURLOPT_URL, request.url),
                (CURLOPT_PROTOCOLS_STR, "http,https"),
            ]
            if let authorities {
                transfer.texts.append((CURLOPT_CAINFO, authorities))
            }
            // An empty name also keeps out the proxies that the environment names.
            if request.isLoopback { transfer.texts.append((CURLOPT_PROXY, "")) }
            let length = request.body.count
            transfer.numbers = [
                (CURLOPT_FOLLOWLOCATION, 0),
                (CURLOPT_CONNECTTIMEOUT_MS, Int(limits.idle / .milliseconds(1))),
                (CURLOPT_TIMEOUT_MS, Int(limits.total(for: length) / .milliseconds(1))),
                (CURLOPT_LOW_SPEED_LIMIT, 1),
                (CURLOPT_LOW_SPEED_TIME, max(1, Int(limits.idle(for: length) / .seconds(1)))),
            ]
            // Without an empty "Expect", a long body waits a second for a "100 Continue".
            let fields = request.fields.map { "\($0.name): \($0.value)" } + ["Expect:"]
            transfer.lists = [(CURLOPT_HTTPHEADER, fields)]
            transfer.body = request.body
            transfer.receive = { bytes in
                self.isTooLong = self.body.count + bytes.count > self.limits.answerLength
                if !self.isTooLong { self.body.append(contentsOf: bytes) }
                return !self.isTooLong
            }
            transfer.noteConnection = { self.isConnected = true }
            transfer.shouldStop = { self.isCancelled.load(ordering: .relaxed) }
            return transfer
        }

        private func failure(_ code: CURLcode) -> RelayFailure {
            switch code {
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
                .unreachable
            case CURLE_OPERATION_TIMEDOUT: isConnected ? .timedOut : .unreachable
            case CURLE_WRITE_ERROR where isTooLong: .answerTooLong
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
                .untrusted
            default: .connectionLost
            }
        }
    }

#endif
