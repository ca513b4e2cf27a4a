import RelayAPI

/// The mail server to submit mail to, and the protection of the connection.
public struct SMTPEndpoint: Hashable, Sendable {
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
    public struct Credentials: Hashable, Sendable, CustomStringConvertible {
        let user: String
        let password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        public var description: String { "(credentials)" }
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
    /// - Returns: The endpoint; `nil` for any other text, and for `smtps` with `startTLS`.
    public init?(url: String, credentials: Credentials? = nil, startTLS: Security? = nil) {
        let scheme: Substring
        let isImplicit: Bool
        if url.hasPrefix("smtps://") {
            guard startTLS == nil else { return nil }
            (scheme, isImplicit) = ("smtps://", true)
        } else if url.hasPrefix("smtp://") {
            (scheme, isImplicit) = ("smtp://", false)
        } else {
            return nil
        }
        var rest = url.dropFirst(scheme.count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port = isImplicit ? 465 : 587
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            let digits = rest[rest.index(after: colon)...]
            guard digits.allSatisfy(\.isASCII), let number = Int(digits),
                (1...65_535).contains(number)
            else { return nil }
            port = number
            rest = rest[..<colon]
        }
        let isBracketed = rest.hasPrefix("[") && rest.hasSuffix("]")
        let name = isBracketed ? rest.dropFirst().dropLast() : rest
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: isBracketed && byte == UInt8(ascii: ":")
            }
        }
        guard !name.isEmpty, isName else { return nil }
        self.init(host: String(rest), port: port, security: .implicit, credentials: credentials)
        if !isImplicit {
            let protects = credentials != nil && !host.isLoopbackHost
            self = SMTPEndpoint(
                host: host,
                port: port,
                security: startTLS ?? (protects ? .require : .opportunistic),
                credentials: credentials
            )
        }
    }
}
