import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("Signing in")
struct VerificationTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func wrong(_ asked: Asked) -> Asked {
        Asked(code: asked.code == "000000" ? "000001" : "000000", handle: asked.handle)
    }

    /// A code that was mailed, and the handle with which it can be tried.
    private struct Asked {
        var code: String
        let handle: String
    }

    /// Asks for a code and answers it.
    private func ask(
        _ client: ApplicationClient,
        _ relay: Relay<SQLiteRelayStore>,
        from network: String? = nil
    ) async throws -> Asked {
        let answer = try await client.askCode(RelayFixture.address, from: network)
        #expect(answer.status == .accepted)
        let acceptance = try answer.decoded(VerificationAcceptance.self)
        let code = try await fixture.newestCode(relay)
        #expect(acceptance.digits == code.count)
        return Asked(code: code, handle: acceptance.handle)
    }

    private func confirm(
        _ client: ApplicationClient,
        _ asked: Asked
    ) async throws -> ApplicationAnswer {
        try await client.confirm(
            address: RelayFixture.address,
            code: asked.code,
            handle: asked.handle
        )
    }

    @Test("an address with too many sign-ins of a day is told when to come again")
    func signInsOfDay() async throws {
        let relay = try fixture.open { $0.verificationRules.signIns = 1 }
        _ = try await fixture.token(relay)
        fixture.clock.advance(.seconds(3600))
        try await relay.application().test(.router) { client in
            let asked = try await ask(client, relay)
            let refused = try await confirm(client, asked)
            #expect(try refused.problemCode() == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "82800")
            #expect(try refused.decoded(Problem.self).detail.contains("sign"))
            #expect(try await confirm(client, wrong(asked)).problemCode() == .codeRejected)
        }
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

    @Test("a code is right with its own handle only, and another request's code does not end it")
    func handles() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let first = try await ask(client, relay)
            fixture.clock.advance(.seconds(31))
            let second = try await ask(client, relay)
            #expect(Set([first.handle, second.handle]).count == 2)
            for asked in [first, second] { #expect(asked.handle.utf8.count == 32) }
            if first.code != second.code {
                let crossed = Asked(code: first.code, handle: second.handle)
                #expect(try await confirm(client, crossed).problemCode() == .codeRejected)
            }
            let madeUp = Asked(code: first.code, handle: String(repeating: "A", count: 32))
            #expect(try await confirm(client, madeUp).problemCode() == .codeRejected)
            #expect(try await confirm(client, first).status == .ok)
            #expect(try await confirm(client, second).status == .ok)
        }
    }

    @Test("a code without a handle, as old clients send it, is refused by a name of its own")
    func handleMissing() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let asked = try await ask(client, relay)
            for _ in 0..<6 {
                let answer = try await client.confirm(
                    address: RelayFixture.address,
                    code: asked.code,
                    handle: nil
                )
                #expect(answer.status == .badRequest)
                #expect(try answer.problemCode() == .handleMissing)
            }
            #expect(try await confirm(client, asked).status == .ok)
        }
    }

    @Test("a stranger who asks for codes and tries them keeps no device from being signed in")
    func attacked() async throws {
        let relay = try fixture.open { $0.trustedProxies = 1 }
        try await relay.application().test(.router) { client in
            var strangers: [String?] = [nil, "x"]
            func attack() async throws {
                let asked = try await client.askCode(RelayFixture.address, from: "198.51.100.1")
                if asked.status == .accepted {
                    strangers.append(try asked.decoded(VerificationAcceptance.self).handle)
                }
                for handle in strangers {
                    for number in 0..<5 {
                        let answer = try await client.confirm(
                            address: RelayFixture.address,
                            code: "00000\(number)",
                            handle: handle
                        )
                        #expect(answer.status != .ok)
                    }
                }
            }
            for step in 0..<100 {
                fixture.clock.advance(.seconds(5))
                if step % 5 == 0 { try await attack() }
                guard [40, 41, 90].contains(step) else { continue }
                try await attack()
                try await fixture.deliver(relay)
                let owner = try await ask(client, relay, from: "203.0.113.7")
                try await attack()
                #expect(try await confirm(client, owner).status == .ok)
            }
        }
    }

    @Test("a long code signs in without a handle, however it is written, and once")
    func longCode() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let asked = try await ask(client, relay)
            let code = try await fixture.newestLongCode(relay)
            // Neither wrong digits nor ten minutes end a long code.
            for _ in 0..<5 { _ = try await confirm(client, wrong(asked)) }
            fixture.clock.advance(.seconds(86_399))
            func enter(_ code: String, _ address: String) async throws -> ApplicationAnswer {
                try await client.confirm(address: address, code: code, handle: nil)
            }
            let other = try await enter(code, "other@example.org")
            #expect(try other.problemCode() == .codeRejected)
            let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o")
            #expect(try await enter(typed, RelayFixture.address).status == .ok)
            let again = try await enter(code, RelayFixture.address)
            #expect(try again.problemCode() == .codeRejected)
        }
    }

    /// Strangers in as many networks as they like, at all spellings of the mailbox.
    @Test("an owner signs in from a new network while strangers ask for codes all day")
    func floodedMailbox() async throws {
        let relay = try fixture.open {
            $0.trustedProxies = 1
            $0.verificationRules.signIns = 100
        }
        _ = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for hour in 0..<24 {
                fixture.clock.advance(.seconds(3600))
                for number in 0..<9 {
                    let tag = hour.isMultiple(of: 2) ? "" : "+\(number)"
                    let answer = try await client.askCode(
                        "somebody\(tag)@example.org",
                        from: "198.\(hour).\(number).1"
                    )
                    #expect(answer.status == .accepted)
                }
                let network = "203.0.\(hour).7"
                let asked = try await client.askCode(RelayFixture.address, from: network)
                #expect(asked.status == .accepted)
                let acceptance = try asked.decoded(VerificationAcceptance.self)
                let answer = try await client.confirm(
                    address: RelayFixture.address,
                    code: try await fixture.newestLongCode(relay),
                    handle: acceptance.handle,
                    from: network
                )
                #expect(answer.status == .ok, "hour \(hour)")
            }
        }
        // Thirty in a day, one for each sign-in, and the mails about the first ten sign-ins.
        #expect(fixture.transport.mails.count <= 30 + 24 + 10)
    }

    @Test("beyond a mailbox's limit, known and unknown addresses get the same answer")
    func heldAnswersDoNotTell() async throws {
        let relay = try fixture.open {
            $0.verificationRules.perPair = 1
            $0.verificationRules.firstCooldown = Milliseconds(0)
        }
        _ = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for address in [RelayFixture.address, "nobody@example.org"] {
                _ = try await client.askCode(address)
                for tag in ["", "+tag"] {
                    let name = address.replacing("@", with: "\(tag)@")
                    let answer = try await client.askCode(name)
                    let body = try answer.decoded(VerificationAcceptance.self)
                    #expect(answer.status == .accepted && body.longCode == true)
                    #expect(body.digits == 6 && body.handle.utf8.count == 32)
                }
            }
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
            let tooSoon = try await client.askCode(RelayFixture.address)
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

    @Test("a relay that sees failures mails longer codes, and says how long they are")
    func longerCodes() async throws {
        let relay = try fixture.open { $0.verificationRules.guessBudget = 240_000 }
        try await relay.application().test(.router) { client in
            let first = try await ask(client, relay)
            #expect(first.code.count == 6)
            #expect(try await confirm(client, wrong(first)).status == .forbidden)
            #expect(try await confirm(client, first).status == .ok)
            _ = try await ask(client, relay)
            fixture.clock.advance(.seconds(31))
            let longer = try await ask(client, relay)
            #expect(longer.code.count == 8)
            #expect(try await confirm(client, longer).status == .ok)
        }
    }

    @Test("a tag is no way round an address's limits, and the mail goes to the address as given")
    func limitsIgnoreTags() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            _ = try await ask(client, relay)
            let tagged = "somebody+tag@example.org"
            #expect(try await client.askCode(tagged).status == .tooManyRequests)
            fixture.clock.advance(.seconds(31))
            #expect(try await client.askCode(tagged).status == .accepted)
            try await fixture.deliver(relay)
            #expect(fixture.transport.mails.last?.recipient == tagged)
        }
        let token = try await fixture.token(relay, address: "other@example.org")
        let another = try await fixture.token(relay, address: "other+tag@example.org")
        try await relay.application().test(.router) { client in
            for token in [token, another] {
                let listed = try await client.send(RelayPath.devices, method: .get, token: token)
                #expect(try listed.decoded(DeviceList.self).devices.count == 1)
            }
        }
    }

    @Test("the networks of one site, and of all sites, get so many codes")
    func siteAndService() async throws {
        let relay = try fixture.open {
            $0.trustedProxies = 1
            $0.verificationRules.perSite = 3
            $0.verificationRules.perService = 5
        }
        try await relay.application().test(.router) { client in
            func ask(
                _ number: Int,
                _ network: String,
                _ status: HTTPResponse.Status
            ) async throws {
                let address = "a\(number)@d\(number).example"
                let answer = try await client.askCode(address, from: network)
                #expect(answer.status == status)
            }
            for number in 0..<3 {
                try await ask(number, "2001:db8:1:\(number)::1", .accepted)
            }
            try await ask(3, "2001:db8:1:9::1", .tooManyRequests)
            try await ask(3, "2001:db8:2:9::1", .accepted)
            try await ask(4, "198.51.100.4", .accepted)
            try await ask(5, "203.0.113.5", .tooManyRequests)
            fixture.clock.advance(.seconds(60))
            try await ask(5, "203.0.113.5", .accepted)
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
        #expect(try await mails(of: relay) == 2)
        #expect(try await status(relay, "a") == .accepted)
        #expect(try await mails(of: relay) == 2)
        #expect(try await status(relay, "b") == .accepted)
        #expect(try await mails(of: relay) == 3)
        #expect(try await status(relay, "c") == .tooManyRequests)
        fixture.clock.advance(.seconds(3600))
        #expect(try await status(relay, "a") == .accepted)
        #expect(try await mails(of: relay) == 4)
    }

    /// The number of mails so far.
    private func mails(of relay: Relay<SQLiteRelayStore>) async throws -> Int {
        try await fixture.deliver(relay)
        return fixture.transport.mails.count
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
                if answers[0].status == .accepted {
                    let bodies = try answers.map { try $0.decoded(VerificationAcceptance.self) }
                    #expect(bodies[0].digits == bodies[1].digits)
                    #expect(bodies[0].handle.count == bodies[1].handle.count)
                } else {
                    #expect(answers[0].body == answers[1].body)
                }
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
            let short = Asked(code: "12345", handle: "x")
            #expect(try await confirm(client, short).problemCode() == .codeRejected)
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
            let asked = Asked(
                code: try await fixture.newestCode(relay),
                handle: try answer.decoded(VerificationAcceptance.self).handle
            )
            #expect(try await confirm(client, asked).status == .ok)
        }
    }

    @Test("codes that cannot be mailed while the long one lives are not mailed later")
    func lateCodeIsDropped() async throws {
        let relay = try fixture.open { $0.mailPolicy.base = Milliseconds(10) }
        _ = try await status(relay, "a")
        fixture.clock.advance(.seconds(86_400))
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == 0)
    }

    @Test("neither the address, the device nor the token is stored in clear")
    func nothingInClear() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let handle = try await relay.application().test(.router) { client in
            try await client.askCode("another@example.org")
                .decoded(VerificationAcceptance.self).handle
        }
        let longCode = try await fixture.newestLongCode(relay, to: "another@example.org")
            .replacing("-", with: "")
        for bytes in try fixture.folder.allBytes() {
            let text = String(decoding: bytes, as: Unicode.ASCII.self)
            for secret in [token, handle, longCode, "somebody", "example.org", "laptop"] {
                #expect(!text.contains(secret))
            }
        }
    }
}
