import Essentials
public import OutboxCore
import RelayAPI

/// The mail provider Resend, as its API is reached (<https://resend.com/docs/api-reference>).
public struct ResendEndpoint: Hashable, Sendable {
    /// The API's own URL.
    public static let publicURL = "https://api.resend.com"

    /// An API key. Printing the value does not show the key.
    public struct Key: Hashable, Sendable, CustomStringConvertible {
        let text: String

        /// - Returns: `nil` for a text that no field of a request can carry.
        public init?(_ text: String) {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                return nil
            }
            self.text = text
        }

        public var description: String { "(key)" }
    }

    /// The URL of the API, without a slash at its end.
    public let url: String
    /// Whether the URL is of this machine.
    let isOfThisMachine: Bool
    let key: Key
    /// The secret with which Resend signs its events; `nil` for a relay that takes none.
    public var webhookSecret: ResendWebhookSecret?
    /// The time limit for connecting, TLS included.
    public var connectTimeout: Duration = .seconds(30)
    /// The time limit for one request as a whole.
    public var timeout: Duration = .seconds(120)
    /// The least time between two requests: Resend takes five a second
    /// (<https://resend.com/docs/api-reference/rate-limit>).
    public var pause = Milliseconds(200)

    /// The API at a URL.
    ///
    /// - Parameters:
    ///   - url: An https URL of a host, or an http URL of this machine, perhaps with a port.
    ///   - key: The API key.
    /// - Returns: `nil` for any other URL.
    public init?(url: String = ResendEndpoint.publicURL, key: Key) {
        let trimmed = url.hasSuffix("/") ? String(url.dropLast()) : url
        guard trimmed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URL(string: trimmed), let scheme = parts.scheme, let host = parts.host,
            !host.isEmpty, parts.user == nil, parts.query == nil, parts.fragment == nil,
            parts.path.isEmpty, scheme == "https" || scheme == "http" && host.isLoopbackHost
        else { return nil }
        self.url = trimmed
        isOfThisMachine = host.isLoopbackHost
        self.key = key
    }
}
