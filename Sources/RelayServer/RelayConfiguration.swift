public import OutboxCore

/// Everything that a relay can be told.
public struct RelayConfiguration: Sendable {
    /// Where mail goes.
    public enum MailDestination: Hashable, Sendable {
        /// Into this Maildir.
        case maildir(path: String)
        case smtp(SMTPEndpoint)
    }

    /// The address to listen on: a name or an IP address.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 for any that is free.
    public var port = 8080
    /// Holds the database and the key.
    public var dataFolder: String
    public var mail: MailDestination
    /// The sender of every mail. Its domain makes the `Message-ID`s.
    public var from: MailAddress
    public var deviceLimits = DeviceLimits()
    public var verificationRules = VerificationRules()
    /// How long and how often a mail is tried. It expires at a failure once it is older than the
    /// lifetime and the waits have grown to the longest, or once the waits add up to the lifetime.
    public var mailPolicy = RetryPolicy.mail
    /// How many proxies in front of the relay add to `X-Forwarded-For`.
    public var trustedProxies = 0
    /// The web app to serve; `nil` for none.
    public var web: WebBundle?
    /// Where people who like the app review it: an https URL; `nil` for nowhere.
    public var reviewPage: String?
    /// Whether everybody reaches the relay by https, through a proxy: then browsers are told to
    /// insist on it.
    public var isBehindHTTPS = false
    /// Connections at once; more wait to be accepted.
    public var maximumConnections = 1024

    public init(dataFolder: String, mail: MailDestination, from: MailAddress) {
        self.dataFolder = dataFolder
        self.mail = mail
        self.from = from
    }
}
