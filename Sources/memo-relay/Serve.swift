import ArgumentParser
import LibC
import Logging
import Outbox
import OutboxCore
import RelayServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `memo-relay serve`: options to configuration, errors to sentences.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve until SIGTERM or SIGINT.",
        discussion: """
            Prints one line, "listening on http://HOST:PORT", when it is ready. Logs go to \
            standard error. The SMTP user and password are read from the environment: \
            MEMO_RELAY_SMTP_USER and MEMO_RELAY_SMTP_PASSWORD.

            "/" is the web app, where the program holds one or --web names one.

            Exit codes: 0 after SIGTERM or SIGINT; 1 if the address or a folder cannot be used; \
            64 for a mistake in the options.
            """
    )

    @Option(help: "The name or IP address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any that is free.")
    var port = 8080

    @Option(help: "The folder of the relay's database and key.")
    var data: String

    @Option(
        help: """
            Where mail goes: maildir:FOLDER, smtp://HOST[:PORT] or smtps://HOST[:PORT].
            """
    )
    var mail: String

    @Option(help: "The sender's address; its domain must be the relay's own.")
    var from = "memo@localhost"

    @Option(help: "Memos that one device may send in a minute.")
    var deviceMinute = 30

    @Option(help: "Memos that one device may send in a day.")
    var deviceDay = 200

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
        guard deviceMinute > 0, deviceDay > 0 else {
            throw ValidationError("--device-minute and --device-day must be at least 1.")
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
        _ = try relayConfiguration()
    }

    /// Fit for a header field, too.
    private static func isWebPage(_ text: String) -> Bool {
        guard text.hasPrefix("https://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        return URL(string: text)?.host.map { !$0.isEmpty } ?? false
    }

    func run() async throws {
        let level = Logger.Level(rawValue: logLevel) ?? .info
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        let host = host.contains(":") ? "[\(host)]" : host
        do {
            var configuration = try relayConfiguration()
            let logger = Logger(label: "relay")
            configuration.web =
                try web.map(WebBundle.init(folder:)) ?? WebBundle.embedded(logger: logger)
            try await serveRelay(configuration, logger: logger) { port in
                print("listening on http://\(host):\(port)")
                fflush(nil)
            }
        } catch let error as RelayStartError {
            throw complain(sentence(for: error))
        } catch let error as WebBundleError {
            throw complain(error.sentence(folder: web))
        }
    }

    private func relayConfiguration() throws -> RelayConfiguration {
        guard let from = MailAddress(from) else {
            throw ValidationError("--from must be an address such as memo@example.org.")
        }
        var configuration = RelayConfiguration(
            dataFolder: data,
            mail: try destination(),
            from: from
        )
        configuration.host = host
        configuration.port = port
        configuration.deviceLimits = DeviceLimits(perMinute: deviceMinute, perDay: deviceDay)
        configuration.mailPolicy.base = Milliseconds(Int64(mailRetryBase * 1000))
        configuration.trustedProxies = trustedProxies
        configuration.isBehindHTTPS = behindHttps
        configuration.reviewPage = reviewPage
        return configuration
    }

    private func destination() throws -> RelayConfiguration.MailDestination {
        if smtpStarttls != nil, !mail.hasPrefix("smtp://") {
            throw ValidationError("--smtp-starttls is for --mail smtp://HOST[:PORT] only.")
        }
        if mail.hasPrefix("maildir:"), mail.count > "maildir:".count {
            return .maildir(path: String(mail.dropFirst("maildir:".count)))
        }
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
                "--mail must be maildir:FOLDER, smtp://HOST[:PORT] or smtps://HOST[:PORT]."
            )
        }
        return .smtp(endpoint)
    }

    private func credentials() throws -> SMTPEndpoint.Credentials? {
        let environment = ProcessInfo.processInfo.environment
        let user = environment["MEMO_RELAY_SMTP_USER"] ?? ""
        let password = environment["MEMO_RELAY_SMTP_PASSWORD"] ?? ""
        switch (user.isEmpty, password.isEmpty) {
        case (true, true): return nil
        case (false, false): return SMTPEndpoint.Credentials(user: user, password: password)
        case (true, false):
            throw ValidationError(
                "MEMO_RELAY_SMTP_PASSWORD is set, but MEMO_RELAY_SMTP_USER is not. "
                    + "Set both, or neither."
            )
        case (false, true):
            throw ValidationError(
                "MEMO_RELAY_SMTP_USER is set, but MEMO_RELAY_SMTP_PASSWORD is not. "
                    + "Set both, or neither."
            )
        }
    }

    private func sentence(for error: RelayStartError) -> String {
        switch error {
        case .dataFolder:
            "the data folder \(data) cannot be made, written or read as a relay's. "
                + "Choose another with --data."
        case .dataFolderInUse:
            "another relay runs on the data folder \(data). Stop it, or choose another with --data."
        case .key(.permissionsTooWide):
            "others than its owner may read the key file \(data)/key. Run: chmod 600 \(data)/key"
        case .key(.missing):
            "the key file \(data)/key is gone; without it nothing in the data folder can be read. "
                + "Put it back from a backup."
        case .key:
            "the key file \(data)/key cannot be read or made."
        case .maildir:
            "the Maildir cannot be made or written. Choose another with --mail."
        case .address(EADDRINUSE):
            "port \(port) on \(host) is in use. Choose another with --port, or 0 for any."
        case .address(EACCES):
            "port \(port) needs privileges that this process does not have."
        case .address(let code):
            "\(host) port \(port) cannot be listened on (error \(code))."
        }
    }
}
