internal import Foundation
internal import RelayAPI

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Speaks HTTP with a relay and keeps nothing: no cookies, no cache, no credentials (P2).
///
/// Redirects are not followed: they would carry the token, or a memo, to somewhere else.
public final class RelayClient: Sendable {
    /// How long and how much an exchange may be.
    public struct Limits: Hashable, Sendable {
        /// The longest silence.
        public var idle: Duration
        /// The longest exchange altogether.
        public var total: Duration
        /// The longest answer, in bytes.
        public var answerLength: Int

        public init(
            idle: Duration = .seconds(30),
            total: Duration = .seconds(120),
            answerLength: Int = 256 * 1024
        ) {
            self.idle = idle
            self.total = total
            self.answerLength = answerLength
        }
    }

    private let session: URLSession
    private let exchanges: Exchanges
    private let limits: Limits

    public init(limits: Limits = Limits()) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = limits.idle.inSeconds
        configuration.timeoutIntervalForResource = limits.total.inSeconds
        self.limits = limits
        exchanges = Exchanges(answerLength: limits.answerLength)
        session = URLSession(
            configuration: configuration,
            delegate: exchanges,
            delegateQueue: nil
        )
    }

    deinit {
        session.invalidateAndCancel()
    }

    /// One request and its answer, whatever its status.
    ///
    /// - Throws: ``RelayFailure``.
    func exchange(
        _ method: String,
        _ path: String,
        at relay: RelayLocation,
        token: String? = nil,
        body: [UInt8]? = nil
    ) async throws(RelayFailure) -> RelayReply {
        guard let url = relay.url(of: path) else { throw .unreachable }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = limits.idle.inSeconds
        request.setValue("memo", forHTTPHeaderField: "User-Agent")
        request.setValue(
            RelayMediaType.json + ", " + RelayMediaType.problem,
            forHTTPHeaderField: "Accept"
        )
        if let token {
            request.setValue("Bearer " + token, forHTTPHeaderField: RelayHeader.authorization)
        }
        if let body {
            request.httpBody = Data(body)
            request.setValue(RelayMediaType.json, forHTTPHeaderField: "Content-Type")
        }
        return try await finish(session.dataTask(with: request)).get()
    }

    private func finish(_ task: URLSessionDataTask) async -> Result<RelayReply, RelayFailure> {
        let exchanges = exchanges
        let total = limits.total
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = Task {
                    try await Task.sleep(for: total)
                    exchanges.end(task, .failure(.timedOut))
                }
                exchanges.begin(task) { result in
                    deadline.cancel()
                    continuation.resume(returning: result)
                }
                if Task.isCancelled {
                    exchanges.end(task, .failure(.cancelled))
                } else {
                    task.resume()
                }
            }
        } onCancel: {
            exchanges.end(task, .failure(.cancelled))
        }
    }
}

extension RelayClient {
    /// Keeps what is for this machine from being sent to a proxy that the environment names: a token
    /// in plain http would leave the machine. Call before any thread is started.
    public static func exemptLoopbackFromProxies() {
        let loopback = "localhost,127.0.0.0/8,127.0.0.1,::1"
        let exempt = getenv("no_proxy") ?? getenv("NO_PROXY")
        let list = exempt.map { String(cString: $0) } ?? ""
        if list == "*" { return }
        setenv("no_proxy", list.isEmpty ? loopback : list + "," + loopback, 1)
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
