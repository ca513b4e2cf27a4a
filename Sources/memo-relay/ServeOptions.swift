import ArgumentParser
import Essentials
import Logging
import OutboxCore
import RelayServer

/// The settings of a relay, as the parser has read them.
struct ServeOptions: ParsableArguments {
    @Option(
        help: """
            A file of settings: lines "name = value", named like these options. An option, or a \
            variable such as MEMO_RELAY_DEVICE_DAY, has precedence.
            """
    )
    var config: String?

    @Option(help: "The name or IP address to listen on.")
    var host = "127.0.0.1"

    @Flag(
        help: """
            Let other machines come by plain HTTP: needed for a --host that they reach. Whoever \
            carries the traffic can read memos and tokens, unless a proxy protects it.
            """
    )
    var insecureHttp = false

    @Option(
        help: """
            The URL at which people reach the relay, such as https://relay.example.org. Requests \
            for another host are then refused, except for /healthz and /readyz.
            """
    )
    var publicUrl: String?

    @Option(help: "The port to listen on; 0 for any that is free.")
    var port = 8080

    @Option(
        help: """
            Serve metrics for Prometheus at http://127.0.0.1:PORT/metrics, to this machine only; 0 \
            for any port that is free. By default none.
            """
    )
    var metricsPort: Int?

    @Option(help: "The folder of the relay's database and key.")
    var data: String

    @Option(
        help: """
            Where mail goes: maildir:FOLDER, smtp://HOST[:PORT], smtps://HOST[:PORT] or resend: for \
            the provider Resend.
            """
    )
    var mail: String

    @Option(help: "The sender's address; its domain must be the relay's own.")
    var from = "memo@localhost"

    @Option(
        help: """
            An address such as bounce@relay.example.org, with at most 21 characters before the @, \
            whose mails, bounce+ANYTHING@ included, the mail server gives to "memo-relay bounce". \
            By default bounces go to --from.
            """
    )
    var bounceAddress: String?

    @OptionGroup var memoLimits: MemoLimitOptions

    @OptionGroup var codeLimits: CodeLimitOptions

    @Option(help: "Megabytes of free disk below which new memos and codes have to wait.")
    var diskReserve = 256

    @Option(help: "Seconds until a mail is tried again for the first time; the wait then doubles.")
    var mailRetryBase = 60.0

    @Option(
        help: """
            STARTTLS, for smtp:// only: "require" or "try". By default required where there is a \
            password and the server is not this machine.
            """
    )
    var smtpStarttls: String?

    @Option(help: "How many proxies in front of the relay add to X-Forwarded-For.")
    var trustedProxies = 0

    @Option(
        help: """
            The folder of the web app, for a program that was built without it or in place of the \
            one that it holds.
            """
    )
    var web: String?

    @Option(
        help: """
            The https URL of the page where people who like the web app review it. By default the \
            app thanks them.
            """
    )
    var reviewPage: String?

    @Flag(
        help: """
            Everybody reaches the relay by https, through a proxy: tell browsers to insist on it.
            """
    )
    var behindHttps = false

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = "info"

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be between 0 and 65535.")
        }
        guard (0...65_535).contains(metricsPort ?? 0) else {
            throw ValidationError("--metrics-port must be between 0 and 65535.")
        }
        guard (0...1 << 30).contains(diskReserve) else {
            throw ValidationError("--disk-reserve must be a number of megabytes.")
        }
        guard mailRetryBase >= 0.01, mailRetryBase <= 86_400 else {
            throw ValidationError("--mail-retry-base must be between 0.01 and 86400 seconds.")
        }
        guard trustedProxies >= 0 else {
            throw ValidationError("--trusted-proxies must not be negative.")
        }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("--log-level is not one of the levels in the help.")
        }
        if let reviewPage, !Self.isWebPage(reviewPage) {
            throw ValidationError("--review-page must be an https URL in ASCII.")
        }
        if let publicUrl, PublicURL(publicUrl) == nil {
            throw ValidationError("--public-url must be https://HOST or https://HOST:PORT.")
        }
        if let contradiction = try relayConfiguration().contradictions.first {
            throw ValidationError(contradiction.sentence)
        }
    }

    /// Fit for a header field, too.
    private static func isWebPage(_ text: String) -> Bool {
        guard text.hasPrefix("https://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        return URL(string: text)?.host.map { !$0.isEmpty } ?? false
    }

    func relayConfiguration() throws -> RelayConfiguration {
        guard let from = MailAddress(from) else {
            throw ValidationError("--from must be an address such as memo@example.org.")
        }
        var configuration = RelayConfiguration(
            dataFolder: data,
            mail: try destination(),
            from: from
        )
        configuration.bounceMailbox = try bounceMailbox()
        configuration.host = host
        configuration.port = port
        configuration.metricsPort = metricsPort
        configuration.memoLimits = memoLimits.limits
        configuration.verificationRules = codeLimits.rules
        configuration.diskReserve = Int64(diskReserve) << 20
        configuration.mailPolicy.base = Milliseconds(Int64(mailRetryBase * 1000))
        configuration.trustedProxies = trustedProxies
        configuration.isBehindHTTPS = behindHttps
        configuration.reviewPage = reviewPage
        configuration.publicURL = publicUrl.flatMap(PublicURL.init)
        configuration.allowsPlainHTTP = insecureHttp
        return configuration
    }

    private func bounceMailbox() throws -> MailAddress? {
        guard let bounceAddress else { return nil }
        guard let mailbox = MailAddress(bounceAddress),
            mailbox.localPart.utf8.count <= ReturnPath.longestMailbox
        else {
            throw ValidationError(
                "--bounce-address must be an address such as bounce@relay.example.org, with at most "
                    + "\(ReturnPath.longestMailbox) characters before the @."
            )
        }
        guard mail.hasPrefix("smtp") else {
            throw ValidationError(
                "--bounce-address is for a mail server: nothing bounces from a Maildir, and Resend "
                    + "tells of bounces by webhooks."
            )
        }
        return mailbox
    }

    private func destination() throws -> RelayConfiguration.MailDestination {
        if smtpStarttls != nil, !mail.hasPrefix("smtp://") {
            throw ValidationError("--smtp-starttls is for --mail smtp://HOST[:PORT] only.")
        }
        if mail.hasPrefix("maildir:"), mail.count > "maildir:".count {
            return .maildir(path: String(mail.dropFirst("maildir:".count)))
        }
        if mail.hasPrefix("resend:") { return .resend(try resend()) }
        var security: SMTPEndpoint.Security?
        if let smtpStarttls {
            security = SMTPEndpoint.Security(rawValue: smtpStarttls)
            guard security == .require || security == .opportunistic else {
                throw ValidationError("--smtp-starttls must be \"require\" or \"try\".")
            }
        }
        let endpoint = SMTPEndpoint(url: mail, credentials: try credentials(), startTLS: security)
        guard let endpoint else {
            throw ValidationError(
                "--mail must be maildir:FOLDER, smtp://HOST[:PORT], smtps://HOST[:PORT] or resend:."
            )
        }
        return .smtp(endpoint)
    }

    private func resend() throws -> ResendEndpoint {
        guard let key = ResendEndpoint.Key(GivenSettings.current.secrets["resend-key"] ?? "") else {
            throw ValidationError(
                "--mail resend: needs an API key of Resend in MEMO_RELAY_RESEND_KEY, or as "
                    + "resend-key in the file of settings."
            )
        }
        let url = mail.dropFirst("resend:".count)
        let endpoint =
            url.isEmpty ? ResendEndpoint(key: key) : ResendEndpoint(url: String(url), key: key)
        guard var endpoint else {
            throw ValidationError(
                "--mail resend:URL takes https://HOST[:PORT], or http:// on this machine."
            )
        }
        if let text = GivenSettings.current.secrets["resend-webhook-secret"], !text.isEmpty {
            guard let secret = ResendWebhookSecret(text) else {
                throw ValidationError(
                    "MEMO_RELAY_RESEND_WEBHOOK_SECRET, or resend-webhook-secret in the file of "
                        + "settings, is not a webhook's signing secret: copy all of it from "
                        + "Resend, with its whsec_."
                )
            }
            endpoint.webhookSecret = secret
        }
        return endpoint
    }

    private func credentials() throws -> SMTPEndpoint.Credentials? {
        let secrets = GivenSettings.current.secrets
        let user = secrets["smtp-user"] ?? ""
        let password = secrets["smtp-password"] ?? ""
        switch (user.isEmpty, password.isEmpty) {
        case (true, true): return nil
        case (false, false): return SMTPEndpoint.Credentials(user: user, password: password)
        case (true, false):
            throw ValidationError(
                "MEMO_RELAY_SMTP_PASSWORD or smtp-password is set, but MEMO_RELAY_SMTP_USER is not. "
                    + "Set both, or neither."
            )
        case (false, true):
            throw ValidationError(
                "MEMO_RELAY_SMTP_USER or smtp-user is set, but MEMO_RELAY_SMTP_PASSWORD is not. "
                    + "Set both, or neither."
            )
        }
    }
}

/// The settings with which this program was started, and their places.
enum GivenSettings {
    @TaskLocal static var current = RelaySettings()

    /// The options of ``ServeOptions``, as a file and the environment may give them.
    static let kinds = options(of: ServeOptions()) { $0.unparsed }.map { name, option in
        RelaySettings.Kind(name: name, isFlag: option is Flag<Bool>)
    }

    /// The options and flags of parsed arguments, and of the groups in them, in their order.
    static func all(of arguments: ServeOptions) -> [(name: String, option: Any)] {
        options(of: arguments) { $0.parsed }
    }

    private static func options(
        of arguments: any ParsableArguments,
        group: (any GroupOfOptions) -> any ParsableArguments
    ) -> [(name: String, option: Any)] {
        Mirror(reflecting: arguments).children.flatMap { child in
            if let inner = child.value as? any GroupOfOptions {
                return options(of: group(inner), group: group)
            }
            return child.label.map { [(name(of: $0), child.value)] } ?? []
        }
    }

    /// The option of a property: `_deviceDay` is of the option `device-day`.
    private static func name(of label: String) -> String {
        label.drop { $0 == "_" }.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }
            .joined()
    }
}

/// Any `OptionGroup`.
private protocol GroupOfOptions {
    /// The arguments as they are declared.
    var unparsed: any ParsableArguments { get }
    /// The arguments as they were given.
    var parsed: any ParsableArguments { get }
}

extension OptionGroup: GroupOfOptions {
    fileprivate var unparsed: any ParsableArguments { Value() }
    fileprivate var parsed: any ParsableArguments { wrappedValue }
}

extension Contradiction {
    /// The reason why these settings cannot both be meant, and a remedy.
    var sentence: String {
        switch self {
        case .plainHTTP:
            "--host is an address that other machines reach, and the relay speaks plain HTTP: memos "
                + "and tokens could be read on the way. Listen on 127.0.0.1 behind a proxy that "
                + "provides TLS, or say --insecure-http."
        case .noTrustedProxy:
            "--behind-https says that everybody comes through a proxy, but --trusted-proxies is 0: "
                + "all people would share the limits of one network. Say --trusted-proxies 1."
        case .publicURLNotSecure:
            "--behind-https says that everybody comes by https, but --public-url begins with http."
        case .publicURLInClear:
            "--public-url is plain HTTP to another machine than this: memos and tokens could be "
                + "read on the way. Use https, or say --insecure-http."
        case .senderOfThisMachine:
            "--from is an address at localhost, which no other machine can answer, but --mail is a "
                + "server on another machine. Name an address of the relay's own domain."
        case .onePort:
            "--metrics-port must be another port than --port."
        }
    }
}
