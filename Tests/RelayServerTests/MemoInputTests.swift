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

@Suite("What a memo's request may hold")
struct MemoInputTests {
    private let fixture: RelayFixture
    private let key = HTTPField.Name("\(RelayHeader.idempotencyKey)")!

    init() throws {
        fixture = try RelayFixture()
    }

    @Test("a missing or malformed key is refused")
    func badKeys() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let memo = MemoRequest(text: "x")
        try await relay.application().test(.router) { client in
            let missing = try await client.post(RelayPath.send, memo, token: token)
            #expect(missing.status == .badRequest)
            #expect(try missing.problemCode() == .idempotencyKeyMissing)
            let malformed = try await client.post(
                RelayPath.send,
                memo,
                token: token,
                headers: [key: "not-a-uuid"]
            )
            #expect(try malformed.problemCode() == .idempotencyKeyMalformed)
            let path = try await client.send(
                "\(RelayPath.memos)/not-a-uuid",
                method: .put,
                RelayJSON.encode(memo),
                token: token
            )
            #expect(try path.problemCode() == .idempotencyKeyMalformed)
        }
    }

    @Test("an empty memo is refused, one of 1 MiB taken, and one byte more refused")
    func lengths() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let longest = String(repeating: "é", count: (1 << 20) / 2)
        try await relay.application().test(.router) { client in
            func put(_ text: String) async throws -> ApplicationAnswer {
                try await client.put(.new(), MemoRequest(text: text), token: token)
            }
            #expect(try await put("").problemCode() == .emptyMemo)
            #expect(try await put(longest).status == .accepted)
            let tooLong = try await put(longest + "x")
            #expect(tooLong.status == .contentTooLarge)
            #expect(try tooLong.problemCode() == .tooLarge)
        }
        try await fixture.deliver(relay)
        let mail = try #require(fixture.transport.mails.last)
        #expect(try DecodedMail(mail.message).body == Array(longest.utf8))
    }

    @Test("a memo of 1 MiB in the longest JSON there is, is taken")
    func longestJSON() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let escaped = String(repeating: "\\u0001", count: 1 << 20)
        try await relay.application().test(.router) { client in
            let answer = try await client.putBody(
                Array("{\"text\":\"\(escaped)\"}".utf8),
                token: token
            )
            #expect(answer.status == .accepted)
        }
    }

    @Test("a body beyond any limit is refused, declared or not", arguments: [true, false])
    func oversizedBody(isDeclared: Bool) async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let body = [UInt8](repeating: 0x20, count: RelayLimits.memoBodyLength + 1)
        try await relay.application().test(.router) { client in
            let answer = try await client.putBody(
                body,
                token: token,
                declaresLength: isDeclared
            )
            #expect(try answer.problemCode() == .tooLarge)
        }
    }

    @Test("a body that is not the JSON asked for is refused without being quoted")
    func malformedBodies() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        let bodies: [[UInt8]] = [
            [], Array("canary".utf8), Array("{\"text\":\"canary".utf8), Array("{\"text\":1}".utf8),
            Array("{}".utf8), Array("[]".utf8),
            Array("{\"text\":\"canary".utf8) + [0xFF, 0x22, 0x7D],
            Array("{\"text\":\"canary\\ud800\"}".utf8),
        ]
        try await relay.application().test(.router) { client in
            for body in bodies {
                let answer = try await client.putBody(body, token: token)
                #expect(answer.status == .badRequest)
                #expect(try answer.problemCode() == .malformedBody)
                #expect(!String(buffer: answer.body).contains("canary"))
            }
        }
    }

    @Test("members that the relay does not know are passed over")
    func unknownMembers() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let answer = try await client.putBody(
                Array(
                    "{\"future\":{\"x\":[1]},\"text\":\"hello\",\"to\":\"thief@example.net\"}".utf8
                ),
                token: token
            )
            #expect(answer.status == .accepted)
        }
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.last?.recipient == RelayFixture.address)
    }

    @Test("a path that is not there is a problem too, and health is not")
    func paths() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let answer = try await client.send("/v1/canary", method: .get)
            #expect(try answer.problemCode() == .notFound)
            #expect(!String(buffer: answer.body).contains("canary"))
            #expect(try await client.send(RelayPath.health, method: .get).status == .ok)
        }
    }
}

extension ApplicationClient {
    /// Sends a memo with these bytes as the request's body.
    fileprivate func putBody(
        _ body: [UInt8],
        token: String,
        declaresLength: Bool = true
    ) async throws -> ApplicationAnswer {
        try await send(
            RelayPath.memo(.new()),
            method: .put,
            body,
            token: token,
            declaresLength: declaresLength
        )
    }
}
