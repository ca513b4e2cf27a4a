import ArgumentParser
import Cares
import MailDomain
import RelayAPI
import RelayRules
import RelayServer

/// `memo-relay check-dns`: the DNS records and the TLS that mailboxes expect of a sender.
struct CheckDNS: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-dns",
        abstract: "Look whether mailboxes will take the relay's mails: DNS records and TLS.",
        discussion: """
            Asks DNS for SPF, DKIM, DMARC, MX and PTR, and the mail server for TLS, and prints what \
            there is, what should be, and the record to publish, as a zone file has it. Sends no \
            mail and no password, and changes nothing. For a relay whose mails go by SMTP; a relay \
            with --mail imap:// needs none of these records.

            The mails' sending addresses are those of the mail server's name. Where they leave from \
            others (a provider's, or those of this machine), name those with --address.

            Exit codes: 0 if nothing is wrong; 1 if something is; 2 if nothing is wrong as far as \
            there were answers; 64 for a mistake in the options.
            """
    )

    @Option(help: "The domain of the relay's --from address, or of its --bounce-address.")
    var domain: String

    @Option(
        help: "The mail server, as \"serve\" has it: smtp://HOST[:PORT] or smtps://HOST[:PORT]."
    )
    var mail: String?

    @Option(help: "An IP address from which the mails leave. May be given several times.")
    var address: [String] = []

    @Option(help: "The selector of DKIM, as \"serve\" has it. May be given several times.")
    var dkimSelector: [String] = []

    @Option(
        help: "The file of the keys, as \"serve\" has it, for the last selector: compares them."
    )
    var dkim: String?

    @Option(help: "The resolver to ask: ADDRESS or ADDRESS:PORT. By default the system's.")
    var resolver: String?

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard MailAddress("memo@\(domain)") != nil, DomainName.normal(domain) != nil else {
            throw ValidationError("--domain must be a domain such as example.org.")
        }
        guard mail == nil || server != nil else {
            throw ValidationError("--mail must be smtp://HOST[:PORT] or smtps://HOST[:PORT].")
        }
        guard address.allSatisfy({ IPAddress($0) != nil }) else {
            throw ValidationError("--address must be an IP address such as 192.0.2.25.")
        }
        guard dkimSelector.allSatisfy({ DKIMSelector($0) != nil }) else {
            throw ValidationError("--dkim-selector takes letters, digits and hyphens between them.")
        }
        guard dkim == nil || !dkimSelector.isEmpty else {
            throw ValidationError("--dkim needs --dkim-selector.")
        }
        guard resolver.map(CaresResolver.isServer) ?? true else {
            throw ValidationError("--resolver must be an IP address, alone or with a port.")
        }
    }

    func run() throws {
        let resolver = CaresResolver(server: resolver)
        var findings = DomainInquiry.findings(about: try inquired()) { resolver.answers(to: $0) }
        if let server {
            guard let result = MailServerProbe.look(at: server) else {
                throw complain("libcurl cannot be used. Nothing was asked of the mail server.")
            }
            findings.append(Finding(result, of: server))
        }
        if json {
            try printBytes(Report(domain: domain, findings: findings).encoded())
        } else {
            for finding in findings { print(finding.lines) }
        }
        if findings.contains(where: { $0.verdict == .wrong }) { throw ExitCode(1) }
        if findings.contains(where: { $0.verdict == .unknown }) { throw ExitCode(2) }
    }

    private var server: MailServer? { mail.flatMap { MailServer(url: $0) } }

    private func inquired() throws -> MailDomain {
        let host = server?.host ?? ""
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        var addresses = address.compactMap(IPAddress.init)
        if addresses.isEmpty, let own = IPAddress(name), own.isPublic { addresses = [own] }
        return MailDomain(
            domain: DomainName.normal(domain) ?? domain,
            server: IPAddress(name) == nil ? DomainName.normal(name) : nil,
            addresses: addresses,
            keys: try keys()
        )
    }

    /// The keys of a file have to be there; of a selector alone, the key of RSA.
    private func keys() throws -> [PublishedKey] {
        let domain = DomainName.normal(domain) ?? domain
        let selectors = dkimSelector.compactMap(DKIMSelector.init)
        var keys = selectors.flatMap { selector in
            selector.recordNames(domain: domain).enumerated().map { index, name in
                PublishedKey(name: name, value: nil, isRequired: index == 0)
            }
        }
        guard let dkim, let last = selectors.last else { return keys }
        keys.removeLast(last.recordNames(domain: domain).count)
        return try keys
            + read(dkim).records(domain: domain, selector: last).map { record in
                PublishedKey(name: record.name, value: record.value, isRequired: true)
            }
    }

    private func read(_ path: String) throws -> DKIMKeys {
        do throws(DKIMKeysError) {
            return try DKIMKeys(path: path)
        } catch {
            throw complain(error.sentence(of: path))
        }
    }
}

/// All findings, as JSON.
private struct Report: Encodable {
    struct Line: Encodable {
        let area: String
        let found: String?
        let record: String?
        let sentence: String
        let verdict: String
    }

    let domain: String
    let findings: [Line]

    init(domain: String, findings: [Finding]) {
        self.domain = domain
        self.findings = findings.map { finding in
            Line(
                area: finding.area.rawValue.lowercased(),
                found: finding.found,
                record: finding.record,
                sentence: finding.sentence,
                verdict: finding.verdict.rawValue
            )
        }
    }

    func encoded() throws -> [UInt8] { try RelayJSON.encode(self) + [0x0A] }
}

extension Finding {
    /// The finding as a person reads it: a line, and lines for the records.
    fileprivate var lines: String {
        let head = "\(Self.column(area.rawValue)) \(Self.column(verdict.rawValue)) \(sentence)"
        let more = [("found", found), ("publish", record)].compactMap { name, text in
            text.map { "        \(Self.column(name)) \($0)" }
        }
        return ([head] + more).joined(separator: "\n")
    }

    private static func column(_ text: String) -> String {
        text + String(repeating: " ", count: max(7 - text.count, 0))
    }

    /// The finding about the TLS of a mail server.
    fileprivate init(_ result: MailServerProbe.Result, of server: MailServer) {
        let name = "\(server.host):\(server.port)"
        switch result {
        case .protected:
            self.init(.tls, .fine, "\(name) protects connections, by a certificate of its own.")
        case .unprotected:
            self.init(
                .tls,
                server.host.isLoopbackHost ? .advice : .wrong,
                "\(name) does not offer STARTTLS: whoever carries the traffic can read the mails."
            )
        case .badCertificate:
            self.init(
                .tls,
                .wrong,
                "The certificate of \(name) is not valid for that name: it is of another name, has "
                    + "expired, or its authority is not known here."
            )
        case .failed:
            self.init(.tls, .wrong, "\(name) and this machine agree on no protection (TLS).")
        case .noName:
            self.init(.tls, .wrong, "\(server.host) has no address that this machine finds.")
        case .unreachable:
            self.init(.tls, .unknown, "\(name) does not answer this machine.")
        case .refused(let reply):
            self.init(
                .tls,
                .unknown,
                "\(name) ended the session" + (reply == 0 ? "." : " with the reply \(reply).")
            )
        }
    }
}
