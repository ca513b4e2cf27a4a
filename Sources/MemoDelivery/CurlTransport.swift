#if !canImport(Darwin)

    import CLibcurl
    import CurlShims
    import Dispatch
    import Foundation
    import Synchronization

    /// HTTP by libcurl, where the system has no URLSession of its own.
    ///
    /// Handles are kept for the next exchange, and with them their connections to the relay. A handle
    /// keeps neither cookies nor credentials.
    final class CurlTransport: Sendable {
        private struct Handle: @unchecked Sendable {
            let pointer: UnsafeMutableRawPointer
        }

        private static let isReady = {
            // TLS writes to a connection that was closed a moment ago; that is an error, not a death.
            signal(SIGPIPE, SIG_IGN)
            return memo_curl_global_init() == CURLE_OK
        }()

        private let limits: RelayClient.Limits
        private let idle = Mutex<[Handle]>([])
        private let threads = DispatchQueue(label: "relay", attributes: .concurrent)

        init(limits: RelayClient.Limits) {
            self.limits = limits
        }

        deinit {
            for handle in idle.withLock({ $0 }) { curl_easy_cleanup(handle.pointer) }
        }

        func perform(_ request: RelayRequest) async -> Result<RelayReply, RelayFailure> {
            let exchange = CurlExchange(request, limits)
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

        private func run(_ exchange: CurlExchange) -> Result<RelayReply, RelayFailure> {
            guard Self.isReady, let handle = takeHandle() else { return .failure(.connectionLost) }
            defer {
                curl_easy_reset(handle.pointer)
                idle.withLock { $0.append(handle) }
            }
            return exchange.run(on: handle.pointer)
        }

        private func takeHandle() -> Handle? {
            if let handle = idle.withLock({ $0.popLast() }) { return handle }
            return curl_easy_init().map { Handle(pointer: $0) }
        }
    }

#endif
