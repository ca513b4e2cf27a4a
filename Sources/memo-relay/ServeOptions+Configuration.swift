import ArgumentParser
import Essentials
import Logging
import OutboxCore
import RelayRules
import RelayServer

/// Options to configuration.
extension ServeOptions {
    /// The mistakes in these options and in the secrets beside them. Each sentence names its settings.
    var mistakes: [String] {
        var mistakes: [String] = []
        _ = relayConfiguration(&mistakes)
        return mistakes
    }

    /// - Returns: `nil` for options with mistakes.
    func relayConfiguration() -> RelayConfiguration? {
        var mistakes: [String] = []
        let configuration = relayConfiguration(&mistakes)
        return mistakes.isEmpty ? configuration : nil
    }

    private func relayConfiguration(_ mistakes: inout [String]) -> RelayConfiguration? {
        checkValues(&mistakes)
        mistakes += memoLimits.mistakes + codeLimits.mistakes
        let sender = MailAddress(from)
        if sender == nil {
            mistakes.append("--from must be an address such as memo@example.org.")
        }
        let place = place(&mistakes)
        let bounces = bounceMailbox(&mistakes)
        let signer = sender.flatMap { dkimSigner(for: $0.domain, &mistakes) }
        guard let destination = destination(&mistakes), let sender, let place,
            Self.megabytes.contains(diskReserve), Self.retryBases.contains(mailRetryBase)
        else { return nil }
        var configuration = RelayConfiguration(
            store: place,
            mail: destination,
            from: sender
        )
        if let client = SMTPClient(rawValue: smtpClient) { configuration.smtpClient = client }
        configuration.bounceMailbox = bounces
        configuration.signer = signer
        configuration.host = host
        configuration.port = port
        configuration.metricsPort = metricsPort
        configuration.memoLimits = memoLimits.limits
        configuration.verificationRules = codeLimits.rules
        if let signUp = SignUp(signUp) { configuration.verificationRules.signUp = signUp }
        configuration.diskReserve = Int64(diskReserve) << 20
        configuration.mailPolicy.base = Milliseconds(Int64(mailRetryBase * 1000))
        configuration.trustedProxies = trustedProxies
        if let proxy, let proxies = ProxyAddresses(proxy) { configuration.proxies = proxies }
        configuration.vouchingProxy = vouchingProxy(&mistakes)
        configuration.requestsPerNetwork = networkRequests
        configuration.isBehindHTTPS = behindHttps
        configuration.reviewPage = reviewPage
        configuration.publicURL = publicUrl.flatMap(PublicURL.init)
        configuration.allowsPlainHTTP = insecureHttp
        mistakes += configuration.contradictions.map(\.sentence)
        return configuration
    }

    private func place(_ mistakes: inout [String]) -> RelayConfiguration.StorePlace? {
        switch DataPlace.named(data, key: key, isPooled: pooled) {
        case .success(.folder(let folder)): return .folder(folder)
        case .success(.database(_, let key)): return .database(key: key)
        case .failure(let mistake):
            mistakes.append(mistake.sentence)
            return nil
        }
    }

    private static let megabytes = 0...1 << 30
    private static let retryBases = 0.01...86_400

    /// Looks at each value for itself.
    private func checkValues(_ mistakes: inout [String]) {
        func check(_ isFine: Bool, _ sentence: String) {
            if !isFine { mistakes.append(sentence) }
        }
        check((0...65_535).contains(port), "--port must be between 0 and 65535.")
        check(
            (0...65_535).contains(metricsPort ?? 0),
            "--metrics-port must be between 0 and 65535."
        )
        check(
            Self.megabytes.contains(diskReserve),
            "--disk-reserve must be a number of megabytes."
        )
        check(
            Self.retryBases.contains(mailRetryBase),
            "--mail-retry-base must be between 0.01 and 86400 seconds."
        )
        check(
            SMTPClient(rawValue: smtpClient) != nil,
            "--smtp-client must be \"curl\" or \"nio\"."
        )
        check((5...30).contains(leaseSeconds), "--lease-seconds must be between 5 and 30.")
        check(trustedProxies >= 0, "--trusted-proxies must not be negative.")
        check(
            proxy.map { ProxyAddresses($0) != nil } ?? true,
            "--proxy must be IP addresses, separated by commas."
        )
        check(
            SignUp(signUp) != nil,
            "--sign-up must be open, closed, or mail domains such as example.org, separated by commas."
        )
        check(
            (1...1_000_000).contains(networkRequests),
            "--network-requests must be between 1 and 1000000."
        )
        check(
            Logger.Level(rawValue: logLevel) != nil,
            "--log-level is not one of the levels in the help."
        )
        check(
            reviewPage.map(Self.isWebPage) ?? true,
            "--review-page must be an https URL in ASCII."
        )
        check(
            publicUrl.map { PublicURL($0) != nil } ?? true,
            "--public-url must be https://HOST or https://HOST:PORT."
        )
    }

    /// Fit for a header field, too.
    private static func isWebPage(_ text: String) -> Bool {
        guard text.hasPrefix("https://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        return URL(string: text)?.host.map { !$0.isEmpty } ?? false
    }

    private func vouchingProxy(_ mistakes: inout [String]) -> VouchingProxy? {
        guard let trustHeader else { return nil }
        let proxies = proxy.flatMap(ProxyAddresses.init)
        let vouching = proxies.flatMap { VouchingProxy(header: trustHeader, from: $0) }
        if vouching == nil {
            mistakes.append(
                "--trust-header takes the name of a header, such as Remote-Email, and counts only from "
                    + "the addresses that --proxy names: 127.0.0.1 for a proxy on this machine. Say both."
            )
        }
        return vouching
    }

    private func bounceMailbox(_ mistakes: inout [String]) -> MailAddress? {
        guard let bounceAddress else { return nil }
        let mailbox = MailAddress(bounceAddress)
        if mailbox.map({ $0.localPart.utf8.count > ReturnPath.longestMailbox }) ?? true {
            mistakes.append(
                "--bounce-address must be an address such as bounce@relay.example.org, with at most "
                    + "\(ReturnPath.longestMailbox) characters before the @."
            )
        }
        if mail?.hasPrefix("smtp") == false {
            mistakes.append(
                "--bounce-address is for a mail server: nothing bounces from a Maildir or a mailbox, "
                    + "and Resend tells of bounces by webhooks."
            )
        }
        return mailbox
    }

    private func dkimSigner(for domain: String, _ mistakes: inout [String]) -> DKIMSigner? {
        guard dkim != nil || dkimSelector != nil else { return nil }
        guard let dkim, let selector = dkimSelector.flatMap(DKIMSelector.init) else {
            mistakes.append(
                "--dkim names the file of the keys, and --dkim-selector their DNS records: letters, "
                    + "digits and hyphens, at most 50. Say both, or neither."
            )
            return nil
        }
        if mail?.hasPrefix("smtp") == false {
            mistakes.append(
                "--dkim is for --mail smtp://HOST[:PORT] or smtps:// only: nobody else judges "
                    + "signatures of the relay."
            )
        }
        do throws(DKIMKeysError) {
            return DKIMSigner(keys: try DKIMKeys(path: dkim), domain: domain, selector: selector)
        } catch {
            mistakes.append("--dkim: \(error.sentence(of: dkim))")
            return nil
        }
    }

    private func destination(
        _ mistakes: inout [String]
    ) -> RelayConfiguration.MailDestination? {
        guard let mail else {
            mistakes.append(
                "--mail is missing: maildir:FOLDER, smtp://HOST[:PORT], smtps://HOST[:PORT], "
                    + "imap://HOST[:PORT][/FOLDER], imaps://HOST[:PORT][/FOLDER] or resend:."
            )
            return nil
        }
        if smtpStarttls != nil, !mail.hasPrefix("smtp://") {
            mistakes.append("--smtp-starttls is for --mail smtp://HOST[:PORT] only.")
        }
        if mail.hasPrefix("maildir:"), mail.utf8.count > "maildir:".utf8.count {
            return .maildir(path: String(mail.dropFirst("maildir:".count)))
        }
        if mail.hasPrefix("imap://") || mail.hasPrefix("imaps://") {
            return mailbox(mail, &mistakes).map { .imap($0) }
        }
        if mail.hasPrefix("resend:") { return resend(mail, &mistakes).map { .resend($0) } }
        var security: MailServer.Security?
        if let smtpStarttls, mail.hasPrefix("smtp://") {
            security = MailServer.Security(rawValue: smtpStarttls)
            if security != .require, security != .opportunistic {
                mistakes.append("--smtp-starttls must be \"require\" or \"try\".")
                security = nil
            }
        }
        let endpoint = MailServer(
            url: mail,
            credentials: credentials("smtp", &mistakes),
            startTLS: security
        )
        if endpoint == nil {
            mistakes.append(
                "--mail must be maildir:FOLDER, smtp://HOST[:PORT], smtps://HOST[:PORT], "
                    + "imap://HOST[:PORT][/FOLDER], imaps://HOST[:PORT][/FOLDER] or resend:."
            )
        }
        return endpoint.map { .smtp($0) }
    }

    private func resend(_ mail: String, _ mistakes: inout [String]) -> ResendEndpoint? {
        let secrets = GivenSettings.current.secrets
        var webhookSecret: ResendWebhookSecret?
        if let text = secrets["resend-webhook-secret"], !text.isEmpty {
            webhookSecret = ResendWebhookSecret(text)
            if webhookSecret == nil {
                mistakes.append(
                    "MEMO_RELAY_RESEND_WEBHOOK_SECRET, or resend-webhook-secret in the file of "
                        + "settings, is not a webhook's signing secret: copy all of it from "
                        + "Resend, with its whsec_."
                )
            }
        }
        guard let key = ResendEndpoint.Key(secrets["resend-key"] ?? "") else {
            mistakes.append(
                "--mail resend: needs an API key of Resend in MEMO_RELAY_RESEND_KEY, or as "
                    + "resend-key in the file of settings."
            )
            return nil
        }
        let url = mail.dropFirst("resend:".count)
        let endpoint =
            url.isEmpty ? ResendEndpoint(key: key) : ResendEndpoint(url: String(url), key: key)
        guard var endpoint else {
            mistakes.append(
                "--mail resend:URL takes https://HOST[:PORT], or http:// on this machine."
            )
            return nil
        }
        endpoint.webhookSecret = webhookSecret
        return endpoint
    }

    private func mailbox(_ mail: String, _ mistakes: inout [String]) -> IMAPMailbox? {
        let before = mistakes.count
        let credentials = credentials("imap", &mistakes)
        guard mistakes.count == before else { return nil }
        let mailbox = IMAPMailbox(url: mail, credentials: credentials)
        if mailbox == nil {
            mistakes.append(
                "--mail imap://HOST[:PORT][/FOLDER] or imaps:// takes a server and a folder of at "
                    + "most 200 characters of ASCII, such as imaps://imap.example.org/INBOX."
            )
        }
        return mailbox
    }

    /// The user and password for a protocol, `smtp` or `imap`; `nil` where neither is set.
    private func credentials(
        _ kind: String,
        _ mistakes: inout [String]
    ) -> MailServer.Credentials? {
        let secrets = GivenSettings.current.secrets
        let user = secrets["\(kind)-user"] ?? ""
        let password = secrets["\(kind)-password"] ?? ""
        let variable = "MEMO_RELAY_\(kind.uppercased())"
        switch (user.isEmpty, password.isEmpty) {
        case (true, true): return nil
        case (false, false): return MailServer.Credentials(user: user, password: password)
        case (true, false):
            mistakes.append(
                "\(variable)_PASSWORD or \(kind)-password is set, but \(variable)_USER is not. "
                    + "Set both, or neither."
            )
        case (false, true):
            mistakes.append(
                "\(variable)_USER or \(kind)-user is set, but \(variable)_PASSWORD is not. "
                    + "Set both, or neither."
            )
        }
        return nil
    }
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
        case .noTrustedProxyAtPublicURL:
            "--public-url is https, which only a proxy in front of the relay can provide, but "
                + "--trusted-proxies is 0: all people would share the limits of one network. Say "
                + "--trusted-proxies 1."
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
        case .passwordInClear:
            "--smtp-starttls is \"try\", and --mail is a server on another machine: whoever stands "
                + "between could have the password sent in clear. Say \"require\"."
        case .reserveBeyondDisk:
            "--disk-reserve is more than the whole disk of --data holds. It is counted in megabytes."
        }
    }
}
