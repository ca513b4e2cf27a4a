import Foundation
import OutboxCore
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("Delivery by Resend (R8)")
struct ResendTests {
    private func mail(_ text: String, subject: String? = nil, replies: Bool = true) throws
        -> QueuedMail
    {
        let from = try #require(MailAddress("memo@relay.example"))
        let to = try #require(MailAddress("somebody@example.org"))
        return MailRenderer(from: from).render(
            MailRenderer.Content(
                to: to,
                replyTo: replies ? to : nil,
                subject: MailSubject(asked: subject, memo: text),
                text: text,
                token: "0123456789abcdef",
                date: WallTime(millisecondsSinceEpoch: 1_795_236_598_123)
            )
        )
    }

    @Test(
        "a rendered mail is read back, byte for byte",
        arguments: MailRenderingTests.texts + [String(repeating: "\n\0日", count: 100_000)]
    )
    func readBack(text: String) throws {
        let long = "件名 " + String(repeating: "é", count: 100)
        let subjects = [nil, "plain: with = signs", long, "=?x"]
        for subject in subjects {
            let parts = try #require(RenderedMail(try mail(text, subject: subject)))
            #expect(Array(parts.text.utf8) == Array(text.utf8))
            #expect(parts.subject == MailSubject(asked: subject, memo: text).text)
            #expect(parts.from == "Simple Memo <memo@relay.example>")
            #expect(parts.to == "somebody@example.org")
            #expect(parts.replyTo == "somebody@example.org")
            #expect(
                parts.fields == [
                    "Auto-Submitted": "auto-generated", "X-Entity-Ref-ID": "0123456789abcdef",
                ]
            )
        }
        #expect(try #require(RenderedMail(try mail(text, replies: false))).replyTo == nil)
    }

    @Test(
        "a message that the renderer does not write is not read",
        arguments: [
            "", "\r\n\r\n", "Subject: x\r\n\r\nbody",
            "From: a\r\nTo: <b>\r\nSubject: c\r\nContent-Transfer-Encoding: 7bit\r\n\r\nbody",
            "From: a\r\nTo: <b>\r\nSubject: c\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=4",
            "From: a\r\nTo: <b>\r\nSubject: =?utf-8?B?YQ==?= x\r\n"
                + "Content-Transfer-Encoding: quoted-printable\r\n\r\nx=\r\n",
        ]
    )
    func foreign(message: String) {
        let mail = QueuedMail(
            sender: "memo@relay.example",
            recipient: "somebody@example.org",
            messageID: "x",
            message: Array(message.utf8)
        )
        #expect(RenderedMail(mail) == nil)
        #expect(ResendRequest(mail) == nil)
    }

    @Test("a mail has the same request each time, whose key is the mail's alone")
    func request() throws {
        let first = try #require(ResendRequest(try mail("a memo\n", subject: "its subject")))
        let again = try #require(ResendRequest(try mail("a memo\n", subject: "its subject")))
        #expect(first.body == again.body)
        #expect(first.idempotencyKey == "memo-relay/0123456789abcdef")
        let object = try JSONSerialization.jsonObject(with: Data(first.body))
        let expected: [String: Any] = [
            "from": "Simple Memo <memo@relay.example>", "to": ["somebody@example.org"],
            "reply_to": ["somebody@example.org"], "subject": "its subject", "text": "a memo\n",
            "headers": [
                "Auto-Submitted": "auto-generated", "X-Entity-Ref-ID": "0123456789abcdef",
            ],
        ]
        #expect(try #require(object as? NSDictionary) == expected as NSDictionary)
        var tagged = try mail("a memo\n", subject: "its subject")
        tagged.tag = "mail-1"
        let request = try #require(ResendRequest(tagged))
        let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? NSDictionary
        #expect(body?["tags"] as? [[String: String]] == [["name": "memo", "value": "mail-1"]])
    }

    struct Answered: Sendable {
        var status: Int
        var body: String
        var outcome: MailOutcome
    }

    private static func problem(_ name: String, _ message: String = "…") -> String {
        #"{"statusCode":0,"name":"\#(name)","message":"\#(message)"}"#
    }

    // As <https://resend.com/docs/api-reference/errors> has them, and what others may answer.
    static let answers: [Answered] = [
        Answered(status: 200, body: #"{"id":"49a3999c"}"#, outcome: .accepted),
        Answered(status: 200, body: "<html>", outcome: .unknown("resend.answer")),
        Answered(status: 200, body: "", outcome: .unknown("resend.answer")),
        Answered(
            status: 422,
            body: problem("validation_error", "Invalid `to` field."),
            outcome: .refused("resend.recipient")
        ),
        Answered(
            status: 400,
            body: problem("validation_error", "Invalid `to` field."),
            outcome: .refused("resend.recipient")
        ),
        Answered(
            status: 422,
            body: problem("validation_error", "Invalid `from` field."),
            outcome: .tryLater("resend.relay.422")
        ),
        Answered(
            status: 422,
            body: problem("invalid_from_address", "Invalid `to` field."),
            outcome: .tryLater("resend.relay.sender")
        ),
        Answered(
            status: 400,
            body: problem("invalid_idempotency_key"),
            outcome: .tryLater("resend.relay.400")
        ),
        Answered(
            status: 400,
            body: problem("validation_error", "Invalid `headers` field."),
            outcome: .tryLater("resend.relay.400")
        ),
        Answered(status: 400, body: "<html>Bad Request", outcome: .tryLater("resend.relay.400")),
        Answered(
            status: 401,
            body: problem("missing_api_key"),
            outcome: .tryLater("resend.relay.api-key")
        ),
        Answered(
            status: 403,
            body: problem("validation_error", "You can only send testing emails to `to`."),
            outcome: .tryLater("resend.relay.403")
        ),
        Answered(
            status: 409,
            body: problem("concurrent_idempotent_requests"),
            outcome: .unknown("resend.concurrent")
        ),
        Answered(
            status: 409,
            body: problem("invalid_idempotent_request"),
            outcome: .tryLater("resend.relay.key-reused")
        ),
        Answered(
            status: 429,
            body: problem("rate_limit_exceeded"),
            outcome: .tryLater("resend.rate")
        ),
        Answered(
            status: 429,
            body: problem("daily_quota_exceeded"),
            outcome: .tryLater("resend.relay.daily-quota")
        ),
        Answered(
            status: 429,
            body: problem("monthly_quota_exceeded"),
            outcome: .tryLater("resend.relay.monthly-quota")
        ),
        Answered(status: 302, body: "", outcome: .tryLater("resend.relay.302")),
        Answered(
            status: 404,
            body: problem("a memo's own words"),
            outcome: .tryLater("resend.relay.404")
        ),
        Answered(status: 500, body: problem("application_error"), outcome: .unknown("resend.500")),
        Answered(status: 502, body: "<html>Bad gateway", outcome: .unknown("resend.502")),
    ]

    @Test("each answer is taken for what it says of the mail", arguments: answers)
    func outcome(answered: Answered) {
        let answer = ResendAnswer(status: answered.status, body: Array(answered.body.utf8))
        #expect(answer.outcome == answered.outcome)
        switch answered.outcome {
        case .unknown(let reason): #expect(ResendAnswer.isUnknown(reason))
        case .tryLater(let reason), .refused(let reason):
            #expect(!ResendAnswer.isUnknown(reason))
        case .accepted, .settling: break
        }
    }

    @Test("only a rate that is too high is waited for, 1 to 10 seconds")
    func pause() {
        func pause(_ status: Int, _ name: String, _ retryAfter: String? = nil) -> Milliseconds? {
            let body = Array(Self.problem(name).utf8)
            return ResendAnswer(status: status, retryAfter: retryAfter, body: body).pause
        }
        #expect(pause(429, "rate_limit_exceeded") == .seconds(1))
        #expect(pause(429, "rate_limit_exceeded", "3") == .seconds(3))
        #expect(pause(429, "rate_limit_exceeded", "-3") == .seconds(1))
        #expect(pause(429, "rate_limit_exceeded", "99999999999999999999") == .seconds(1))
        #expect(pause(429, "rate_limit_exceeded", "86400") == .seconds(10))
        #expect(pause(429, "daily_quota_exceeded", "3") == nil)
        #expect(pause(503, "rate_limit_exceeded", "3") == nil)
        #expect(ResendAnswer(status: 429, body: Array("<html>".utf8)).pause == .seconds(1))
    }

    @Test("the API is reached by https, or on this machine")
    func endpoint() throws {
        let key = try #require(ResendEndpoint.Key("re_123"))
        #expect("\(key)" == "(key)")
        #expect(ResendEndpoint.Key("") == nil)
        #expect(ResendEndpoint.Key("re_1\r\nX: y") == nil)
        #expect(ResendEndpoint(key: key)?.url == "https://api.resend.com")
        for url in [
            "https://api.example.org", "https://api.example.org:8443/", "http://127.0.0.1:99",
        ] {
            #expect(ResendEndpoint(url: url, key: key) != nil, "\(url)")
        }
        for url in [
            "", "api.example.org", "http://api.example.org", "ftp://127.0.0.1", "https://",
            "https://a@example.org", "https://example.org/path", "https://example.org?x",
            "https://exam ple.org",
        ] {
            #expect(ResendEndpoint(url: url, key: key) == nil, "\(url)")
        }
    }

    @Test("a mail that cannot be handed over, because nobody listens, waits")
    func unreachable() async throws {
        let key = try #require(ResendEndpoint.Key("re_123"))
        // No server has this port.
        let endpoint = try #require(ResendEndpoint(url: "http://127.0.0.1:1", key: key))
        let relay = try RelayFixture().open()
        let transport = ResendTransport(
            endpoint: endpoint,
            store: relay.store,
            clock: relay.clock
        )
        let outcome = await transport.deliver(try mail("a memo"))
        #expect(outcome == .tryLater("resend.connect"))
    }
}
