import Testing

@testable import MailDomain

@Suite("The judgement of a domain")
struct DomainJudgeTests {
    private static let key = "v=DKIM1; k=ed25519; p=BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
    private static let keyName = "s1._domainkey.memo.example.org"

    /// A domain of which all is fine.
    private static let fine: Zone = {
        var zone = Zone()
        zone.text("memo.example.org", "v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 -all")
        zone.text(keyName, key)
        zone.text("_dmarc.memo.example.org", "v=DMARC1; p=reject; rua=mailto:d@example.org")
        zone.exchangers("memo.example.org", "mail.example.org")
        zone.host("mail.example.org", "192.0.2.25", "2001:db8::25")
        zone.pointer("192.0.2.25", "mail.example.org")
        zone.pointer("2001:db8::25", "mail.example.org")
        return zone
    }()

    private static let mail = MailDomain(
        domain: "memo.example.org",
        server: "mail.example.org",
        keys: [PublishedKey(name: keyName, value: key, isRequired: true)]
    )

    private func verdicts(_ findings: [Finding], _ area: Finding.Area) -> [Finding.Verdict] {
        findings.filter { $0.area == area }.map(\.verdict)
    }

    /// The findings of one area after a change of the zone.
    private func after(
        _ area: Finding.Area,
        _ mail: MailDomain = mail,
        _ change: (inout Zone) -> Void
    ) -> [Finding] {
        var zone = Self.fine
        change(&zone)
        return zone.findings(mail).filter { $0.area == area }
    }

    @Test("is fine where all is")
    func allFine() {
        let findings = Self.fine.findings(Self.mail)
        #expect(findings.allSatisfy { $0.verdict == .fine }, "\(findings)")
        #expect(findings.map(\.area) == [.spf, .spf, .dkim, .dmarc, .mx, .ptr, .ptr])
        #expect(findings.allSatisfy { $0.record == nil })
    }

    @Test("says what is missing where nothing is, with a record to publish")
    func nothing() {
        let findings = Zone().findings(Self.mail)
        #expect(findings.allSatisfy { $0.verdict == .wrong }, "\(findings)")
        #expect(Set(findings.map(\.area)) == [.spf, .dkim, .dmarc, .mx, .ptr])
        let records = findings.compactMap(\.record)
        #expect(records.contains("\(Self.keyName). IN TXT \"\(Self.key)\""))
        #expect(records.contains("memo.example.org. IN MX 10 mail.example.org."))
        #expect(records.contains { $0.hasPrefix("_dmarc.memo.example.org. IN TXT \"v=DMARC1;") })
    }

    @Test(
        "knows nothing where nobody answers, and calls nothing wrong",
        arguments: [
            DNSFailure.timeout, .server, .refused, .unreachable, .unreadable, .tooLarge, .badName,
        ]
    )
    func silence(_ failure: DNSFailure) {
        let findings = DomainInquiry.findings(about: Self.mail) { questions in
            questions.reduce(into: [:]) { $0[$1] = .failed(failure) }
        }
        #expect(!findings.isEmpty && findings.allSatisfy { $0.verdict == .unknown }, "\(findings)")
        let silent = DomainInquiry.findings(about: Self.mail) { _ in [:] }
        #expect(!silent.isEmpty && silent.allSatisfy { $0.verdict == .unknown }, "\(silent)")
    }

    @Test("has the sending addresses in the record that it proposes for SPF")
    func spf() throws {
        let name = "memo.example.org"
        let none = after(.spf) { $0.answers[.texts(name)] = .nothing }
        #expect(
            none.map(\.record) == [
                "memo.example.org. IN TXT \"v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 -all\""
            ]
        )
        let one = after(.spf) {
            $0.text(name, "v=spf1 ip4:192.0.2.25 include:p.example ~all")
            $0.text("p.example", "v=spf1 -all")
        }
        #expect(one.map(\.verdict) == [.fine, .wrong])
        #expect(
            one[1].record == "memo.example.org. IN TXT "
                + "\"v=spf1 ip6:2001:db8::25 ip4:192.0.2.25 include:p.example ~all\""
        )
        for (text, verdicts) in [
            ("v=spf1 +all", [Finding.Verdict.fine, .fine, .wrong]),
            ("v=spf1 ip4:192.0.2.25 ip6:2001:db8::25 ?all", [.fine, .fine, .advice]),
            ("v=spf1 ip4:192.0.2.25 ip6:2001:db8::25", [.fine, .fine, .advice]),
            ("v=spf1 ptr ip4:192.0.2.25 ip6:2001:db8::25 -all", [.fine, .fine, .advice]),
            ("v=spf1 exists:%{i}.x.example -all", [.unknown]),
            ("v=spf1 ipv4:192.0.2.25 -all", [.wrong]),
        ] {
            #expect(after(.spf) { $0.text(name, text) }.map(\.verdict) == verdicts, "\(text)")
        }
        let several = after(.spf) { $0.text(name, "v=spf1 -all", "v=spf1 +all", "other") }
        #expect(several.map(\.verdict) == [.wrong])
    }

    @Test("says of a key whether receivers can verify with it")
    func dkim() {
        let name = Self.keyName
        #expect(after(.dkim) { $0.answers[.texts(name)] = .nothing }.map(\.verdict) == [.wrong])
        let other = Self.key.replacing("BwcH", with: "AAAA")
        for (texts, verdict) in [
            ([other], Finding.Verdict.wrong), ([Self.key, Self.key], .wrong),
            (["v=DKIM1; p="], .wrong),
            (["nonsense"], .wrong), ([Self.key + "; t=y"], .advice), ([Self.key + "; t=s"], .fine),
        ] {
            let findings = after(.dkim) { zone in
                zone.answers[.texts(name)] = .texts(texts.map { Array($0.utf8) })
            }
            #expect(findings.map(\.verdict) == [verdict], "\(texts)")
        }
        var mail = Self.mail
        mail.keys = [PublishedKey(name: name, value: nil, isRequired: false)]
        #expect(after(.dkim, mail) { $0.answers[.texts(name)] = .nothing }.isEmpty)
        #expect(after(.dkim, mail) { _ in }.map(\.verdict) == [.fine])
    }

    @Test("takes the nearest policy of DMARC from the domain on")
    func dmarc() {
        for (texts, verdict) in [
            ([String](), Finding.Verdict.wrong), (["v=DMARC1; p=none; rua=mailto:a@b"], .advice),
            (["v=DMARC1; p=quarantine"], .advice), (["v=DMARC1"], .wrong),
            (["v=DMARC1; p=x"], .wrong),
            (["v=DMARC1; p=reject; rua=mailto:a@b", "v=DMARC1; p=none"], .wrong),
            (["other", "v=DMARC1;p=QUARANTINE;rua=mailto:a@b"], .fine),
        ] {
            let findings = after(.dmarc) { zone in
                zone.answers[.texts("_dmarc.memo.example.org")] = .texts(
                    texts.map { Array($0.utf8) }
                )
            }
            #expect(findings.map(\.verdict) == [verdict], "\(texts)")
        }
        let above = after(.dmarc) { zone in
            zone.answers[.texts("_dmarc.memo.example.org")] = .nothing
            zone.text("_dmarc.example.org", "v=DMARC1; p=none; sp=reject; rua=mailto:a@b")
        }
        #expect(above.map(\.verdict) == [.fine])
        let top = after(.dmarc) { zone in
            zone.answers[.texts("_dmarc.memo.example.org")] = .nothing
            zone.text("_dmarc.org", "v=DMARC1; p=reject; rua=mailto:a@b")
        }
        #expect(top.map(\.verdict) == [.wrong])
    }

    @Test("says whether the domain takes mail")
    func exchangers() {
        let name = "memo.example.org"
        #expect(after(.mx) { $0.exchangers(name, "") }.map(\.verdict) == [.wrong])
        #expect(after(.mx) { $0.answers[.exchangers(name)] = .nothing }.map(\.verdict) == [.wrong])
        let address = after(.mx) { zone in
            zone.answers[.exchangers(name)] = .nothing
            zone.host(name, "192.0.2.1")
        }
        #expect(address.map(\.verdict) == [.advice])
    }

    @Test("says of each sending address whether its name leads back to it")
    func pointers() throws {
        let four = try #require(IPAddress("192.0.2.25"))
        let none = after(.ptr) { $0.answers[.names(four)] = .nothing }
        #expect(none.map(\.verdict) == [.wrong, .fine])
        #expect(none[0].record == "25.2.0.192.in-addr.arpa. IN PTR mail.example.org.")
        let other = after(.ptr) { $0.pointer("192.0.2.25", "other.example.org", "a b") }
        #expect(other.map(\.verdict) == [.wrong, .fine])
        let second = after(.ptr) { $0.pointer("192.0.2.25", "other.example", "mail.example.org") }
        #expect(second.map(\.verdict) == [.fine, .fine])
        let hidden = after(.ptr) {
            $0.host("mail.example.org", "10.0.0.1")
            $0.answers[.ipv6("mail.example.org")] = .nothing
        }
        #expect(hidden.map(\.verdict) == [.unknown])
    }

    @Test("asks a bounded number of questions, whatever the answers are")
    func bounded() {
        var asked = 0
        var zone = Zone()
        var mail = Self.mail
        mail.addresses = (1...100).compactMap { IPAddress("192.0.2.\($0)") }
        // Each name includes ten others, and each address has three names.
        let findings = DomainInquiry.findings(about: mail) { questions in
            asked += questions.count
            for case .texts(let name) in questions where !name.hasPrefix("_") {
                let others = (0..<10).map { "include:i\($0).\(name)" }.joined(separator: " ")
                zone.text(name, "v=spf1 \(others) -all")
            }
            for case .exchangers(let name) in questions {
                zone.exchangers(name, "a.\(name)", "b.\(name)")
            }
            for case .names(let address) in questions {
                zone.pointer(address.description, "a.\(address).example", "b.example", "c.example")
            }
            return questions.reduce(into: [:]) { $0[$1] = zone.answer(to: $1) }
        }
        #expect(asked == DomainInquiry.questions)
        #expect(verdicts(findings, .spf).allSatisfy { $0 == .wrong || $0 == .unknown })
    }

    @Test("shows no byte of a stranger that a terminal would act upon, and no endless one")
    func shown() {
        let escape = "v=spf1 \u{1B}]0;title\u{7} ä"
        #expect(RecordText.shown(Array(escape.utf8)) == "v=spf1 ?]0;title? ??")
        let long = RecordText.shown([UInt8](repeating: 0x61, count: 64_000))
        #expect(long == String(repeating: "a", count: 600) + " … (64000 bytes)")
        let findings = after(.spf) { $0.text("memo.example.org", escape) }
        #expect(findings.map(\.verdict) == [.wrong])
        #expect(
            findings.allSatisfy { finding in
                "\(finding)".utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            }
        )
    }

    @Test("writes a record in strings that DNS takes")
    func line() {
        let value = String(repeating: "a", count: 251) + "\"\\"
        let strings = String(repeating: "a", count: 250)
        #expect(
            RecordText.line("n.example", txt: value)
                == "n.example. IN TXT \"\(strings)\" \"a\\\"\\\\\""
        )
    }
}
