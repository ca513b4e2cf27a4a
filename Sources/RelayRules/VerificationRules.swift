import MemoCore
public import OutboxCore

/// The limits on mailed codes and on tries of a code. Settable, so that a test need not wait.
public struct VerificationRules: Hashable, Sendable {
    /// The time during which a code can be confirmed.
    public var codeLifetime = RelayLimits.codeLifetime
    /// The time during which a long code can be confirmed, and its mail is handed over.
    public var longCodeLifetime: Milliseconds = .seconds(86_400)
    /// The number of times that a code can be tried.
    public var tries = RelayLimits.codeTries
    /// The wait of a network after its first code to a mailbox. The wait doubles with each further
    /// code, until a code is confirmed or ``window`` has passed.
    public var firstCooldown: Milliseconds = .seconds(30)
    /// The longest wait between two codes that a network asks for one mailbox.
    public var longestCooldown = RelayLimits.codeWait
    /// The number of codes to one mailbox that one network may ask for within ``window``. Less than
    /// ``perAddress``, so that one stranger leaves codes for the owner.
    public var perPair = 4
    /// The number of codes to one mailbox within ``window``.
    public var perAddress = 8
    /// The number of codes to one mailbox within a day.
    public var perAddressDay = 30
    /// The number of codes that one network may ask for within ``window``.
    public var perSource = 20
    /// The number of codes that the networks of one site, an IPv6 /48 or an IPv4 /24, may ask for
    /// within ``window``.
    public var perSite = 40
    /// The number of codes to the mailboxes of one mail domain within ``shortWindow``.
    public var perDomain = 30
    /// The number of codes of the whole service within ``shortWindow``.
    public var perService = 60
    /// The number of codes of the whole service within a day. The mails about new devices count
    /// against it too, but none of them is refused. Other limits of a day are parts of it:
    /// ``strangersDay``, ``perSourceDay``, ``perSiteDay``, ``perBlockDay``.
    public var perDay = 150
    /// The window in which codes count: one hour.
    public var window: Milliseconds = .seconds(3600)
    /// The window in which the codes of a mail domain and of the service count: one minute.
    public var shortWindow: Milliseconds = .seconds(60)
    /// The chances of guessing a code that the service gives away within a day, in units of 10^-10
    /// (``GuessBudget``), a half for each ``CodeShare``: less than one account in ten years, which is 2,738,000.
    public var guessBudget: Int64 = 2_700_000
    /// The addresses that may become those of new accounts.
    public var signUp = SignUp.open
    /// The number of devices of an account that are signed in. One more signs the oldest out.
    public var devices = 100

    /// The number of sign-ins of an account within a day. Only a right code counts, so only who reads
    /// the mailbox can use them up.
    public var signIns = 20

    /// The number of sign-ins of an account within a day of which the account's mailbox is told.
    public var announcements = 10

    /// The rules of a relay that is not told otherwise.
    public init() {}

    /// The wait after a number of codes in a row.
    func cooldown(afterSending sent: Int) -> Milliseconds {
        guard sent > 0 else { return Milliseconds(0) }
        var wait = firstCooldown
        var doublings = sent - 1
        while doublings > 0, wait < longestCooldown {
            wait = Milliseconds(wait.count * 2)
            doublings -= 1
        }
        return min(wait, longestCooldown)
    }

    /// The devices that a new device signs out.
    ///
    /// - Parameter living: The account's devices that are signed in, without the new one, the
    ///   oldest first.
    package func signedOut<Device>(of living: [Device]) -> [Device] {
        Array(living.prefix(max(0, living.count + 1 - max(devices, 1))))
    }

    /// Whether a mail tells the account's owner of a new device. The first device of an account needs
    /// none: nobody else has the account.
    ///
    /// - Parameters:
    ///   - living: The number of the account's devices that are signed in, without the new one.
    ///   - recent: The number of devices that were signed in within ``signInWindow(at:)``.
    package func announces(living: Int, recent: Int) -> Bool {
        living > 0 && recent < announcements
    }

    /// The wait before an account can sign another device in; `nil` for no wait.
    ///
    /// - Parameters:
    ///   - recent: The devices that were signed in within ``signInWindow(at:)``, revoked or not.
    ///   - now: The wall clock's time.
    package func signInWait(after recent: RateUse, at now: WallTime) -> Milliseconds? {
        recent.count < signIns ? nil : signInWindow(at: now).wait(after: recent)
    }

    /// The window in which ``signIns`` and ``announcements`` count: one day.
    package func signInWindow(at now: WallTime) -> RateWindow {
        RateWindow(.seconds(86_400), at: now)
    }

    /// All limits on requests for codes, but those of a ``CodeDay``.
    package var limits: [CodeLimit] {
        [
            CodeLimit(name: .pairHour, subject: .pair, count: perPair, window: window),
            CodeLimit(name: .pairDay, subject: .pair, count: perPairDay, window: .seconds(86_400)),
            CodeLimit(
                name: .blockPairHour,
                subject: .blockPair,
                count: perBlockPair,
                window: window
            ),
            CodeLimit(
                name: .blockPairDay,
                subject: .blockPair,
                count: perBlockPairDay,
                window: .seconds(86_400)
            ),
            CodeLimit(name: .addressHour, subject: .address, count: perAddress, window: window),
            CodeLimit(
                name: .addressDay,
                subject: .address,
                count: perAddressDay,
                window: .seconds(86_400)
            ),
            CodeLimit(name: .networkHour, subject: .network, count: perSource, window: window),
            CodeLimit(name: .siteHour, subject: .site, count: perSite, window: window),
            CodeLimit(name: .domainMinute, subject: .domain, count: perDomain, window: shortWindow),
            CodeLimit(
                name: .serviceMinute,
                subject: .service,
                count: perService,
                window: shortWindow
            ),
        ]
    }
}

/// The limits that are parts of other limits: no network, and no block of networks, can use up what
/// all others share.
extension VerificationRules {
    /// The number of codes within a day for networks that the mailboxes do not know: two thirds of
    /// ``perDay``. The rest is kept for the other networks, see ``CodeShare``.
    public var strangersDay: Int { perDay - perDay / 3 }

    /// The number of codes that one network may ask for within a day: a fifth of ``perDay``.
    public var perSourceDay: Int { Self.part(1, of: 5, perDay) }

    /// The number of codes that the networks of one site may ask for within a day: four fifteenths of
    /// ``perDay``.
    public var perSiteDay: Int { Self.part(4, of: 15, perDay) }

    /// The number of codes that the networks of one block, an IPv6 /32 or an IPv4 /16, may ask for
    /// within a day: a third of ``perDay``, so the half of what strangers may ask for.
    public var perBlockDay: Int { Self.part(1, of: 3, perDay) }

    /// The number of codes to one mailbox that one network may ask for within a day: a third of
    /// ``perAddressDay``.
    var perPairDay: Int { max(perPair, Self.part(1, of: 3, perAddressDay)) }

    /// The number of codes to one mailbox that one block may ask for within ``window``: three quarters
    /// of ``perAddress``.
    var perBlockPair: Int { max(perPair, Self.part(3, of: 4, perAddress)) }

    /// The number of codes to one mailbox that one block may ask for within a day: two thirds of
    /// ``perAddressDay``.
    var perBlockPairDay: Int { max(perPair, Self.part(2, of: 3, perAddressDay)) }

    /// The limits of a day for each ``CodeShare`` alone, but those of the service.
    package var dayLimits: [CodeLimit] {
        [
            CodeLimit(
                name: .networkDay,
                subject: .network,
                count: perSourceDay,
                window: CodeDay.window
            ),
            CodeLimit(name: .siteDay, subject: .site, count: perSiteDay, window: CodeDay.window),
            CodeLimit(name: .blockDay, subject: .block, count: perBlockDay, window: CodeDay.window),
        ]
    }

    /// A part of a number, rounded down, but at least 1. Exact for every number.
    private static func part(_ share: Int, of whole: Int, _ number: Int) -> Int {
        max(1, number / whole * share + number % whole * share / whole)
    }
}
