import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A page of another site")
struct OriginTests {
    private let fixture: RelayFixture
    private let relay: Relay<SQLiteRelayStore>

    init() throws {
        fixture = try RelayFixture()
        relay = try fixture.open()
    }

    private func headers(_ site: String) throws -> HTTPFields {
        [try #require(HTTPField.Name("Sec-Fetch-Site")): site]
    }

    /// The answer to a request for a code.
    private func ask(
        _ headers: HTTPFields,
        path: String = "\(RelayPath.verifications)"
    ) async throws -> ApplicationAnswer {
        try await relay.application().test(.router) { client in
            try await client.post(
                path,
                VerificationRequest(address: RelayFixture.address),
                headers: headers
            )
        }
    }

    @Test("cannot have codes mailed", arguments: ["cross-site", "same-site", "canary"])
    func refused(site: String) async throws {
        let answer = try await ask(headers(site))
        #expect(answer.status == .forbidden)
        #expect(try answer.problemCode() == .crossOrigin)
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.isEmpty)
    }

    @Test(
        "cannot have codes mailed by another spelling of the path",
        arguments: ["//v1/verifications", "///v1/verifications", "/v1//verifications/"]
    )
    func otherSpelling(path: String) async throws {
        var headers = try headers("cross-site")
        headers[.contentType] = "text/plain"
        let answer = try await ask(headers, path: path)
        #expect(answer.status == .forbidden)
        #expect(try answer.problemCode() == .crossOrigin)
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.isEmpty)
    }

    @Test(
        "is known by its origin where the browser says no more",
        arguments: [
            ("http://localhost", .accepted), ("https://LOCALHOST", .accepted),
            ("http://other.example", .forbidden), ("http://localhost:81", .forbidden),
            ("http://localhost.other.example", .forbidden), ("null", .forbidden),
            ("", .forbidden), ("localhost", .forbidden),
        ] as [(String, HTTPResponse.Status)]
    )
    func origin(origin: String, status: HTTPResponse.Status) async throws {
        #expect(try await ask([.origin: origin]).status == status)
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.isEmpty == (status == .forbidden))
    }

    @Test("is told apart from the relay's own", arguments: ["same-origin", "none"])
    func ownPage(site: String) async throws {
        #expect(try await ask(headers(site)).status == .accepted)
    }

    @Test("gets no leave to send a token or to read an answer")
    func preflight() async throws {
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let path = RelayPath.memo(.new())
            let asked = try await client.send(
                path,
                method: .options,
                headers: [
                    .origin: "https://other.example", .accessControlRequestMethod: "PUT",
                    .accessControlRequestHeaders: "authorization",
                ]
            )
            let read = try await client.send(
                RelayPath.devices,
                method: .get,
                token: token,
                headers: [.origin: "https://other.example"]
            )
            #expect(read.status == .ok)
            for answer in [asked, read] {
                let names = answer.headers.map(\.name.canonicalName)
                #expect(!names.contains { $0.hasPrefix("access-control") })
            }
        }
    }
}
