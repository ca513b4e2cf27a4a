import HTTPTypes
import Hummingbird
import NIOCore
import OutboxCore
import RelayAPI
import Testing

@testable import RelayServer

@Suite("Signing in")
struct VerificationTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func wrong(_ code: String) -> String {
        code == "000000" ? "000001" : "000000"
    }

    /// Asks for a code and answers it.
    private func ask(
        _ client: ApplicationClient,
        _ relay: Relay<SQLiteRelayStore>
    ) async throws -> String {
        let answer = try await client.post(
            RelayPath.verifications,
            VerificationRequest(address: RelayFixture.address)
        )
        #expect(answer.status == .accepted)
        #expect(String(buffer: answer.body) == "{}")
        return try await fixture.newestCode(relay)
    }

    private func confirm(
        _ client: ApplicationClient,
        _ code: String
    ) async throws -> ApplicationAnswer {
        try await client.confirm(address: RelayFixture.address, code: code)
    }

    @Test("the right code is traded for a token once")
    func rightCode() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let code = try await ask(client, relay)
            let answer = try await confirm(client, code)
            #expect(try answer.decoded(TokenGrant.self).token.count == 43)
            let again = try await confirm(client, code)
            #expect(again.status == .forbidden)
            #expect(try again.problemCode() == .codeRejected)
        }
    }

    @Test("after five wrong codes the right one fails too")
    func sixthTryFails() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let code = try await ask(client, relay)
            for _ in 0..<5 {
                let answer = try await confirm(client, wrong(code))
                #expect(try answer.problemCode() == .codeRejected)
            }
            let answer = try await confirm(client, code)
            #expect(try answer.problemCode() == .codeRejected)
        }
    }

    @Test("the right code at the fifth try is taken")
    func fifthTrySucceeds() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let code = try await ask(client, relay)
            for _ in 0..<4 { _ = try await confirm(client, wrong(code)) }
            #expect(try await confirm(client, code).status == .ok)
        }
    }

    @Test("a code is good for ten minutes and no longer")
    func codeExpires() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let code = try await ask(client, relay)
            fixture.clock.advance(.seconds(600))
            #expect(try await confirm(client, code).problemCode() == .codeRejected)
            let other = try await ask(client, relay)
            fixture.clock.advance(.seconds(599))
            #expect(try await confirm(client, other).status == .ok)
        }
    }

    @Test("a new code kills the old one")
    func newCodeKillsOld() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let old = try await ask(client, relay)
            fixture.clock.advance(.seconds(31))
            let new = try await ask(client, relay)
            if old != new {
                #expect(try await confirm(client, old).problemCode() == .codeRejected)
            }
            #expect(try await confirm(client, new).status == .ok)
        }
    }

    @Test("a code, its tries and its cooldown survive a restart")
    func survivesRestart() async throws {
        let before = try fixture.open()
        let code = try await before.application().test(.router) { client in
            let code = try await ask(client, before)
            for _ in 0..<4 { _ = try await confirm(client, wrong(code)) }
            return code
        }
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let tooSoon = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: RelayFixture.address)
            )
            #expect(tooSoon.status == .tooManyRequests)
            #expect(try await confirm(client, wrong(code)).status == .forbidden)
            #expect(try await confirm(client, code).status == .forbidden)
        }
    }

    @Test("the wait between codes grows, and says how long it is")
    func cooldownGrows() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            for wait in [30, 60, 120] as [Int64] {
                _ = try await ask(client, relay)
                fixture.clock.advance(Milliseconds(wait * 1000 - 1))
                let answer = try await client.post(
                    RelayPath.verifications,
                    VerificationRequest(address: RelayFixture.address)
                )
                #expect(try answer.problemCode() == .tooManyRequests)
                #expect(answer.headers[.retryAfter] == "1")
                fixture.clock.advance(Milliseconds(1))
            }
        }
    }

    @Test("upper case is no way round an address's limits")
    func limitsIgnoreCase() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            _ = try await ask(client, relay)
            let answer = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: RelayFixture.address.uppercased())
            )
            #expect(answer.status == .tooManyRequests)
        }
    }

    @Test("an address and a network get so many codes an hour, across restarts")
    func hourlyCaps() async throws {
        let configure = { (configuration: inout RelayConfiguration) in
            configuration.verificationRules.firstCooldown = Milliseconds(0)
            configuration.verificationRules.perAddress = 2
            configuration.verificationRules.perSource = 3
        }
        for name in ["a", "a"] {
            let relay = try fixture.open(configure)
            #expect(try await status(relay, name) == .accepted)
        }
        let relay = try fixture.open(configure)
        #expect(try await status(relay, "a") == .tooManyRequests)
        #expect(try await status(relay, "b") == .accepted)
        #expect(try await status(relay, "c") == .tooManyRequests)
        fixture.clock.advance(.seconds(3600))
        #expect(try await status(relay, "a") == .accepted)
    }

    private func status(
        _ relay: Relay<SQLiteRelayStore>,
        _ name: String
    ) async throws -> HTTPResponse.Status {
        try await relay.application().test(.router) { client in
            try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: "\(name)@example.org")
            ).status
        }
    }

    @Test("known and unknown addresses get the same answers")
    func answersDoNotTell() async throws {
        let relay = try fixture.open()
        _ = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for _ in 0..<2 {
                let answers = [
                    try await client.post(
                        RelayPath.verifications,
                        VerificationRequest(address: RelayFixture.address)
                    ),
                    try await client.post(
                        RelayPath.verifications,
                        VerificationRequest(address: "nobody@example.org")
                    ),
                ]
                #expect(answers[0].status == answers[1].status)
                #expect(answers[0].headers == answers[1].headers)
                #expect(answers[0].body == answers[1].body)
            }
        }
    }

    @Test("a malformed address or code is refused without being quoted")
    func malformedInput() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let answer = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: "canary\r\n@example.org")
            )
            #expect(try answer.problemCode() == .invalidAddress)
            #expect(!String(buffer: answer.body).contains("canary"))
            #expect(try await confirm(client, "12345").problemCode() == .codeRejected)
        }
    }

    @Test(
        "a language that nobody speaks is no reason to mail no code",
        arguments: ["en", "pt-BR", "tlh", "", "..", String(repeating: "x", count: 1000)]
    )
    func language(tag: String) async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let answer = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: RelayFixture.address, language: tag)
            )
            #expect(answer.status == .accepted)
            let code = try await fixture.newestCode(relay)
            #expect(try await confirm(client, code).status == .ok)
        }
    }

    @Test("a code that cannot be mailed in time is not mailed later")
    func lateCodeIsDropped() async throws {
        let relay = try fixture.open { $0.mailPolicy.base = Milliseconds(10) }
        _ = try await status(relay, "a")
        fixture.clock.advance(.seconds(900))
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == 0)
    }

    @Test("neither the address, the device nor the token is stored in clear")
    func nothingInClear() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        for bytes in try fixture.folder.allBytes() {
            let text = String(decoding: bytes, as: Unicode.ASCII.self)
            for secret in [token, "somebody", "example.org", "laptop"] {
                #expect(!text.contains(secret))
            }
        }
    }
}
