import HTTPTypes
import Hummingbird
import NIOCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import Testing
import Waiting

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A relay's metrics", .timeLimit(.minutes(60)))
struct MetricsTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func answer(
        _ relay: Relay<SQLiteRelayStore>,
        authority: String = "127.0.0.1:9090",
        method: HTTPRequest.Method = .get
    ) async throws -> ApplicationAnswer {
        let application = MetricsService(
            relay: relay,
            port: 0,
            connections: OpenConnections(maximum: 16)
        ).application()
        return try await application.test(.router) { client in
            try await client.execute(uri: "/metrics", method: method, authority: authority)
        }
    }

    private func lines(_ relay: Relay<SQLiteRelayStore>) async throws -> [Substring] {
        String(buffer: try await answer(relay).body).split(separator: "\n")
    }

    @Test("count accepted memos, refusals, attempts and queued mails, and name no person")
    func counts() async throws {
        let relay = try fixture.open {
            $0.memoLimits.device = DeviceLimits(perMinute: 2, perDay: 200)
        }
        let token = try await fixture.token(relay, address: "canary@canary.example")
        let before = try await lines(relay)
        #expect(before.contains(#"memo_relay_problems_total{code="quota-exceeded"} 0"#))
        #expect(before.contains("memo_relay_oldest_mail_age_seconds 0"))
        try await relay.application().test(.router) { client in
            for _ in 0..<3 {
                _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
            }
            _ = try await client.put(.new(), MemoRequest(text: "canary"), token: "canary")
            _ = try await client.send("/canary", method: .get)
        }
        fixture.transport.answer(.refused("smtp.550"))
        let entry = try #require(try relay.store.outbox.entries(in: .queued).first)
        var envelope = try #require(entry.envelope)
        envelope.waitCause = .backoff
        envelope.lastError = "smtp.relay.550"
        envelope.nextEligibleAt = fixture.clock.now.advanced(by: .seconds(3600))
        try relay.store.storage.requeue(entry.entryID, as: envelope)
        let handlers = relay.delivery(by: fixture.transport).handlers
        let drain = Task { try await relay.store.outbox.drain(handlers) }
        try await waitUntil { try relay.store.outbox.counts().parked != 0 }
        drain.cancel()
        _ = try? await drain.value
        fixture.clock.advance(envelope.createdAt.since(fixture.clock.now))
        fixture.clock.advance(.seconds(90))
        let after = try await lines(relay)
        for line in [
            #"memo_relay_problems_total{code="quota-exceeded"} 1"#,
            #"memo_relay_problems_total{code="unauthorized"} 1"#,
            #"memo_relay_problems_total{code="not-found"} 1"#,
            #"memo_relay_mail_attempts_total{mail="code",outcome="accepted"} 1"#,
            #"memo_relay_mail_attempts_total{mail="memo",outcome="refused"} 1"#,
            #"memo_relay_queued_mails{mail="memo"} 1"#, "memo_relay_dead_letters 1",
            #"memo_relay_waiting_mails{reason="smtp.relay.550"} 1"#, "memo_relay_ready 1",
            "memo_relay_accept_seconds_count 2",
            #"memo_relay_accept_seconds_bucket{le="+Inf"} 2"#,
            "memo_relay_oldest_mail_age_seconds 90",
        ] { #expect(after.contains(line[...]), "\(line)") }
        #expect(!after.contains { $0.contains("canary") || $0.contains(token) })
    }

    @Test("name the limit on codes that has refused a request, and not the others")
    func codeLimits() async throws {
        let relay = try fixture.open { $0.verificationRules.perSource = 2 }
        try await relay.application().test(.router) { client in
            for address in ["one", "one", "two", "three"] {
                let body = Array("{\"address\":\"\(address)@example.org\"}".utf8)
                _ = try await client.send("/v1/verifications", method: .post, body)
            }
        }
        let lines = try await lines(relay)
        for name in CodeLimitName.allCases {
            let count = [.cooldown, .networkHour].contains(name) ? 1 : 0
            let line = "memo_relay_limits_total{limit=\"\(name.rawValue)\"} \(count)"
            #expect(lines.contains(line[...]), "\(line)")
        }
    }

    @Test("are text that Prometheus reads: each family once, with its type, before its samples")
    func format() async throws {
        let relay = try fixture.open()
        let answer = try await answer(relay)
        #expect(answer.status == .ok)
        #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        var families: [String] = []
        for line in String(buffer: answer.body).split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") {
                #expect(["counter", "gauge", "histogram"].contains(words[3]))
                families.append(String(words[2]))
            } else if !line.hasPrefix("# HELP ") {
                let family = try #require(families.last)
                #expect(words.count == 2 && Double(words[1]) != nil, "\(line)")
                #expect(words[0].hasPrefix(family), "\(line)")
            }
        }
        #expect(Set(families).count == families.count && families.count >= 8)
        #expect(try await self.answer(relay, method: .head).body.readableBytes == 0)
    }

    @Test("are for this machine: another name is refused, and the relay's own port has none")
    func audience() async throws {
        let relay = try fixture.open()
        for name in ["localhost", "localhost:1", "127.0.0.1", "[::1]:9090"] {
            #expect(try await answer(relay, authority: name).status == .ok, "\(name)")
        }
        for name in ["rebound.example", "rebound.example:9090", "127.0.0.1.rebound.example", ""] {
            let answer = try await answer(relay, authority: name)
            #expect(answer.status == .misdirectedRequest && answer.body.readableBytes == 0)
        }
        let there = try await relay.application().test(.router) { client in
            try await client.send("/metrics", method: .get)
        }
        #expect(there.status == .notFound)
    }

    @Test("leave out the queue while the database cannot be read, and keep the rest")
    func unreadable() async throws {
        let relay = try fixture.open()
        relay.store.close()
        let lines = try await lines(relay)
        #expect(lines.contains("memo_relay_ready 0"))
        #expect(lines.contains("memo_relay_accept_seconds_count 0"))
        #expect(!lines.contains { $0.hasPrefix("memo_relay_queued_mails") })
    }

    @Test("a histogram counts each duration under every bound that it does not pass")
    func histogram() {
        var histogram = DurationHistogram()
        for milliseconds in [0, 1, 2, 3, 9_999, 10_000, 10_001] {
            histogram.note(.milliseconds(milliseconds))
        }
        #expect(histogram.cumulative == [2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 6])
        #expect(histogram.count == 7 && histogram.sum == .milliseconds(30_006))
    }

    @Test("a label's value cannot end its line or its quotes")
    func escaping() {
        var page = PrometheusText()
        page.sample("a", ["b": "c\"d\\e\nf"], 1)
        #expect(page.text == "a{b=\"c\\\"d\\\\e\\nf\"} 1\n")
    }
}
