import RelayAPI

/// A mail server: where it is, and the protection of the connection.
public struct MailServer: Hashable, Sendable {
    /// The protection of the connection.
    public enum Security: String, Hashable, Sendable {
        /// TLS from the first byte (`smtps`).
        case implicit
        /// STARTTLS, or no mail.
        case require
        /// STARTTLS where the server offers it.
        case opportunistic = "try"
    }

    /// The bounds of a connection that carries several mails.
    public struct Reuse: Hashable, Sendable {
        /// The greatest number of mails of one connection.
        public var mails = 100
        /// The age after which a connection takes no further mail.
        public var age: Duration = .seconds(300)
        /// The time that a connection waits for another mail.
        public var idle: Duration = .seconds(10)

        /// The bounds above.
        public init() {}
    }

    /// The server's name or IP address.
    public let host: String
    /// The server's port.
    public let port: Int
    /// The protection of the connection.
    public let security: Security
    /// The user's name and password; `nil` for a server without authentication.
    public var credentials: Credentials?
    /// The time limit for connecting, TLS included.
    public var connectTimeout: Duration = .seconds(30)
    /// The time limit for the server's answer to one command. Servers may take long after the final
    /// dot.
    public var responseTimeout: Duration = .seconds(300)
    /// The time limit for one mail as a whole.
    public var timeout: Duration = .seconds(600)

    /// The bounds of a connection that carries several mails.
    public var reuse = Reuse()

    /// A user's name and password. Printing the value shows neither.
    public struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        let user: String
        let password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        public var description: String { "(credentials)" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    public init(host: String, port: Int, security: Security, credentials: Credentials? = nil) {
        self.host = host
        self.port = port
        self.security = security
        self.credentials = credentials
    }

    /// `smtp://host[:port]` or `smtps://host[:port]`, without anything else.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - credentials: The user's name and password; `nil` for none.
    ///   - startTLS: For `smtp`; by default required if there are credentials and the host is not
    ///     this machine, so that a password does not travel in clear.
    /// - Returns: The server; `nil` for any other text, and for `smtps` with `startTLS`.
    public init?(url: String, credentials: Credentials? = nil, startTLS: Security? = nil) {
        self.init(url: url, .submission, credentials: credentials, startTLS: startTLS)
    }

    /// The server of a URL of one protocol. As ``init(url:credentials:startTLS:)``.
    init?(
        url: String,
        _ kind: Kind,
        credentials: Credentials?,
        startTLS: Security? = nil
    ) {
        let isImplicit = url.hasPrefix(kind.scheme + "s://")
        guard isImplicit || url.hasPrefix(kind.scheme + "://"), !isImplicit || startTLS == nil
        else { return nil }
        var rest = url.dropFirst(kind.scheme.utf8.count + (isImplicit ? 4 : 3))
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port = isImplicit ? kind.securePort : kind.port
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            let digits = rest[rest.index(after: colon)...]
            guard digits.allSatisfy(\.isASCII), let number = Int(digits),
                (1...65_535).contains(number)
            else { return nil }
            port = number
            rest = rest[..<colon]
        }
        guard Self.isHost(rest) else { return nil }
        let host = String(rest)
        let protects = credentials != nil && !host.isLoopbackHost
        self.init(
            host: host,
            port: port,
            security: isImplicit
                ? .implicit : startTLS ?? (protects ? .require : .opportunistic),
            credentials: credentials
        )
    }

    /// A protocol, and the ports that are usual for it.
    struct Kind {
        /// The scheme of its URLs; with an `s` behind it for TLS from the first byte.
        let scheme: String
        let port: Int
        let securePort: Int

        /// Mail is submitted ([RFC 8314](https://www.rfc-editor.org/rfc/rfc8314#section-3.3)).
        static let submission = Kind(scheme: "smtp", port: 587, securePort: 465)
        /// A mailbox is changed.
        static let mailbox = Kind(scheme: "imap", port: 143, securePort: 993)
    }

    /// Whether the text is a name, an IPv4 address, or an IPv6 address in brackets.
    private static func isHost(_ text: Substring) -> Bool {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let name = isBracketed ? text.dropFirst().dropLast() : text
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: isBracketed && byte == UInt8(ascii: ":")
                }
            }
    }
}
