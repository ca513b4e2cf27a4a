public import MemoCore
import OutboxCore
import RelayAPI

/// A client of a relay's HTTP interface. Keeps no cookies, no cache and no credentials (P2).
///
/// Does not follow redirects: a redirect would carry the token, or a memo, to another server.
public final class RelayClient: Sendable {
    /// The limits of an exchange.
    public struct Limits: Hashable, Sendable {
        /// The longest time without a byte, to the second. The time for the transfer of the body is
        /// added: the system may take the whole body at once, and send it for minutes.
        public var idle: Duration
        /// The longest time from the start to the end of an exchange.
        public var time: ExchangeTime
        /// The longest answer, in bytes.
        public var answerLength: Int

        public init(
            idle: Duration = .seconds(30),
            time: ExchangeTime = ExchangeTime(),
            answerLength: Int = 256 * 1024
        ) {
            self.idle = idle
            self.time = time
            self.answerLength = answerLength
        }

        /// The longest time without a byte of an exchange with a body of `length` bytes.
        func idle(for length: Int) -> Duration {
            idle + .milliseconds(time.transfer(of: length).count)
        }

        /// The longest time of an exchange with a body of `length` bytes.
        func total(for length: Int) -> Duration {
            .milliseconds(time.total(for: length).count)
        }
    }

    #if canImport(Darwin)
        private let transport: URLSessionTransport
    #else
        private let transport: CurlTransport
    #endif

    public init(limits: Limits = Limits()) {
        transport = .init(limits: limits)
    }

    /// One request and its answer, whatever its status.
    ///
    /// - Parameter token: Sent as it is; ``RelayLocation`` has seen to it that it travels encrypted
    ///   or stays on this machine.
    /// - Throws: ``RelayFailure``.
    func exchange(
        _ method: String,
        _ path: String,
        at relay: RelayLocation,
        token: String? = nil,
        body: [UInt8]? = nil
    ) async throws(RelayFailure) -> RelayReply {
        var fields = [
            (name: "Accept", value: RelayMediaType.json + ", " + RelayMediaType.problem),
            (name: "User-Agent", value: "memo"),
        ]
        if let token { fields.append((name: "Authorization", value: "Bearer " + token)) }
        if body != nil { fields.append((name: "Content-Type", value: RelayMediaType.json)) }
        let request = RelayRequest(
            method: method,
            url: relay.text + path,
            isLoopback: relay.isLoopback,
            fields: fields,
            body: body ?? []
        )
        return try await transport.perform(request).get()
    }
}

/// A request, ready to be sent.
struct RelayRequest: Sendable {
    var method: String
    var url: String
    /// Stays on this machine, so that no proxy may be used.
    var isLoopback: Bool
    var fields: [(name: String, value: String)]
    var body: [UInt8]
}
