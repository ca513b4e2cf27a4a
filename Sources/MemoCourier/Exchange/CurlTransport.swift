#if !canImport(Darwin)

    import Curl
    import Dispatch
    import LibC
    import MemoCore
    import Synchronization

    /// HTTP by libcurl, where the system has no URLSession of its own.
    ///
    /// Handles are kept for the next exchange, and with them their connections to the relay. A handle
    /// keeps neither cookies nor credentials.
    final class CurlTransport: Sendable {
        private let limits: RelayClient.Limits
        private let authorities: String?
        private let idle = Mutex<[CurlHandle]>([])
        private let threads = DispatchQueue(label: "relay", attributes: .concurrent)

        /// - Parameter authorities: The absolute path of a file of certificates; `nil` for none.
        init(limits: RelayClient.Limits, authorities: String?) {
            // TLS writes to a connection that was closed a moment ago; that is an error, not a death.
            signal(SIGPIPE, SIG_IGN)
            self.limits = limits
            self.authorities = authorities
        }

        func perform(_ request: PreparedRequest) async -> Result<RelayAnswer, RelayFailure> {
            let exchange = CurlExchange(request, limits, authorities: authorities)
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    threads.async {
                        continuation.resume(returning: self.run(exchange))
                    }
                }
            } onCancel: {
                exchange.cancel()
            }
        }

        private func run(_ exchange: CurlExchange) -> Result<RelayAnswer, RelayFailure> {
            guard let handle = idle.withLock({ $0.popLast() }) ?? CurlHandle() else {
                return .failure(.connectionLost)
            }
            defer { idle.withLock { $0.append(handle) } }
            return exchange.run(on: handle)
        }
    }

#endif
