import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import RelaySQLite
@testable import RelayServer

@Suite("The host that a request names")
struct HostTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func status(
        _ path: String,
        at authority: String,
        of url: String?,
        _ change: (inout RelayConfiguration) -> Void = { _ in }
    ) async throws -> HTTPResponse.Status {
        let relay = try fixture.open {
            $0.publicURL = url.flatMap(PublicURL.init)
            change(&$0)
        }
        return try await relay.application().test(.router) { client in
            try await client.execute(uri: path, method: .get, authority: authority).status
        }
    }

    private static let url = "https://Relay.example.org"

    @Test(
        "is refused where it is not the public URL's",
        arguments: [
            "rebound.example", "rebound.example:443", "relay.example.org:8443",
            "relay.example.org.rebound.example", "xrelay.example.org", "127.0.0.1.rebound.example",
            "relay.example.org@rebound.example", "192.0.2.1", "",
        ]
    )
    func others(authority: String) async throws {
        for path in ["/v1/review", "/v1/devices", "/", "/nothing"] {
            #expect(
                try await status(path, at: authority, of: Self.url) == .misdirectedRequest,
                "\(path)"
            )
        }
    }

    @Test(
        "may be that of the public URL, and this machine",
        arguments: [
            "relay.example.org", "RELAY.example.org:443", "localhost:8080", "127.0.0.1", "[::1]:80",
        ]
    )
    func own(authority: String) async throws {
        #expect(try await status("/v1/review", at: authority, of: Self.url) == .ok)
    }

    @Test("may be any for the relay's health", arguments: ["https://relay.example.org", nil])
    func everybody(url: String?) async throws {
        for path in ["/healthz", "/readyz"] {
            #expect(try await status(path, at: "10.0.0.7:8080", of: url) == .ok)
        }
    }

    @Test(
        "is this machine without a public URL, where nobody else reaches the relay",
        arguments: ["127.0.0.1", "localhost", "::1", "127.0.0.2"]
    )
    func loopback(host: String) async throws {
        for (authority, expected) in [
            ("rebound.example", HTTPResponse.Status.misdirectedRequest),
            ("rebound.example:8080", .misdirectedRequest), ("", .misdirectedRequest),
            ("127.0.0.1.rebound.example", .misdirectedRequest), ("localhost:8080", .ok),
            ("127.0.0.1:8080", .ok), ("[::1]:8080", .ok),
        ] {
            #expect(
                try await status("/v1/review", at: authority, of: nil) { $0.host = host }
                    == expected,
                "\(authority)"
            )
        }
    }

    @Test("may be any without a public URL, where other machines or a proxy come")
    func unknownNames() async throws {
        let changes: [@Sendable (inout RelayConfiguration) -> Void] = [
            { $0.host = "0.0.0.0" }, { $0.trustedProxies = 1 }, { $0.isBehindHTTPS = true },
        ]
        for change in changes {
            #expect(
                try await status("/v1/review", at: "any.example", of: nil, change) == .ok
            )
        }
    }

    @Test(
        "is in the public URL a scheme, a host and a port, and nothing else",
        arguments: [
            "", "relay.example.org", "https://", "https:///", "ftp://a.example", "https://a/b",
            "https://u@a.example", "https://a.example:", "https://a.example:x",
            "https://a.example:70000", "https://a.example?x", "https://a b", "https://a:b:1",
        ]
    )
    func urls(text: String) {
        #expect(PublicURL(text) == nil)
    }

    @Test("is the same with the port of the public URL's own scheme")
    func ports() throws {
        #expect(PublicURL("https://a.example:443/") == PublicURL("HTTPS://A.example"))
        #expect(PublicURL("http://a.example:443") != PublicURL("http://a.example"))
        #expect(PublicURL("https://[2001:db8::1]:8443") != nil)
    }
}
