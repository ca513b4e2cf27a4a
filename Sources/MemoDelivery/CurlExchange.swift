#if !canImport(Darwin)

    import CLibcurl
    import CurlShims
    import Synchronization

    /// One request on one libcurl handle. Its answer is touched only by the thread that runs it.
    final class CurlExchange: @unchecked Sendable {
        private let request: RelayRequest
        private let limits: RelayClient.Limits
        private let isCancelled = Atomic(false)
        private var body: [UInt8] = []
        private var isTooLong = false
        private var isConnected = false

        init(_ request: RelayRequest, _ limits: RelayClient.Limits) {
            self.request = request
            self.limits = limits
        }

        /// Ends ``run(on:)`` within about a second, from any thread.
        func cancel() {
            isCancelled.store(true, ordering: .relaxed)
        }

        /// Sends the request and reads the answer; blocks.
        func run(on handle: UnsafeMutableRawPointer) -> Result<RelayReply, RelayFailure> {
            var fields: UnsafeMutablePointer<curl_slist>?
            defer { curl_slist_free_all(fields) }
            for field in request.fields {
                fields = curl_slist_append(fields, "\(field.name): \(field.value)")
            }
            // Without this, a long body waits a second for a "100 Continue".
            fields = curl_slist_append(fields, "Expect:")
            configure(handle, fields)
            let code = request.body.withUnsafeBytes { body in
                if body.count > 0 {
                    _ = memo_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, body.count)
                    _ = memo_curl_set_pointer(
                        handle,
                        CURLOPT_POSTFIELDS,
                        UnsafeMutableRawPointer(mutating: body.baseAddress)
                    )
                }
                _ = memo_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method)
                return curl_easy_perform(handle)
            }
            if code != CURLE_OK { return .failure(failure(code)) }
            let status = memo_curl_response_code(handle)
            guard status >= 200 else { return .failure(.connectionLost) }
            let type = Self.field("Content-Type", of: handle) ?? ""
            return .success(
                RelayReply(
                    status: status,
                    mediaType: type.prefix { $0 != ";" && $0 != " " }.lowercased(),
                    retryAfter: Self.field("Retry-After", of: handle),
                    date: Self.field("Date", of: handle),
                    body: body
                )
            )
        }

        private func configure(
            _ handle: UnsafeMutableRawPointer,
            _ fields: UnsafeMutablePointer<curl_slist>?
        ) {
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = memo_curl_set_string(handle, CURLOPT_URL, request.url)
            _ = memo_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "http,https")
            // An empty name also keeps out the proxies that the environment names.
            if request.isLoopback { _ = memo_curl_set_string(handle, CURLOPT_PROXY, "") }
            _ = memo_curl_set_list(handle, CURLOPT_HTTPHEADER, fields)
            _ = memo_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0)
            _ = memo_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
            _ = memo_curl_set_long(
                handle,
                CURLOPT_CONNECTTIMEOUT_MS,
                Int(limits.idle / .milliseconds(1))
            )
            _ = memo_curl_set_long(
                handle,
                CURLOPT_TIMEOUT_MS,
                Int(limits.total / .milliseconds(1))
            )
            _ = memo_curl_set_long(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
            _ = memo_curl_set_long(
                handle,
                CURLOPT_LOW_SPEED_TIME,
                max(1, Int(limits.idle / .seconds(1)))
            )
            _ = memo_curl_set_write(handle, receive, context)
            _ = memo_curl_set_progress(handle, askWhetherToStop, context)
            // A function pointer is passed like any other: all are one word.
            _ = memo_curl_set_pointer(
                handle,
                CURLOPT_PREREQFUNCTION,
                unsafeBitCast(noteConnection, to: UnsafeMutableRawPointer.self)
            )
            _ = memo_curl_set_pointer(handle, CURLOPT_PREREQDATA, context)
        }

        fileprivate func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            isTooLong = body.count + bytes.count > limits.answerLength
            if !isTooLong { body.append(contentsOf: bytes) }
            return !isTooLong
        }

        fileprivate func connected() {
            isConnected = true
        }

        fileprivate var shouldStop: Bool { isCancelled.load(ordering: .relaxed) }

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

        /// A field of the answer itself, not of a proxy's before it.
        private static func field(_ name: String, of handle: UnsafeMutableRawPointer) -> String? {
            var field: UnsafeMutablePointer<curl_header>?
            guard curl_easy_header(handle, name, 0, UInt32(CURLH_HEADER), -1, &field) == CURLHE_OK,
                let value = field?.pointee.value
            else { return nil }
            return String(cString: value)
        }
    }

    private func exchange(_ context: UnsafeMutableRawPointer?) -> CurlExchange? {
        context.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private let receive:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int =
            { bytes, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return exchange(context)?.append(bytes) == true ? bytes.count : 0
            }

    private let askWhetherToStop:
        @convention(c) (UnsafeMutableRawPointer?, curl_off_t, curl_off_t, curl_off_t, curl_off_t) ->
            Int32 = { context, _, _, _, _ in
                exchange(context)?.shouldStop == false ? 0 : 1
            }

    private let noteConnection:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?,
            Int32, Int32
        ) -> Int32 = { context, _, _, _, _ in
            exchange(context)?.connected()
            return Int32(CURL_PREREQFUNC_OK)
        }

#endif
