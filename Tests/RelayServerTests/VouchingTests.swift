import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import SQLite
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// The requests of these tests come from 127.0.0.1.
@Suite("A proxy that vouches for people")
struct VouchingTests {
    private let fixture: RelayFixture
    private let max = "max@x.example"

    init() throws {
        fixture = try RelayFixture()
    }

    private func open(
        proxies: String = "127.0.0.1",
        _ configure: (inout RelayConfiguration) -> Void = { _ in }
    ) throws -> Relay<SQLiteRelayStore> {
        try fixture.open {
            let named = try #require(ProxyAddresses(proxies))
            $0.vouchingProxy = VouchingProxy(header: "Remote-Email", from: named)
            configure(&$0)
        }
    }

    private func fields(_ values: [String], _ others: HTTPFields = [:]) throws -> HTTPFields {
        var fields = others
        let name = try #require(HTTPField.Name("Remote-Email"))
        for value in values { fields.append(HTTPField(name: name, value: value)) }
        return fields
    }

    private func ask(
        _ client: ApplicationClient,
        for address: String,
        header: [String],
        takesCode: Bool? = true,
        others: HTTPFields = [:]
    ) async throws -> ApplicationAnswer {
        let asked = VerificationRequest(address: address, language: "de", takesCode: takesCode)
        let fields = try fields(header, others)
        return try await client.post(RelayPath.verifications, asked, headers: fields)
    }

    private func confirm(
        _ client: ApplicationClient,
        _ code: String,
        for address: String,
        header: [String]
    ) async throws -> ApplicationAnswer {
        let entered = ConfirmationRequest(
            address: address,
            code: code,
            device: "browser",
            handle: "a handle that is not looked at"
        )
        let fields = try fields(header)
        return try await client.post(RelayPath.confirmations, entered, headers: fields)
    }

    private func voucher(
        _ client: ApplicationClient,
        for address: String
    ) async throws -> String {
        let answer = try await ask(client, for: address, header: [address])
        #expect(answer.status == .accepted)
        return try #require(try answer.decoded(VerificationAcceptance.self).code)
    }

    @Test("signs a person in without a mail, and up where sign-up is closed")
    func signsIn() async throws {
        let relay = try open { $0.verificationRules.signUp = .closed }
        try await relay.application().test(.router) { client in
            let code = try await voucher(client, for: max)
            let granted = try await confirm(client, code, for: "MAX@X.example", header: [max])
            #expect(granted.status == .ok)
            let token = try granted.decoded(TokenGrant.self).token
            let device = try await relay.store.device(tokenHash: DeviceToken(text: token).hash)
            #expect(device?.address.identity == max)
        }
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.isEmpty)
    }

    @Test("tells of a further device by mail, in the language of the sign-in")
    func announced() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            for _ in 0..<2 {
                let code = try await voucher(client, for: max)
                #expect(try await confirm(client, code, for: max, header: [max]).status == .ok)
            }
        }
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.map(\.recipient) == [max])
        let account = try relay.store.read { database in
            try database.first("SELECT language FROM account") { $0.text(0) }
        }
        #expect(account == "de")
    }

    @Test("is needed again to confirm: a voucher alone, or one of another address, is worthless")
    func bound() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            let code = try await voucher(client, for: max)
            let eve = "eve@x.example"
            let other = try await voucher(client, for: eve)
            let forged = String(code.dropLast()) + (code.hasSuffix("0") ? "1" : "0")
            for (code, address, header) in [
                (code, max, []), (code, max, [eve]), (code, max, [max, max]), (code, eve, [eve]),
                (code, eve, [max]), (other, max, [max]), (forged, max, [max]),
                (code + "00", max, [max]), ("000000", max, [max]),
            ] as [(String, String, [String])] {
                let refused = try await confirm(client, code, for: address, header: header)
                #expect(
                    try refused.status == .forbidden && refused.problemCode() == .codeRejected,
                    "\(address) \(header)"
                )
            }
            #expect(try await confirm(client, code, for: max, header: [max]).status == .ok)
        }
    }

    @Test("vouches for two minutes")
    func expires() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            let code = try await voucher(client, for: max)
            fixture.clock.advance(Milliseconds(Voucher.lifetime.count - 1))
            #expect(try await confirm(client, code, for: max, header: [max]).status == .ok)
            fixture.clock.advance(Milliseconds(1))
            #expect(try await confirm(client, code, for: max, header: [max]).status == .forbidden)
        }
    }

    @Test(
        "is not believed elsewhere, twice, in another spelling, or for another address",
        arguments: [
            ("192.0.2.1", ["max@x.example"]), ("127.0.0.1", []), ("127.0.0.1", [""]),
            ("127.0.0.1", ["max@x.example", "max@x.example"]),
            ("127.0.0.1", ["max@x.example", "eve@x.example"]),
            ("127.0.0.1", ["max@x.example,max@x.example"]),
            ("127.0.0.1", ["<max@x.example>"]), ("127.0.0.1", ["Max <max@x.example>"]),
            ("127.0.0.1", ["\"max\"@x.example"]), ("127.0.0.1", ["max@x.example."]),
            ("127.0.0.1", ["max%40x.example"]), ("127.0.0.1", ["max+a@x.example"]),
            ("127.0.0.1", ["eve@x.example"]),
        ] as [(String, [String])]
    )
    func notBelieved(proxies: String, header: [String]) async throws {
        let relay = try open(proxies: proxies)
        try await relay.application().test(.router) { client in
            let answer = try await ask(client, for: max, header: header)
            #expect(try answer.decoded(VerificationAcceptance.self).code == nil)
        }
        // As anybody who asks.
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.map(\.recipient) == [max])
    }

    @Test("has a code mailed where the device takes none in the answer")
    func formerDevice() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            for takesCode in [nil, false] as [Bool?] {
                let answer = try await ask(
                    client,
                    for: max,
                    header: [max],
                    takesCode: takesCode
                )
                #expect(try answer.decoded(VerificationAcceptance.self).code == nil)
                fixture.clock.advance(.seconds(120))
            }
        }
        try await fixture.deliver(relay)
        #expect(!fixture.transport.mails.isEmpty)
    }

    @Test("does not erase: that takes a mailed code")
    func erasesNothing() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            let code = try await voucher(client, for: max)
            let granted = try await confirm(client, code, for: max, header: [max])
            let token = try granted.decoded(TokenGrant.self).token
            let name = try #require(HTTPField.Name("Remote-Email"))
            let answer = try await client.execute(
                uri: "\(RelayPath.account)",
                method: .delete,
                headers: [.authorization: "Bearer \(token)", name: max],
                body: ByteBuffer(
                    bytes: try RelayJSON.encode(ErasureRequest(code: code, handle: "handle"))
                )
            )
            #expect(try answer.problemCode() == .codeRejected)
            #expect(
                try await relay.store.device(tokenHash: DeviceToken(text: token).hash) != nil
            )
        }
    }

    @Test("opens nothing to the page of another site")
    func otherSites() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
            for others in [
                [site: "cross-site"], [site: "same-site"], [.origin: "https://evil.example"],
            ] as [HTTPFields] {
                let answer = try await ask(client, for: max, header: [max], others: others)
                #expect(try answer.problemCode() == .crossOrigin)
            }
        }
    }

    @Test("signs in as often as codes do, whatever strangers have used up")
    func limits() async throws {
        let relay = try open {
            $0.verificationRules.perService = 1
            $0.verificationRules.perDay = 1
            $0.verificationRules.signIns = 2
        }
        try await relay.application().test(.router) { client in
            _ = try await client.askCode(max)
            let code = try await voucher(client, for: max)
            for status in [.ok, .ok, .tooManyRequests] as [HTTPResponse.Status] {
                #expect(try await confirm(client, code, for: max, header: [max]).status == status)
            }
        }
    }

    @Test("counts from named addresses alone, and has to have one")
    func named() throws {
        #expect(VouchingProxy(header: "Remote-Email", from: .thisMachine) == nil)
        let named = try #require(ProxyAddresses("10.0.0.1, fd00::1"))
        #expect(VouchingProxy(header: "not a name", from: named) == nil)
        #expect(VouchingProxy(header: "", from: named) == nil)
        let proxy = try #require(VouchingProxy(header: "remote-email", from: named))
        let address = try #require(MailAddress(max))
        let name = try #require(HTTPField.Name("Remote-EMAIL"))
        let fields: HTTPFields = [name: max]
        for (peer, isNamed) in [
            ("10.0.0.1", true), ("::ffff:10.0.0.1", true), ("fd00::1", true), ("10.0.0.2", false),
            ("127.0.0.1", false), ("::1", false), ("fd00::2", false), ("", false), (nil, false),
        ] as [(String?, Bool)] {
            #expect(proxy.address(in: fields, peer: peer) == (isNamed ? address : nil))
        }
        let similar = try #require(HTTPField.Name("Remote_Email"))
        #expect(proxy.address(in: [similar: max], peer: "10.0.0.1") == nil)
    }
}
