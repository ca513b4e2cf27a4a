public import MemoCore
import OutboxCore
public import WireCore

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

        /// Makes limits; those of `memo` where nothing else is said.
        ///
        /// - Parameters:
        ///   - idle: The longest time without a byte.
        ///   - time: The longest time of an exchange.
        ///   - answerLength: The longest answer, in bytes.
        public init(
            idle: Duration = .seconds(30),
            time: ExchangeTime = ExchangeTime(),
            answerLength: Int = RelayLimits.answerLength
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

    private let perform: @Sendable (PreparedRequest) async -> Result<RelayAnswer, RelayFailure>

    /// A client of this system's HTTP.
    ///
    /// - Parameters:
    ///   - limits: The limits of each exchange.
    ///   - authorities: The absolute path of a file of certificates in PEM by which a relay is trusted
    ///     besides those of the system, where libcurl does HTTP; `nil` for none. URLSession asks the
    ///     system alone.
    public convenience init(limits: Limits = Limits(), authorities: String? = nil) {
        #if canImport(Darwin)
            let transport = URLSessionTransport(limits: limits)
        #else
            let transport = CurlTransport(limits: limits, authorities: authorities)
        #endif
        self.init { await transport.perform($0) }
    }

    /// A client whose requests are performed by something else than this system's HTTP.
    init(
        perform: @escaping @Sendable (PreparedRequest) async -> Result<RelayAnswer, RelayFailure>
    ) {
        self.perform = perform
    }

    /// One request and its answer, whatever its status.
    ///
    /// - Parameter request: Its token is sent as it is; ``RelayLocation`` has seen to it that the
    ///   token travels encrypted or stays on this machine.
    /// - Throws: `RelayFailure`.
    package func exchange(
        _ request: RelayRequest,
        at relay: RelayLocation
    ) async throws(RelayFailure) -> RelayAnswer {
        var fields = [
            (name: "Accept", value: "\(RelayMediaType.json), \(RelayMediaType.problem)"),
            (name: "User-Agent", value: "memo"),
        ]
        if !request.token.isEmpty {
            let token = String(decoding: request.token, as: UTF8.self)
            let value = "\(RelayHeader.bearer) \(token)"
            fields.append((name: "\(RelayHeader.authorization)", value: value))
        }
        if !request.body.isEmpty {
            fields.append(
                (name: "\(RelayHeader.contentType)", value: "\(RelayMediaType.json)")
            )
        }
        if let (name, value) = request.precondition?.field {
            fields.append((name: "\(name)", value: String(decoding: value, as: UTF8.self)))
        }
        let prepared = PreparedRequest(
            method: "\(request.method)",
            url: relay.text + String(decoding: request.path, as: UTF8.self),
            isLoopback: relay.isLoopback,
            fields: fields,
            body: request.body
        )
        return try await perform(prepared).get()
    }
}

/// A request with all that HTTP needs.
struct PreparedRequest: Sendable {
    var method: String
    var url: String
    /// Stays on this machine, so that no proxy may be used.
    var isLoopback: Bool
    var fields: [(name: String, value: String)]
    var body: [UInt8]
}
