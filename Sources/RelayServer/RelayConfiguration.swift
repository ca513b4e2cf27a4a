public import OutboxCore

/// The settings of a relay.
public struct RelayConfiguration: Sendable {
    /// The destination of all mail.
    public enum MailDestination: Hashable, Sendable {
        /// A Maildir on this machine, whatever the recipient.
        case maildir(path: String)
        /// A mail server, by SMTP.
        case smtp(SMTPEndpoint)
    }

    /// The address to listen on: a name or an IP address.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    public var port = 8080
    /// The folder of the database and the key.
    public var dataFolder: String
    /// The destination of all mail.
    public var mail: MailDestination
    /// The sender of every mail. Its domain ends every `Message-ID`.
    public var from: MailAddress
    /// The numbers of memos that one device may send.
    public var deviceLimits = DeviceLimits()
    /// The limits on mailed codes and on tries of a code.
    public var verificationRules = VerificationRules()
    /// The waits between attempts to hand a mail over, and the mail's lifetime. A mail expires at a
    /// failure once it is older than the lifetime and the waits have grown to the longest, or once
    /// the waits add up to the lifetime.
    public var mailPolicy = RetryPolicy.mail
    /// The number of proxies in front of the relay that add to `X-Forwarded-For`.
    public var trustedProxies = 0
    /// The web app to serve; `nil` for none.
    public var web: WebBundle?
    /// The https URL of a page for reviews, which the web app opens after five stars; `nil` for
    /// none: then the web app thanks the person.
    public var reviewPage: String?
    /// Whether all clients reach the relay by https, through a proxy. The relay then tells browsers
    /// to insist on https.
    public var isBehindHTTPS = false
    /// The number of connections at once; fewer where the limit on open files has no room for as
    /// many. A further connection closes the idlest one.
    public var maximumConnections = 1024
    var connectionBounds = ConnectionBounds()

    /// Settings with the defaults above for everything else.
    public init(dataFolder: String, mail: MailDestination, from: MailAddress) {
        self.dataFolder = dataFolder
        self.mail = mail
        self.from = from
    }
}
