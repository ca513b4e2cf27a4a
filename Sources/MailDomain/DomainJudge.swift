/// A domain that mails are sent from, and what sends them.
package struct MailDomain: Hashable, Sendable {
    /// The domain of the senders' addresses.
    package var domain: String
    /// The name of the mail server; `nil` where none is given, or where it is an address.
    package var server: String?
    /// The addresses from which mailboxes see the mails come. Empty: those of ``server``.
    package var addresses: [IPAddress]
    package var keys: [PublishedKey]

    /// A domain, its mail server, the addresses and the keys, all in one spelling
    /// (``DomainName/normal(_:)``).
    package init(
        domain: String,
        server: String? = nil,
        addresses: [IPAddress] = [],
        keys: [PublishedKey] = []
    ) {
        self.domain = domain
        self.server = server
        self.addresses = addresses
        self.keys = keys
    }
}

/// Judges the DNS records of a domain. Pure: the answers come in, findings and further questions go out.
///
/// ```swift
/// var answers: [DNSQuestion: DNSAnswer] = [:]
/// var judgement = DomainJudge(domain).judge(answers)
/// while !judgement.missing.isEmpty {
///     answers.merge(try ask(judgement.missing)) { $1 }
///     judgement = DomainJudge(domain).judge(answers)
/// }
/// ```
package struct DomainJudge: Sendable {
    package struct Judgement: Hashable, Sendable {
        /// Final where nothing is ``missing``.
        package let findings: [Finding]
        /// The questions that the findings still need.
        package let missing: Set<DNSQuestion>
    }

    private let mail: MailDomain

    package init(_ mail: MailDomain) {
        self.mail = mail
    }

    package func judge(_ answers: [DNSQuestion: DNSAnswer]) -> Judgement {
        var table = DNSTable(answers)
        let senders = senders(&table)
        var missing: Set<DNSQuestion> = []
        var findings = senders.findings
        findings += SPFJudge(domain: mail.domain, addresses: senders.addresses)
            .findings(table, &missing)
        findings += mail.keys.flatMap { key($0, &table) }
        findings += dmarc(&table)
        findings += exchangers(&table)
        findings += senders.addresses.flatMap { pointers($0, &table) }
        return Judgement(findings: findings, missing: missing.union(table.missing))
    }

    // MARK: The sending addresses

    private func senders(_ table: inout DNSTable) -> (addresses: [IPAddress], findings: [Finding]) {
        if !mail.addresses.isEmpty { return (mail.addresses, []) }
        guard let server = mail.server else { return ([], []) }
        switch table.addresses(of: server) {
        case .success(let addresses):
            let seen = addresses.filter(\.isPublic)
            guard seen.isEmpty else { return (seen, []) }
            let sentence =
                addresses.isEmpty
                ? "The mail server \(server) has no address in DNS."
                : "The mail server \(server) has an address of a private network only. Name the one "
                    + "from which its mails leave: --address."
            return ([], [Finding(.ptr, addresses.isEmpty ? .wrong : .unknown, sentence)])
        case .failure(let failure):
            return ([], [unanswered(.ptr, "the addresses of \(server)", failure)])
        case nil: return ([], [])
        }
    }

    /// The address has a name, and the name has the address
    /// ([RFC 1912, section 2.1](https://www.rfc-editor.org/rfc/rfc1912#section-2.1)).
    private func pointers(_ address: IPAddress, _ table: inout DNSTable) -> [Finding] {
        switch table.answer(to: .names(address)) {
        case .names(let names):
            // Receivers look at a few.
            let names = names.prefix(5).compactMap(DomainName.normal)
            var failure: DNSFailure?
            for name in names {
                switch table.addresses(of: name, version: address.version) {
                case .success(let addresses) where addresses.contains(address):
                    return [
                        Finding(.ptr, .fine, "\(address) is \(name), and \(name) is \(address).")
                    ]
                case .failure(let reason): failure = reason
                case .success, nil: break
                }
            }
            if let failure { return [unanswered(.ptr, "the names of \(address)", failure)] }
            let shown = names.first ?? "a name that cannot be asked for"
            return [
                Finding(
                    .ptr,
                    .wrong,
                    "\(address) says that it is \(shown), and that name does not have the address. "
                        + "Give the name an address record, or let whoever owns the address name it "
                        + "otherwise."
                )
            ]
        case .nothing:
            let host = mail.server ?? "mail.\(mail.domain)"
            return [
                Finding(
                    .ptr,
                    .wrong,
                    "\(address) has no name. Many mailboxes refuse mails from such an address. Let "
                        + "whoever owns the address publish one.",
                    record: "\(address.reverseName). IN PTR \(host)."
                )
            ]
        case .failed(let failure): return [unanswered(.ptr, "the name of \(address)", failure)]
        case .texts, .exchangers, .addresses, nil: return []
        }
    }

    // MARK: DKIM

    private func key(_ key: PublishedKey, _ table: inout DNSTable) -> [Finding] {
        let record = key.value.map { RecordText.line(key.name, txt: $0) }
        switch table.texts(of: key.name, { _ in true }) {
        case .failure(let failure): return [unanswered(.dkim, "the key \(key.name)", failure)]
        case nil: return []
        case .success(let texts):
            guard let text = texts.first else {
                guard key.isRequired else { return [] }
                let sentence =
                    "There is no key at \(key.name). Signatures with it fail."
                    + (record == nil ? " \"memo-relay dkim-key\" prints the record." : "")
                return [Finding(.dkim, .wrong, sentence, record: record)]
            }
            let found = RecordText.shown(text)
            guard texts.count == 1 else {
                let sentence = "There are \(texts.count) records at \(key.name): keep one."
                return [Finding(.dkim, .wrong, sentence, found: found, record: record)]
            }
            do throws(DKIMMistake) {
                let published = try DKIMRecord(text)
                return [finding(key, published, found: found, record: record)]
            } catch {
                let sentence = "The record at \(key.name) cannot be used: \(error.sentence)"
                return [Finding(.dkim, .wrong, sentence, found: found, record: record)]
            }
        }
    }

    private func finding(
        _ key: PublishedKey,
        _ published: DKIMRecord,
        found: String,
        record: String?
    ) -> Finding {
        let name = key.name
        if published.key == .revoked {
            let sentence = "The key at \(name) is revoked: its record has no key."
            return Finding(.dkim, .wrong, sentence, found: found, record: record)
        }
        if let value = key.value, let own = try? DKIMRecord(Array(value.utf8)),
            own.bytes != published.bytes
        {
            let sentence = "The key at \(name) is not the one that the relay signs with."
            return Finding(.dkim, .wrong, sentence, found: found, record: record)
        }
        if case .rsa(let bits) = published.key, bits < 1024 {
            let sentence = "The key at \(name) has \(bits) bits: receivers use none below 1024."
            return Finding(.dkim, .wrong, sentence, found: found, record: record)
        }
        if published.isTest {
            let sentence =
                "The key at \(name) is marked as a test (t=y): receivers may treat the mails as "
                + "unsigned ones. Publish it without that once signatures verify."
            return Finding(.dkim, .advice, sentence, found: found, record: record)
        }
        if case .rsa(let bits) = published.key, bits < 2048 {
            let sentence = "The key at \(name) has \(bits) bits: take a new one of 2048."
            return Finding(.dkim, .advice, sentence, found: found)
        }
        let own = key.value == nil ? "" : ", the one that the relay signs with"
        return Finding(.dkim, .fine, "There is a key at \(name)\(own).", found: found)
    }

    // MARK: DMARC

    /// The record of the domain, else the nearest one above it that has two labels at least.
    private func dmarc(_ table: inout DNSTable) -> [Finding] {
        let domain = mail.domain
        var name = domain
        for _ in 0..<Self.parents {
            switch table.texts(of: "_dmarc.\(name)", DMARCRecord.isDMARC) {
            case .failure(let failure): return [unanswered(.dmarc, "_dmarc.\(name)", failure)]
            case nil: return []
            case .success(let texts):
                if !texts.isEmpty { return [dmarc(texts, at: name)] }
            }
            let parent = name.split(separator: ".").dropFirst()
            guard parent.count > 1 else { break }
            name = parent.joined(separator: ".")
        }
        return [
            Finding(
                .dmarc,
                .wrong,
                "\(domain) has no DMARC record: large mailboxes refuse mails, or take them for spam.",
                record: dmarcRecord("p=none")
            )
        ]
    }

    /// The greatest number of domains that are asked for a record of DMARC.
    private static let parents = 5

    /// A record of the domain. The first one has no policy: its reports say whether a strict one would
    /// hold back mails that are one's own.
    private func dmarcRecord(_ policy: String) -> String {
        let reports = "rua=mailto:postmaster@\(mail.domain)"
        return RecordText.line("_dmarc.\(mail.domain)", txt: "v=DMARC1; \(policy); \(reports)")
    }

    private func dmarc(_ texts: [[UInt8]], at name: String) -> Finding {
        let found = RecordText.shown(texts[0])
        guard texts.count == 1 else {
            let sentence = "There are \(texts.count) DMARC records at _dmarc.\(name): keep one."
            return Finding(.dmarc, .wrong, sentence, found: found, record: dmarcRecord("p=none"))
        }
        guard let dmarc = DMARCRecord(texts[0]) else {
            let sentence = "The record at _dmarc.\(name) has no policy that receivers know."
            return Finding(.dmarc, .wrong, sentence, found: found, record: dmarcRecord("p=none"))
        }
        let policy = name == mail.domain ? dmarc.policy : dmarc.belowPolicy
        guard policy != .none else {
            let sentence =
                "The policy at _dmarc.\(name) is \"none\": receivers report, and stop nobody who "
                + "forges your address. Publish a strict one once the reports name no machine of yours."
            return Finding(
                .dmarc,
                .advice,
                sentence,
                found: found,
                record: dmarcRecord("p=reject; adkim=s; aspf=s")
            )
        }
        guard dmarc.hasReports else {
            let sentence = "The record at _dmarc.\(name) names nobody who gets reports (rua)."
            return Finding(.dmarc, .advice, sentence, found: found)
        }
        let sentence = "The policy at _dmarc.\(name) is \"\(policy.rawValue)\"."
        return Finding(.dmarc, .fine, sentence, found: found)
    }

    // MARK: MX

    /// Whether the senders' domain takes mail, bounces for instance.
    private func exchangers(_ table: inout DNSTable) -> [Finding] {
        let domain = mail.domain
        switch table.answer(to: .exchangers(domain)) {
        case .exchangers(let found):
            if found.contains(where: { $0.host.isEmpty }) {
                let sentence =
                    "\(domain) says that it takes no mail (a null MX): receivers may refuse mails from "
                    + "there, and no bounce arrives."
                return [Finding(.mx, .wrong, sentence, found: "0 .")]
            }
            let shown = found.sorted { ($0.preference, $0.host) < ($1.preference, $1.host) }
                .map { "\($0.preference) \($0.host)." }.joined(separator: ", ")
            return [
                Finding(
                    .mx,
                    .fine,
                    "\(domain) takes mail.",
                    found: RecordText.shown(Array(shown.utf8))
                )
            ]
        case .nothing:
            let host = mail.server ?? "mail.\(domain)"
            guard let addresses = table.addresses(of: domain) else { return [] }
            let record = "\(domain). IN MX 10 \(host)."
            if case .success(let found) = addresses, !found.isEmpty {
                let sentence =
                    "\(domain) has no MX record: bounces go to its own address, \(found[0])."
                return [Finding(.mx, .advice, sentence, record: record)]
            }
            let sentence =
                "\(domain) takes no mail: receivers may refuse mails from there, and no bounce arrives."
            return [Finding(.mx, .wrong, sentence, record: record)]
        case .failed(let failure): return [unanswered(.mx, "the MX records of \(domain)", failure)]
        case .texts, .addresses, .names, nil: return []
        }
    }
}

/// The finding for a question without an answer.
func unanswered(_ area: Finding.Area, _ subject: String, _ failure: DNSFailure) -> Finding {
    Finding(area, .unknown, "Nobody told \(subject): \(failure.sentence)")
}

extension DNSFailure {
    /// The failure as a person reads it.
    package var sentence: String {
        switch self {
        case .timeout: "no answer came in time."
        case .server: "a name server failed."
        case .refused: "the resolver refuses the question."
        case .unreachable: "no resolver can be reached."
        case .unreadable: "the answer is damaged."
        case .tooLarge: "the answer is too large."
        case .badName: "the name cannot be asked for."
        case .tooMany: "that would be too many questions."
        }
    }
}

extension DKIMMistake {
    fileprivate var sentence: String {
        switch self {
        case .syntax: "it is no list of tags."
        case .version: "its version is not DKIM1."
        case .noKey: "it has no tag p."
        case .badKey: "its key (p) cannot be read."
        case .otherAlgorithm: "its algorithm (k) is neither rsa nor ed25519."
        case .otherHash: "it does not permit SHA-256 (h)."
        case .otherService: "it is not for mail (s)."
        }
    }
}
