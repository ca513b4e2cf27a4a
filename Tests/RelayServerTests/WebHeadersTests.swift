import HTTPTypes
import Hummingbird
import MemoCore
import RelayAPI
import Testing

@testable import RelaySQLite
@testable import RelayServer

@Suite("What browsers are told about every answer")
struct WebHeadersTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func headers(
        _ path: String,
        isBehindHTTPS: Bool = false
    ) async throws -> [String: String] {
        let web = try WebBundle(["index.html": Array("x".utf8)])
        let relay = try fixture.open {
            $0.web = web
            $0.isBehindHTTPS = isBehindHTTPS
        }
        return try await relay.application().test(.router) { client in
            let answer = try await client.send(path, method: .get)
            return Dictionary(
                answer.headers.map { ($0.name.canonicalName, $0.value) },
                uniquingKeysWith: { first, second in first + ", " + second }
            )
        }
    }

    @Test(
        "keeps it to itself: files, problems, pages and the API alike",
        arguments: [
            "/", "/nothing", "/v1/nothing", "\(RelayPath.devices)", "\(RelayPath.health)",
        ]
    )
    func everyAnswer(path: String) async throws {
        let headers = try await headers(path)
        #expect(headers["cross-origin-opener-policy"] == "same-origin")
        #expect(headers["cross-origin-resource-policy"] == "same-origin")
        #expect(headers["referrer-policy"] == "no-referrer")
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["x-frame-options"] == "DENY")
        #expect(headers["permissions-policy"]?.contains("camera=()") == true)
        #expect(headers["content-security-policy"]?.isEmpty == false)
        #expect(!headers.keys.contains { $0.hasPrefix("access-control-") })
    }

    @Test("allows nothing but the relay's own files, and no text as markup or script")
    func contentSecurityPolicy() async throws {
        let field = try #require(try await headers("/")["content-security-policy"])
        let directives = field.split(separator: "; ").map { $0.split(separator: " ") }
        let policy = Dictionary(uniqueKeysWithValues: directives.map { ($0[0], $0.dropFirst()) })
        #expect(policy["default-src"] == ["'none'"])
        #expect(policy["script-src"] == ["'self'", "'wasm-unsafe-eval'"])
        for own in ["style-src", "img-src", "connect-src", "manifest-src", "worker-src"] {
            #expect(policy[Substring(own)] == ["'self'"])
        }
        for none in ["form-action", "frame-ancestors", "base-uri"] {
            #expect(policy[Substring(none)] == ["'none'"])
        }
        #expect(policy["require-trusted-types-for"] == ["'script'"])
        #expect(policy["trusted-types"] == ["host"])
        #expect(policy.count == 12)
    }

    @Test("insists on https only where the relay is known to be behind it")
    func strictTransportSecurity() async throws {
        #expect(try await headers("/")["strict-transport-security"] == nil)
        let behind = try await headers("/", isBehindHTTPS: true)
        #expect(behind["strict-transport-security"] == "max-age=31536000")
    }
}
