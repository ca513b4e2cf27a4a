import Crypto
import HTTPTypes
import Hummingbird
import MemoCore
import MemoTexts
import NIOCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The web app's files")
struct WebServingTests {
    private static let script = Array("let typed = true\n".utf8)
    private static let hash = hexadecimal(SHA256.hash(data: script)).prefix(16)
    private static let contents: [String: [UInt8]] = [
        "index.html": Array(repeating: UInt8(ascii: "x"), count: 100),
        "index.html.gz": Array("gzip".utf8),
        "index.html.br": Array("br".utf8),
        "sw.js": Array("self".utf8),
        "manifest.webmanifest": Array("{}".utf8),
        "app.wasm": Array("wasm".utf8),
        "host.\(hash).js": script,
        "host.0123456789abcdef.js": script,
        "icons/icon.png": Array("icon".utf8),
        // Longer than the file itself, and nobody's.
        "sw.js.br": Array("longer than self".utf8),
        "lonely.gz": Array("lonely".utf8),
    ]

    private let fixture: RelayFixture
    private let relay: Relay<SQLiteRelayStore>

    init() throws {
        fixture = try RelayFixture()
        let web = try WebBundle(Self.contents)
        relay = try fixture.open { $0.web = web }
    }

    private func get(
        _ path: String,
        method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:],
        from relay: Relay<SQLiteRelayStore>? = nil
    ) async throws -> ApplicationAnswer {
        try await (relay ?? self.relay).application().test(.router) { client in
            try await client.send(path, method: method, headers: headers)
        }
    }

    @Test(
        "have the types that browsers insist on",
        arguments: [
            ("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
            ("/sw.js", "text/javascript; charset=utf-8"),
            ("/manifest.webmanifest", "application/manifest+json"),
            ("/app.wasm", "application/wasm"), ("/icons/icon.png", "image/png"),
            ("/lonely.gz", "application/octet-stream"),
        ]
    )
    func mediaTypes(path: String, type: String) async throws {
        let answer = try await get(path)
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == type)
        let file = path == "/" ? "index.html" : String(path.dropFirst())
        #expect(Array(answer.body.readableBytesView) == Self.contents[file])
    }

    @Test("are found whatever the query says")
    func query() async throws {
        let answer = try await get("/?share=missed")
        #expect(answer.status == .ok)
    }

    @Test("are kept for ever under a name that their content proves, and asked for anew otherwise")
    func caching() async throws {
        let proven = try await get("/host.\(Self.hash).js")
        #expect(proven.headers[.cacheControl] == "public, max-age=31536000, immutable")
        for path in ["/host.0123456789abcdef.js", "/", "/sw.js", "/manifest.webmanifest"] {
            #expect(try await get(path).headers[.cacheControl] == "no-cache")
        }
    }

    @Test("are not sent again to who has them")
    func notModified() async throws {
        let tag = try #require(try await get("/sw.js").headers[.eTag])
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let answer = try await get("/sw.js", headers: [.ifNoneMatch: known])
            #expect(answer.status == .notModified)
            #expect(answer.body.readableBytes == 0)
            #expect(answer.headers[.eTag] == tag)
            #expect(answer.headers[.cacheControl] == "no-cache")
        }
        let other = try await get("/sw.js", headers: [.ifNoneMatch: "\"other\""])
        #expect(other.status == .ok)
    }

    @Test(
        "come in the coding that is asked for",
        arguments: [
            ("gzip, deflate, br, zstd", "br"), ("gzip", "gzip"), ("x-gzip", "gzip"),
            ("br;q=0.5, gzip;q=0.8", "gzip"), ("BR ; Q=1.0", "br"), ("gzip;q=0", nil),
            ("br;q=0, *", "gzip"), ("identity, br;q=0.9", nil), ("", nil), ("deflate", nil),
            ("*;q=0", nil), ("br;q=2", nil), ("br;q=0.0001, gzip;q=x", nil),
            ("identity;q=0, gzip;q=0.001", "gzip"),
        ] as [(String, String?)]
    )
    func codings(accepted: String, coding: String?) async throws {
        let answer = try await get("/", headers: [.acceptEncoding: accepted])
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentEncoding] == coding)
        #expect(answer.headers[.vary] == "Accept-Encoding")
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        let body = coding.map { Array($0.utf8) } ?? Self.contents["index.html"]
        #expect(Array(answer.body.readableBytesView) == body)
        #expect(answer.headers[.contentLength] == body.map { "\($0.count)" })
    }

    @Test("have another entity tag in every coding")
    func entityTags() async throws {
        var tags: Set<String> = []
        for coding in ["br", "gzip", "identity"] {
            let answer = try await get("/", headers: [.acceptEncoding: coding])
            tags.insert(try #require(answer.headers[.eTag]))
        }
        #expect(tags.count == 3)
    }

    @Test("are not compressed where that saves nothing")
    func uselessCoding() async throws {
        let answer = try await get("/sw.js", headers: [.acceptEncoding: "br"])
        #expect(answer.headers[.contentEncoding] == nil)
        #expect(answer.headers[.vary] == nil)
        #expect(String(buffer: answer.body) == "self")
    }

    @Test(
        "are described without being sent when only that is asked for, and so is all else",
        arguments: [
            ("/nothing", .notFound), ("/v1/nothing", .notFound), ("/healthz", .ok),
            ("/v1/devices", .unauthorized),
        ] as [(String, HTTPResponse.Status)]
    )
    func head(path: String, status: HTTPResponse.Status) async throws {
        let other = try await get(path, method: .head)
        #expect(other.status == status)
        #expect(other.body.readableBytes == 0)
        #expect(other.headers[.contentLength] == (try await get(path).headers[.contentLength]))
        let answer = try await get("/", method: .head, headers: [.acceptEncoding: "gzip"])
        #expect(answer.status == .ok)
        #expect(answer.body.readableBytes == 0)
        #expect(answer.headers[.contentLength] == "4")
        #expect(answer.headers[.contentEncoding] == "gzip")
    }

    @Test(
        "are all that can be asked for",
        arguments: [
            "/nothing", "/icons", "/icons/", "//", "/index.html/", "/index.html.br",
            "/../etc/passwd", "/icons/../sw.js", "/%2e%2e/key", "/icons%2ficon.png", "/sw.js%00",
            "/./sw.js", "/SW.JS",
        ]
    )
    func nothingElse(path: String) async throws {
        let answer = try await get(path)
        #expect(answer.status == .notFound)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        #expect(String(buffer: answer.body).contains("<a class=\"action\" href=\"/\">"))
        #expect(String(buffer: answer.body).contains(#"<link rel="stylesheet" href="/page.css">"#))
    }

    @Test(
        "and the page for an unknown address speaks the browser's language",
        arguments: Language.allCases
    )
    func unknownAddress(language: Language) async throws {
        let answer = try await get(
            "/nothing",
            headers: [.acceptLanguage: "xx, \(language.tag)-x;q=0.8, en;q=0.1"]
        )
        let page = String(buffer: answer.body)
        #expect(page.contains("<html lang=\"\(language.tag)\""))
        #expect(page.contains(language.text(MailText.unknownAddress).description))
        #expect(page.contains(language.text(MailText.writeMemo).description))
    }

    @Test("leave the API as it is")
    func besideAPI() async throws {
        for path in ["/v1/nothing", "//v1/nothing", "/v1//nothing", "/v1"] {
            let missing = try await get(path)
            #expect(missing.status == .notFound)
            #expect(try missing.problemCode() == .notFound)
        }
        #expect(try await get("/healthz").status == .ok)
        #expect(try await get("/", method: .post).status == .notFound)
    }

    @Test("are not there in a relay without a web app, which serves the API all the same")
    func withoutWeb() async throws {
        let bare = try fixture.open()
        let page = try await get("/", from: bare)
        #expect(page.status == .notFound)
        #expect(!String(buffer: page.body).contains("href=\"/\""), "it leads to itself")
        #expect(try await get("/healthz", from: bare).status == .ok)
    }

    @Test("say that a share was missed when no service worker was there to take it")
    func missedShare() async throws {
        let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
        for headers: HTTPFields in [[:], [site: "cross-site"], [.origin: "null"]] {
            let answer = try await get("/share", method: .post, headers: headers)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/?share=missed")
        }
    }

    @Test("lead to the page for reviews, or stay in the app where there is none")
    func review() async throws {
        let other = try RelayFixture().open { $0.reviewPage = "https://reviews.example/memo" }
        for (relay, page) in [(relay, "/"), (other, "https://reviews.example/memo")] {
            let answer = try await get("/review", from: relay)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == page)
        }
    }

    @Test("are told whether there is a page for reviews, without a token")
    func reviewOffer() async throws {
        let other = try RelayFixture().open { $0.reviewPage = "https://reviews.example/memo" }
        for (relay, offer) in [(relay, #"{"page":false}"#), (other, #"{"page":true}"#)] {
            let answer = try await get("/v1/review", from: relay)
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "application/json")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(String(buffer: answer.body) == offer)
        }
    }
}
