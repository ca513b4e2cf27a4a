import MailDomain
import Testing

@Suite("An IP address")
struct IPAddressTests {
    @Test(
        "is read and written in one spelling",
        arguments: [
            ("192.0.2.25", "192.0.2.25"), ("2001:DB8:0::25", "2001:db8::25"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
        ]
    )
    func spelling(_ text: String, _ spelling: String) throws {
        #expect(try #require(IPAddress(text)).description == spelling)
    }

    @Test(
        "is no other text",
        arguments: ["", "192.0.2", "192.0.2.256", "[::1]", "fe80::1%eth0", "192.0.2.1:25", "host"]
    )
    func refused(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("is within a network by its first bits, of all lengths")
    func within() throws {
        for (text, bits) in [("192.0.2.25", 32), ("2001:db8::a5:1", 128)] {
            let address = try #require(IPAddress(text))
            for flipped in 0..<bits {
                var bytes = address.bytes
                bytes[flipped / 8] ^= 0x80 >> (flipped % 8)
                let other = try #require(IPAddress(bytes: bytes))
                for length in 0...bits {
                    #expect(address.isWithin(other, length: length) == (flipped >= length))
                }
            }
        }
        let four = try #require(IPAddress("0.0.0.0"))
        #expect(try !#require(IPAddress("::2")).isWithin(four, length: 0))
    }

    @Test(
        "of this machine, a private network or a link is not public",
        arguments: [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.0.1",
            "100.64.0.1", "::1", "::", "fd00::1", "fe80::1",
        ]
    )
    func notPublic(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(
        "elsewhere is public",
        arguments: ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1"]
    )
    func isPublic(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test("has a reverse name")
    func reverse() throws {
        #expect(try #require(IPAddress("192.0.2.25")).reverseName == "25.2.0.192.in-addr.arpa")
        let six = try #require(IPAddress("2001:db8::567:89ab"))
        let name = "b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa"
        #expect(six.reverseName == name)
    }
}

@Suite("The name of a domain")
struct DomainNameTests {
    @Test("has one spelling")
    func normal() {
        #expect(DomainName.normal("Example.ORG.") == "example.org")
        #expect(DomainName.normal("_dmarc.a-b.example") == "_dmarc.a-b.example")
    }

    @Test(
        "is no name that DNS cannot hold",
        arguments: [
            "", ".", "a..b", String(repeating: "a", count: 64) + ".b", "a b", "a\u{0}b",
            "ä.example",
            Array(repeating: "abcdefg", count: 32).joined(separator: "."),
        ]
    )
    func refused(_ text: String) {
        #expect(DomainName.normal(text) == nil)
    }
}
