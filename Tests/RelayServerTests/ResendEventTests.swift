import Crypto
import Foundation
import HTTPTypes
import NIOCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The events of Resend (R9)", .timeLimit(.minutes(60)))
struct ResendEventTests {
    private let fixture: RelayFixture
    private static let key = Data("sixteen bytes at least".utf8)
    static let secret = "whsec_\(key.base64EncodedString())"

    init() throws {
        fixture = try RelayFixture()
    }

    /// A request that Resend could have made.
    struct Event: Sendable {
        var id = "msg_1"
        var time: WallTime
        var body: String
        var key = ResendEventTests.key

        static func bounced(_ tag: String, type: String = "Permanent") -> String {
            #"{"type":"email.bounced","created_at":"2026-11-22T23:41:12.126Z","data":"#
                + #"{"email_id":"56761188","from":"a@b.c","to":["canary@b.c"],"subject":"canary","#
                + #""bounce":{"message":"canary","type":"\#(type)","subType":"x"},"#
                + #""tags":{"category":"other","memo":"\#(tag)"}}}"#
        }

        var timestamp: String { "\(time.millisecondsSinceEpoch / 1000)" }

        var signature: String {
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(id).\(timestamp).\(body)".utf8),
                using: SymmetricKey(data: key)
            )
            return "v1,\(Data(code).base64EncodedString())"
        }

        func headers(signature: String? = nil) -> HTTPFields {
            var headers = HTTPFields()
            for (name, value) in [
                ("svix-id", id), ("svix-timestamp", timestamp),
                ("svix-signature", signature ?? self.signature),
            ] {
                if let name = HTTPField.Name(name) { headers[name] = value }
            }
            return headers
        }
    }

    private func relay() throws -> Relay<SQLiteRelayStore> {
        let endpoint = try Self.endpoint()
        return try fixture.open { $0.mail = .resend(endpoint) }
    }

    static func endpoint() throws -> ResendEndpoint {
        let key = try #require(ResendEndpoint.Key("re_1"))
        var endpoint = try #require(ResendEndpoint(key: key))
        endpoint.webhookSecret = ResendWebhookSecret(secret)
        try #require(endpoint.webhookSecret != nil)
        return endpoint
    }

    /// Sends a memo, and lets the transport answer with `outcome`.
    private func send(
        _ relay: Relay<SQLiteRelayStore>,
        outcome: MailOutcome = .accepted
    ) async throws -> String {
        let token = try await fixture.token(relay)
        fixture.transport.answer(outcome)
        try await relay.application().test(.router) { client in
            let id = OperationID.random(at: fixture.clock.now)
            _ = try await client.put(id, MemoRequest(text: "canary"), token: token)
        }
        try await fixture.deliver(relay)
        return try #require(fixture.transport.mails.last?.tag)
    }

    private func bring(
        _ event: Event,
        to relay: Relay<SQLiteRelayStore>,
        _ headers: HTTPFields? = nil
    ) async throws -> HTTPResponse.Status {
        try await relay.application().test(.router) { client in
            let answer = try await client.execute(
                uri: ResendEvent.path,
                method: .post,
                headers: headers ?? event.headers(),
                body: ByteBuffer(string: event.body)
            )
            #expect(!String(buffer: answer.body).contains("canary"))
            return answer.status
        }
    }

    /// Number, status and reason of the memo's latest change.
    private func change(_ relay: Relay<SQLiteRelayStore>) throws -> String? {
        try relay.store.storage.read { database in
            try database.first("SELECT change, status, reason FROM memo") { row in
                "\(row.integer(0)) \(row.text(1)) \(row.optionalText(2) ?? "-")"
            }
        }
    }

    @Test("a bounce is recorded once, however often and late its event comes")
    func once() async throws {
        let relay = try relay()
        let tag = try await send(relay)
        #expect(try change(relay) == "3 delivered -")
        var event = Event(time: fixture.clock.now, body: Event.bounced(tag))
        for _ in 0..<2 { #expect(try await bring(event, to: relay) == .noContent) }
        #expect(try change(relay) == "4 bounced resend.bounced.permanent")
        fixture.clock.advance(.seconds(36_000))
        event = Event(
            id: "msg_2",
            time: fixture.clock.now,
            body: Event.bounced(tag, type: "Transient")
        )
        #expect(try await bring(event, to: relay) == .noContent)
        #expect(try change(relay) == "4 bounced resend.bounced.permanent")
    }

    @Test("an event that comes before the mail's answer has to come again")
    func early() async throws {
        let relay = try relay()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let id = OperationID.random(at: fixture.clock.now)
            _ = try await client.put(id, MemoRequest(text: "canary"), token: token)
        }
        let mail = try relay.store.storage.read { database in
            try database.first("SELECT operation FROM memo") { try OperationID(column: $0.blob(0)) }
        }
        let tag = relay.secret.bounceTag(of: try #require(mail))
        let event = Event(time: fixture.clock.now, body: Event.bounced(tag))
        #expect(try await bring(event, to: relay) == .serviceUnavailable)
        #expect(try change(relay) == "2 accepted -")
    }

    @Test("a memo that was refused, or has expired, keeps its fate")
    func settled() async throws {
        let relay = try relay()
        let tag = try await send(relay, outcome: .refused("resend.recipient"))
        let event = Event(time: fixture.clock.now, body: Event.bounced(tag))
        #expect(try await bring(event, to: relay) == .noContent)
        #expect(try change(relay) == "3 bounced resend.recipient")
    }

    @Test("an event that is not signed, or not now, or not of this secret changes nothing")
    func unsigned() async throws {
        let relay = try relay()
        let tag = try await send(relay)
        let event = Event(time: fixture.clock.now, body: Event.bounced(tag))
        var other = event
        other.key = Data("another key of Svix".utf8)
        var changed = event
        changed.body += " "
        var renamed = event
        renamed.id = "msg_2"
        var twice = event.headers()
        if let name = HTTPField.Name("svix-id") { twice.append(HTTPField(name: name, value: "x")) }
        let forged: [(Event, HTTPFields)] = [
            (event, [:]), (event, other.headers()), (changed, event.headers()),
            (event, renamed.headers(signature: event.signature)), (event, twice),
            (event, event.headers(signature: "v1,")),
            (event, event.headers(signature: event.signature.replacing("v1", with: "v2"))),
            (event, event.headers(signature: String(event.signature.dropFirst(3)))),
        ]
        for (number, (event, headers)) in forged.enumerated() {
            #expect(try await bring(event, to: relay, headers) == .badRequest, "\(number)")
        }
        for seconds: Int64 in [-301, 301] {
            var event = event
            event.time = fixture.clock.now.advanced(by: .seconds(seconds))
            #expect(try await bring(event, to: relay) == .badRequest)
        }
        #expect(try change(relay) == "3 delivered -")
        // While a secret is replaced, the signature of the other one stands beside.
        let both = event.headers(signature: "\(other.signature) \(event.signature)")
        #expect(try await bring(event, to: relay, both) == .noContent)
        #expect(try change(relay) == "4 bounced resend.bounced.permanent")
    }

    @Test("events of other mails and other things are taken, and change nothing")
    func others() async throws {
        let relay = try relay()
        let tag = try await send(relay)
        let bodies = [
            Event.bounced("none"), Event.bounced(""), Event.bounced("\(tag)a"),
            #"{"type":"email.bounced","data":{"email_id":"5"}}"#,
            #"{"type":"email.delivered","data":{"tags":{"memo":"\#(tag)"}}}"#,
            #"{"type":"email.complained","data":{"tags":{"memo":"\#(tag)"}}}"#,
            #"{"type":"email.delivery_delayed","data":{"tags":{"memo":"\#(tag)"}}}"#,
            #"{"type":"contact.created","data":["anything"]}"#,
        ]
        for body in bodies {
            let event = Event(time: fixture.clock.now, body: body)
            #expect(try await bring(event, to: relay) == .noContent, "\(body)")
        }
        for body in ["", "[]", #"{"type":1}"#, #"{"type":"email.bounced","data":7}"#] {
            let event = Event(time: fixture.clock.now, body: body)
            #expect(try await bring(event, to: relay) == .badRequest, "\(body)")
        }
        #expect(try change(relay) == "3 delivered -")
    }

    @Test("a relay that is given no secret takes no events")
    func noSecret() async throws {
        let relay = try fixture.open()
        let event = Event(time: fixture.clock.now, body: Event.bounced("none"))
        #expect(try await bring(event, to: relay) == .notFound)
    }

    @Test("each event is taken for what it says of the mail")
    func fates() throws {
        func fate(_ type: String, _ data: String = "{}") -> MemoFate? {
            ResendEvent(Array(#"{"type":"\#(type)","data":\#(data)}"#.utf8))?.fate
        }
        func bounced(_ type: String) -> MemoFate? {
            fate("email.bounced", #"{"bounce":{"type":"\#(type)"}}"#)
        }
        #expect(bounced("Permanent") == .bounced("resend.bounced.permanent"))
        #expect(bounced("Transient") == .expired("resend.bounced.transient"))
        #expect(bounced("Undetermined") == .bounced("resend.bounced"))
        #expect(fate("email.bounced") == .bounced("resend.bounced"))
        #expect(fate("email.suppressed") == .bounced("resend.suppressed"))
        #expect(fate("email.failed") == .bounced("resend.failed"))
        #expect(fate("email.sent") == nil && fate("email.opened") == nil)
        let list = #"{"type":"email.sent","data":{"tags":[{"name":"memo","value":"x"}]}}"#
        #expect(ResendEvent(Array(list.utf8))?.tag == "x")
    }

    @Test("a signature is that of Svix")
    func reference() throws {
        // Of the tests of <https://github.com/svix/svix-webhooks>.
        let secret = try #require(ResendWebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = ResendSignature(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: "1614265330",
            signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            at: WallTime(millisecondsSinceEpoch: 1_614_265_330_000)
        )
        #expect(secret.signed(Array(#"{"test": 2432232314}"#.utf8), as: try #require(signature)))
        #expect(!secret.signed(Array(#"{"test":2432232314}"#.utf8), as: try #require(signature)))
        #expect("\(secret)" == "(secret)")
        for text in ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ", "whsec_!"] {
            #expect(ResendWebhookSecret(text) == nil, "\(text)")
        }
    }

    @Test("of signatures and times without end, only a bounded beginning is read")
    func bounds() {
        let now = WallTime(millisecondsSinceEpoch: 1_614_265_330_000)
        func signature(
            id: String = "x",
            timestamp: String = "1614265330",
            _ signature: String
        ) -> ResendSignature? {
            ResendSignature(id: id, timestamp: timestamp, signature: signature, at: now)
        }
        let many = String(repeating: "v1,AAAA ", count: 1000)
        #expect(signature(many)?.codes.count == 8)
        #expect(signature(id: String(repeating: "x", count: 257), "v1,AAAA") == nil)
        #expect(signature(id: "", "v1,AAAA") == nil)
        for timestamp in ["", "-1", "1614265330.0", "999999999999", "9999999999999999999999"] {
            #expect(signature(timestamp: timestamp, "v1,AAAA") == nil, "\(timestamp)")
        }
    }
}
