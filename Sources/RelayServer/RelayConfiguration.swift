import NIOCore
public import OutboxCore
public import RelayRules

/// The settings of a relay.
public struct RelayConfiguration: Sendable {
    /// The place of the relay's data.
    public enum StorePlace: Hashable, Sendable {
        /// A folder of this machine.
        case folder(String)
        /// A database that several relays share, with the path of the key file.
        case database(key: String)

        /// The folder on whose disk the data lies; `nil` where it lies elsewhere.
        var folder: String? {
            switch self {
            case .folder(let path): path
            case .database: nil
            }
        }

        /// The path of the key file.
        fileprivate var keyPath: String {
            switch self {
            case .folder(let path): path + "/key"
            case .database(let key): key
            }
        }
    }

    /// The destination of all mail.
    public enum MailDestination: Hashable, Sendable {
        /// A Maildir on this machine, whatever the recipient.
        case maildir(path: String)
        /// A mail server, by SMTP.
        case smtp(MailServer)
        /// Mailboxes of an IMAP server: that of the recipient's address (``OwnMailbox``), else this one,
        /// if it has credentials.
        case imap(IMAPMailbox)
        /// The provider Resend, by its API.
        case resend(ResendEndpoint)

        /// The destination for a log: no user, password or key.
        var description: String {
            switch self {
            case .maildir(let path): "maildir:\(path)"
            case .smtp(let server):
                (server.security == .implicit ? "smtps" : "smtp")
                    + "://\(server.host):\(server.port)"
            case .imap(let mailbox): mailbox.url
            case .resend: "resend"
            }
        }
    }

    /// The address to listen on: a name or an IP address.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 for any free port.
    public var port = 8080
    /// The URL at which people reach the relay. Requests for another host are refused. Without a URL
    /// a relay that only this machine reaches, without a proxy, refuses other hosts; any other relay
    /// refuses none.
    public var publicURL: PublicURL?
    /// Whether other machines may come by plain HTTP.
    public var allowsPlainHTTP = false
    /// The port on the loopback address at which programs of this machine read the metrics; 0 for
    /// any free port, `nil` for none.
    public var metricsPort: Int?
    /// The place of the relay's data.
    public var store: StorePlace
    /// The path of the key file, by default that of ``store``: in a folder, `key`.
    public var keyPath: String
    /// The destination of all mail.
    public var mail: MailDestination
    /// The client that hands mails over by SMTP, where ``mail`` is a mail server.
    public var smtpClient = SMTPClient.usual
    /// The sender of every mail. Its domain ends every `Message-ID`.
    public var from: MailAddress
    /// Signs all mails for the domain of ``from``; `nil` for no signatures.
    package var signer: DKIMSigner?
    /// The mailbox whose mails the mail server gives to `memo-relay bounce`: each mail of a memo gets
    /// an envelope sender of its own there. By default ``from`` is the envelope sender. The part
    /// before the `@` has at most 21 bytes.
    public var bounceMailbox: MailAddress?
    /// The limits on accepted memos. Limits that contradict each other are refused at the start.
    public var memoLimits = MemoLimits()
    /// The limits on mailed codes and on tries of a code.
    public var verificationRules = VerificationRules()
    /// The waits between attempts to hand a mail over, and the mail's lifetime. A mail expires at a
    /// failure once it is older than the lifetime and the waits have grown to the longest, or once
    /// the waits add up to the lifetime.
    public var mailPolicy = RetryPolicy.mail
    /// The time for which the relay keeps a mail that was refused for good, has expired, or cannot be
    /// read, from the moment at which it saw that. Only time for which the relay has run counts. The
    /// memo's record stays.
    public var deadLetterLifetime: Milliseconds = .seconds(30 * 86_400)
    /// The free space on the disk of the data folder below which new memos and codes are refused
    /// for now, in bytes; on a small disk, a twentieth of it where that is less. Accepted memos are
    /// delivered all the same. Counts for a folder alone.
    public var diskReserve = usualReserve
    static let usualReserve: Int64 = 256 << 20
    /// Reads the space on the disk of a folder.
    var space: @Sendable (String) -> DiskReserve.Space? = DiskReserve.space(of:)
    /// The number of proxies in front of the relay that add to `X-Forwarded-For`.
    public var trustedProxies = 0
    /// The machines beside this one whose `X-Forwarded-For` counts.
    public var proxies = ProxyAddresses.thisMachine
    /// The proxy whose word signs a person in without a mailed code; `nil` for none.
    public var vouchingProxy: VouchingProxy?
    /// The number of requests that one network may begin in a second, whatever they are; of ten
    /// seconds at once. A site, an IPv4 /24 or an IPv6 /48, may begin four times as many.
    public var requestsPerNetwork = 20
    /// Reads the clock of the rates of requests.
    var requestClock: @Sendable () -> NIODeadline = NIODeadline.now
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
    var stopTimes = StopTimes()
    /// The longest time for which a repetition waits while its memo is being stored.
    var repetitionPatience: Duration = .seconds(10)
    /// The time after which a database that does not answer makes the relay unready.
    var readinessPatience: Duration = .seconds(5)

    /// Settings with the defaults above for everything else.
    public init(store: StorePlace, mail: MailDestination, from: MailAddress) {
        self.store = store
        keyPath = store.keyPath
        self.mail = mail
        self.from = from
    }

    /// ``memoLimits`` as they hold: while sign-up is closed, young accounts are those of people whom the
    /// operator has let in.
    var heldMemoLimits: MemoLimits {
        var limits = memoLimits
        if verificationRules.signUp == .closed { limits.boundsYoungAccounts = false }
        return limits
    }

    /// The room of dead letters on the data folder's disk; `nil` where its size cannot be told.
    var deadLetterRoom: DeadLetterRoom? {
        store.folder.flatMap(space).map { DeadLetterRoom(ofDisk: $0.total) }
    }

    /// - Parameter reusable: Reads the space inside of the store's files that new rows use, in bytes.
    func reserve(reusable: @escaping @Sendable () -> Int64) -> DiskReserve {
        DiskReserve(
            bytes: diskReserve,
            space: { [store, space] in store.folder.flatMap(space) },
            reusable: reusable
        )
    }
}
