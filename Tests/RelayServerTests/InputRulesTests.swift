import HTTPTypes
import OutboxCore
import Testing

@testable import RelayRules
@testable import RelayServer

@Suite("What comes in")
struct InputRulesTests {
    @Test(
        "an address that mail can be sent to is taken",
        arguments: [
            "a@b", "somebody@example.org", "first.last+tag@mail.example.co.uk", "x_y=z@localhost",
            "o'neil@example.org",
        ]
    )
    func addressIsTaken(text: String) {
        #expect(MailAddress(text)?.text == text)
    }

    @Test(
        "anything that is not a plain ASCII address is refused",
        arguments: [
            "", "@", "a@", "@b", "a b@example.org", "a@exa mple.org", "a@b@c@d e",
            "a..b@example.org",
            ".a@example.org", "a.@example.org", "a@-example.org", "a@example-.org",
            "a@example..org",
            "a@.org", "a@example.org\r\nBcc: x@y", "a\0@example.org", "\u{E9}@example.org",
            "a@ex\u{E9}mple.org", "\"quoted\"@example.org", "a@[127.0.0.1]", "<a@example.org>",
            " a@example.org", "a@example.org ", "a,b@example.org", "a@b@example.org",
        ]
    )
    func addressIsRefused(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test("an address longer than SMTP allows is refused")
    func longAddressIsRefused() {
        let label = String(repeating: "d", count: 61)
        let domain = [label, label, label].joined(separator: ".")
        let local = String(repeating: "a", count: 254 - 1 - domain.count)
        #expect(MailAddress("\(local)@\(domain)x") == nil)
        #expect(MailAddress("\(local.prefix(60))@\(domain)") != nil)
        #expect(MailAddress("\(String(repeating: "a", count: 65))@example.org") == nil)
        #expect(MailAddress("a@\(domain).\(label).example") == nil)
        #expect(MailAddress("a@\(label)ddd.org") == nil)
    }

    @Test("only the domain is the same in upper and lower case")
    func domainIgnoresCase() {
        #expect(MailAddress("Me@Example.ORG")?.text == "Me@example.org")
    }

    @Test(
        "an idempotency key is a UUID, bare or quoted",
        arguments: [
            "0190a7d0-0000-7000-8000-000000000001", "\"0190a7d0-0000-7000-8000-000000000001\"",
            " 0190A7D0-0000-7000-8000-000000000001\t",
        ]
    )
    func keyIsParsed(value: String) {
        #expect(
            IdempotencyKey.parse(value)
                == OperationID(high: 0x0190_A7D0_0000_7000, low: 0x8000_0000_0000_0001)
        )
    }

    @Test(
        "any other key is refused",
        arguments: [
            "", "\"", "\"\"", "1", "0190a7d0000070008000000000000001",
            "\"0190a7d0-0000-7000-8000-000000000001", "'0190a7d0-0000-7000-8000-000000000001'",
            "{0190a7d0-0000-7000-8000-000000000001}", "0190a7d0-0000-7000-8000-00000000000g",
            "\"0190a7d0-0000-7000-8000-000000000001\";x=1",
            "\"\"0190a7d0-0000-7000-8000-000000000001\"\"",
        ]
    )
    func keyIsRefused(value: String) {
        #expect(IdempotencyKey.parse(value) == nil)
    }

    @Test("a code is six to ten ASCII digits, and random codes are of the length asked for")
    func codes() {
        for digits in 6...10 {
            let codes = (0..<200).map { _ in VerificationCode.random(digits: digits) }
            for code in codes {
                #expect(code.digits.utf8.count == digits && VerificationCode(code.digits) == code)
            }
            #expect(Set(codes.flatMap(\.digits)).count == 10)
        }
        for text in ["", "12345", "12345678901", "12345a", "١٢٣٤٥٦", "+12345", " 12345"] {
            #expect(VerificationCode(text) == nil)
        }
    }

    @Test("the cooldown doubles up to its cap, and cannot overflow")
    func cooldownGrows() {
        let rules = VerificationRules()
        let seconds = [0, 1, 2, 3, 4, 8, 1000, Int.max].map {
            rules.cooldown(afterSending: $0).count / 1000
        }
        #expect(seconds == [0, 30, 60, 120, 240, 3600, 3600, 3600])
    }

    @Test(
        "spellings of one mailbox have one name, for limits; other mailboxes have others",
        arguments: [
            ("Some.Body@Example.org", "some.body@example.org"),
            ("some.body+tag@example.org", "some.body@example.org"),
            ("some.body+a+b@example.org", "some.body@example.org"),
            ("somebody@example.org", "somebody@example.org"),
            ("+tag@example.org", "+tag@example.org"), ("a+@example.org", "a@example.org"),
            ("Some.Body+x@gmail.com", "somebody@gmail.com"),
            ("s.o.m.e.b.o.d.y@GoogleMail.com", "somebody@gmail.com"),
            ("some-body@gmail.com", "some-body@gmail.com"),
            ("some.body@notgmail.com", "some.body@notgmail.com"),
        ]
    )
    func mailboxName(address: String, name: String) throws {
        let address = try #require(MailAddress(address))
        #expect(MailboxName(address).text == name)
        #expect(name.hasSuffix("@" + MailboxName(address).domain))
    }

    @Test(
        "a site is a /48 of IPv6 or a /24 of IPv4",
        arguments: [
            ("192.0.2.7", "192.0.2.0/24"), ("192.0.2.255", "192.0.2.0/24"),
            ("2001:db8:1:2::6", "2001:db8:1::/48"), ("2001:db8:1:ffff::6", "2001:db8:1::/48"),
            ("2001:db8::1", "2001:db8:0::/48"), ("rubbish", "unknown"), ("", "unknown"),
        ]
    )
    func site(address: String, site: String) {
        #expect(NetworkName.site(of: NetworkName.network(of: address)) == site)
    }

    @Test(
        "a network is an IPv4 address or the first half of an IPv6 address",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:DB8:1:2::6", "2001:db8:1:2::/64"), ("2001:db8::1", "2001:db8:0:0::/64"),
            ("::1", "0:0:0:0::/64"), ("::ffff:192.0.2.7", "192.0.2.7"), ("unknown", "unknown"),
            ("192.0.2.7:5678", "192.0.2.7"), ("[::1]:123", "0:0:0:0::/64"),
            ("[2001:db8:1:2::6]", "2001:db8:1:2::/64"), ("[::ffff:192.0.2.7]:9", "192.0.2.7"),
            ("2001:0db8:01:2::6", "2001:db8:1:2::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"),
            ("::ffff:c000:207", "192.0.2.7"), ("\t192.0.2.7", "192.0.2.7"),
            ("not an address", "unknown"), ("", "unknown"), ("[::1", "unknown"),
        ]
    )
    func networks(address: String, name: String) {
        #expect(NetworkName.network(of: address) == name)
    }

    private static let forwarded = HTTPField.Name("X-Forwarded-For")

    private func sender(
        _ hops: [String],
        peer: String?,
        trusted: Int = 1,
        proxies: String? = nil
    ) throws -> RequestRates.Sender? {
        var fields = HTTPFields()
        let name = try #require(Self.forwarded)
        for hop in hops { fields.append(HTTPField(name: name, value: hop)) }
        return RequestSource(
            trustedProxies: trusted,
            proxies: try proxies.map { try #require(ProxyAddresses($0)) } ?? .thisMachine
        ).rateSender(of: fields, peer: peer)
    }

    @Test("of the hops that proxies name, the one counts that the outermost trusted proxy has seen")
    func hops() throws {
        let named = ["198.51.100.1, 203.0.113.2", "192.0.2.3"]
        for (trusted, network) in [
            (1, "192.0.2.3"), (2, "203.0.113.2"), (3, "198.51.100.1"), (4, nil), (0, nil),
        ] as [(Int, String?)] {
            let found = try sender(named, peer: "127.0.0.1", trusted: trusted)
            #expect(found?.network == network)
        }
        #expect(try sender(["198.51.100.1"], peer: "192.0.2.9", trusted: 0)?.network == "192.0.2.9")
    }

    @Test("only a proxy that the relay knows can name an address")
    func proxies() throws {
        for (peer, proxies, network) in [
            ("127.0.0.1", nil, "192.0.2.3"), ("::1", nil, "192.0.2.3"),
            ("198.51.100.7", nil, "198.51.100.7"), (nil, nil, "unknown"),
            ("198.51.100.7", "198.51.100.7", "192.0.2.3"),
            ("::ffff:198.51.100.7", "198.51.100.7", "192.0.2.3"),
            ("198.51.100.8", "198.51.100.7", "198.51.100.8"),
            ("2001:db8::1", "198.51.100.7, 2001:0db8::1", "192.0.2.3"),
            ("2001:db8::2", "198.51.100.7,2001:db8::1", "2001:db8:0:0::/64"),
            ("127.0.0.1", "198.51.100.7", "192.0.2.3"),
        ] as [(String?, String?, String)] {
            let found = try sender(["192.0.2.3"], peer: peer, proxies: proxies)
            #expect(found?.network == network, "\(peer ?? "nobody") \(proxies ?? "")")
        }
        for list in ["", "proxy.example", "192.0.2.1,", "192.0.2.0/24", "192.0.2.1;192.0.2.2"] {
            #expect(ProxyAddresses(list) == nil, "\(list)")
        }
    }

    @Test("a program of this machine has no limit of requests, unless a proxy speaks for it")
    func ownPrograms() throws {
        for peer in ["127.0.0.1", "127.8.8.8", "::1"] {
            #expect(try sender([], peer: peer) == nil)
            #expect(try sender(["127.0.0.1"], peer: peer)?.network == "127.0.0.1")
        }
        #expect(try sender([], peer: nil)?.network == "unknown")
    }

    @Test("a mail server's URL is read, and anything else refused")
    func smtpURLs() {
        #expect(MailServer(url: "smtp://mail.example.org")?.port == 587)
        #expect(MailServer(url: "smtps://mail.example.org/")?.port == 465)
        #expect(MailServer(url: "smtp://127.0.0.1:2525")?.port == 2525)
        #expect(MailServer(url: "smtp://[::1]:2525")?.host == "[::1]")
        for url in [
            "", "smtp://", "smtp://host:0", "smtp://host:x", "smtp://user@host", "smtp://a b",
            "http://host", "smtp://host/path", "smtp://::1", "smtp://host:65536",
        ] {
            #expect(MailServer(url: url) == nil)
        }
        #expect(MailServer(url: "smtps://mail.example.org", startTLS: .require) == nil)
    }

    @Test("a password does not travel in clear unless that is asked for, or to this machine")
    func passwordNeedsTLS() {
        let credentials = MailServer.Credentials(user: "u", password: "p")
        func security(_ url: String, _ asked: MailServer.Security? = nil) -> MailServer
            .Security?
        {
            MailServer(url: url, credentials: credentials, startTLS: asked)?.security
        }
        #expect(security("smtp://mail.example.org") == .require)
        #expect(security("smtp://localhost") == .opportunistic)
        #expect(security("smtp://mail.example.org", .opportunistic) == .opportunistic)
        #expect(security("smtps://mail.example.org") == .implicit)
        for host in ["127.0.0.1", "127.255.0.9", "LOCALHOST", "[::1]"] {
            #expect(security("smtp://\(host):25") == .opportunistic)
        }
        for host in [
            "127.example.org", "127.0.0.1.example.org", "127.1", "127.0.0.256", "127.0.0.",
        ] {
            #expect(security("smtp://\(host):25") == .require)
        }
        #expect("\(credentials)" == "(credentials)")
    }
}
