import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The limits of an account, a network and the service")
struct MemoLimitTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func send(
        _ relay: Relay<SQLiteRelayStore>,
        _ token: String,
        from address: String = "192.0.2.1",
        length: Int = 1
    ) async throws -> ApplicationAnswer {
        let memo = MemoRequest(text: String(repeating: "x", count: length))
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        return try await relay.application().test(.router) { client in
            try await client.send(
                RelayPath.memo(.new()),
                method: .put,
                RelayJSON.encode(memo),
                token: token,
                headers: [name: address]
            )
        }
    }

    private func violated(_ answer: ApplicationAnswer) throws -> [String] {
        try answer.decoded(Problem.self).violatedPolicies ?? []
    }

    @Test("of a network holds for all people behind it, by /64 and by /48, also after a restart")
    func network() async throws {
        func open() throws -> Relay<SQLiteRelayStore> {
            try fixture.open {
                $0.trustedProxies = 1
                $0.memoLimits.network = NetworkLimits(perHour: 2, perSiteHour: 3)
            }
        }
        let first = try await fixture.token(open())
        let second = try await fixture.token(open(), address: "other@example.org")
        for (address, limits) in [
            ("192.0.2.1", []), ("192.0.2.1", []), ("192.0.2.1", ["network-hour"]),
            ("192.0.2.2", []),
            ("2001:db8:1:1::1", []), ("[2001:db8:1:1:ffff::1]:80", []),
            ("2001:db8:1:1:2::", ["network-hour"]), ("2001:db8:1:2::1", []),
            ("2001:db8:1:3::1", ["site-hour"]), ("2001:db8:2:1::1", []),
        ] as [(String, [String])] {
            let token = address.contains("2") ? first : second
            let answer = try await send(open(), token, from: address)
            #expect(answer.status == (limits.isEmpty ? .accepted : .tooManyRequests), "\(address)")
            if !limits.isEmpty { #expect(try violated(answer) == limits, "\(address)") }
        }
        let other = try await send(open(), second, from: "192.0.2.1")
        #expect(try violated(other) == ["network-hour"])
        let wait = try #require(other.headers[.retryAfter].flatMap { Int64($0) })
        fixture.clock.advance(.seconds(wait - 120))
        #expect(try await send(open(), second, from: "192.0.2.1").status == .tooManyRequests)
        fixture.clock.advance(.seconds(120))
        #expect(try await send(open(), second, from: "192.0.2.1").status == .accepted)
    }

    @Test("hold for the network that the proxy has seen, whatever hops the sender writes before it")
    func forgedHops() async throws {
        let relay = try fixture.open {
            $0.trustedProxies = 1
            $0.memoLimits.network = NetworkLimits(perHour: 2)
        }
        let token = try await fixture.token(relay)
        for number in 0..<4 {
            let hops = "198.51.100.\(number), 203.0.113.9"
            let answer = try await send(relay, token, from: hops)
            #expect(answer.status == (number < 2 ? .accepted : .tooManyRequests))
        }
    }

    @Test("of an IPv6 address are its first 64 and 48 bits, of any other address one")
    func networks() {
        for (address, networks) in [
            ("192.0.2.1", ["192.0.2.1"]), ("192.0.2.1:443", ["192.0.2.1"]),
            ("::ffff:192.0.2.1", ["192.0.2.1"]), ("unknown", ["unknown"]), ("", ["unknown"]),
            ("2001:db8:1:2:3:4:5:6", ["2001:db8:1:2::/64", "2001:db8:1::/48"]),
            ("2001:db8::1", ["2001:db8:0:0::/64", "2001:db8:0::/48"]),
            ("[::1]:80", ["0:0:0:0::/64", "0:0:0::/48"]),
            ("fe80::1%eth0", ["fe80:0:0:0::/64", "fe80:0:0::/48"]),
        ] as [(String, [String])] {
            #expect(NetworkName.networks(of: address) == networks, "\(address)")
            #expect(NetworkName.network(of: address) == networks[0], "\(address)")
        }
    }

    @Test("of the service is a 503 that says when to come again, and holds after a restart")
    func service() async throws {
        func open() throws -> Relay<SQLiteRelayStore> {
            try fixture.open { $0.memoLimits.servicePerDay = 2 }
        }
        let tokens = [
            try await fixture.token(open()),
            try await fixture.token(open(), address: "other@example.org"),
        ]
        let state = try #require(HTTPField.Name("RateLimit"))
        let first = try await send(open(), tokens[0])
        #expect(first.status == .accepted)
        // Section 8.2 of the draft: "Servers should not disclose to untrusted parties operational
        // capacity information".
        #expect(first.headers[state]?.contains("service") == false)
        let last = try await send(open(), tokens[1])
        #expect(last.status == .accepted)
        #expect(last.headers[state]?.contains("\"service-day\";r=0;t=") == true)
        for token in tokens {
            let refused = try await send(open(), token)
            #expect(refused.status == .serviceUnavailable)
            let problem = try refused.decoded(Problem.self)
            #expect(try refused.problemCode() == .unavailable && problem.retryable)
            #expect(problem.violatedPolicies == ["service-day"])
            #expect(
                problem.type
                    == "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
            )
            let wait = try #require(refused.headers[.retryAfter].flatMap { Int64($0) })
            #expect((86_400...86_400 + 1440).contains(wait))
            #expect(refused.headers[state]?.contains("\"service-day\";r=0;t=\(wait)") == true)
        }
        fixture.clock.advance(.seconds(86_400 + 1440))
        #expect(try await send(open(), tokens[0]).status == .accepted)
    }

    @Test("of an account's bytes refuse a memo before its body, and let a shorter one through")
    func bytes() async throws {
        let relay = try fixture.open {
            $0.memoLimits.account = AccountLimits(bytesPerDay: 60_000, waiting: 9)
        }
        let token = try await fixture.token(relay)
        fixture.clock.advance(.seconds(60))
        let another = try await fixture.token(relay)
        #expect(try await send(relay, token, length: 30_000).status == .accepted)
        let long = try await send(relay, token, length: 30_000)
        #expect(long.status == .tooManyRequests)
        #expect(try violated(long) == ["account-day"])
        #expect(long.headers[.retryAfter] == "86400")
        #expect(try await send(relay, token, length: 1000).status == .accepted)
        // By its length alone: what is sent is no memo.
        let answer = try await relay.application().test(.router) { client in
            try await client.send(
                RelayPath.memo(.new()),
                method: .put,
                Array(repeating: 0x20, count: 400_000),
                token: token
            )
        }
        #expect(try answer.problemCode() == .quotaExceeded)
        #expect(try violated(try await send(relay, another, length: 30_000)) == ["account-day"])
    }

    @Test("of the mails that wait end with the mails")
    func waiting() async throws {
        let relay = try fixture.open { $0.memoLimits.account = AccountLimits(waiting: 2) }
        let token = try await fixture.token(relay)
        for _ in 0..<2 { #expect(try await send(relay, token).status == .accepted) }
        let refused = try await send(relay, token)
        #expect(try violated(refused) == ["waiting"])
        #expect(refused.headers[.retryAfter] == "600")
        try await fixture.deliver(relay)
        #expect(try await send(relay, token).status == .accepted)
    }

    @Test("hold for memos that a relay accepted before it knew sizes")
    func upgraded() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        #expect(try await send(relay, token).status == .accepted)
        try relay.store.storage.write { database in
            try database.execute(
                """
                DROP TABLE schema_component;
                DROP INDEX memo_size;
                DROP INDEX memo_waiting;
                ALTER TABLE memo DROP COLUMN size;
                DROP TABLE memo_use;
                """
            )
        }
        let later = try fixture.open {
            $0.memoLimits.device = DeviceLimits(perMinute: 2, perDay: 2)
            $0.memoLimits.account = AccountLimits(waiting: 2)
        }
        #expect(try await send(later, token).status == .accepted)
        #expect(
            try violated(try await send(later, token)) == [
                "device-minute", "device-day", "waiting",
            ]
        )
    }
}
