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
        isBehindHTTPS: Bool = false,
        page: String = "x",
        fields: HTTPFields = [:]
    ) async throws -> [String: String] {
        let web = try WebBundle(["index.html": Array(page.utf8)])
        let relay = try fixture.open {
            $0.web = web
            $0.isBehindHTTPS = isBehindHTTPS
        }
        return try await relay.application().test(.router) { client in
            let answer = try await client.send(path, method: .get, headers: fields)
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

    private func styles(
        _ path: String,
        page: String,
        fields: HTTPFields = [:]
    ) async throws -> Substring? {
        try await headers(path, page: page, fields: fields)["content-security-policy"]?
            .split(separator: "; ").first { $0.hasPrefix("style-src ") }
    }

    @Test("allows the styles that a page holds by their hashes, on that page, also unmodified")
    func inlineStyles() async throws {
        // `printf 'a{}\n' | openssl dgst -sha256 -binary | base64`, and of nothing.
        let page = "<title>x</title><style>a{}\n</style><style></style><style id=x>b{}</style>"
        let allowed =
            "style-src 'self' 'sha256-u0Jj2e1i7IBkNDEHdGEj6YSZteK6W+q1Sv+Vn8x343I='"
            + " 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
        #expect(try await styles("/", page: page) == Substring(allowed))
        #expect(try await styles("/index.html", page: page) == Substring(allowed))
        let unmodified: HTTPFields = [.ifNoneMatch: "*"]
        #expect(try await styles("/", page: page, fields: unmodified) == Substring(allowed))
        for path in ["/nothing", "\(RelayPath.devices)"] {
            #expect(try await styles(path, page: page) == "style-src 'self'")
        }
    }

    @Test(
        "allows no style of a page that does not end or is none",
        arguments: ["<style>a{}", "<style", "</style>a{}<style>", "<STYLE>a{}</STYLE>", ""]
    )
    func noInlineStyle(page: String) async throws {
        #expect(try await styles("/", page: page) == "style-src 'self'")
    }

    @Test("insists on https only where the relay is known to be behind it")
    func strictTransportSecurity() async throws {
        #expect(try await headers("/")["strict-transport-security"] == nil)
        let behind = try await headers("/", isBehindHTTPS: true)
        #expect(behind["strict-transport-security"] == "max-age=31536000")
    }
}
