import HTTPTypes
import Hummingbird
import NIOCore
import OutboxSQLite
import RelayAPI
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The rates of requests")
struct RequestRatesTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func sender(_ network: String) -> RequestRates.Sender {
        let network = NetworkName.network(of: network)
        return RequestRates.Sender(network: network, site: NetworkName.site(of: network))
    }

    /// How many of many requests at one moment are let in.
    private func admitted(
        _ rates: RequestRates,
        _ network: String,
        of count: Int = 1000,
        after time: TimeAmount = .zero
    ) -> Int {
        (0..<count).count { _ in rates.admits(sender(network), at: start + time) }
    }

    @Test("let ten seconds of requests in at once, and then those of each second")
    func bucket() {
        let rates = RequestRates(perSecond: 2, now: start)
        #expect(admitted(rates, "192.0.2.1") == 20)
        #expect(admitted(rates, "192.0.2.1", after: .milliseconds(499)) == 0)
        #expect(admitted(rates, "192.0.2.1", after: .milliseconds(1500)) == 3)
        #expect(admitted(rates, "192.0.2.1", after: .seconds(6)) == 9)
        #expect(admitted(rates, "192.0.2.1", after: .seconds(60)) == 20)
        #expect(admitted(rates, "198.51.100.1", after: .seconds(60)) == 20)
    }

    @Test("are those of a site, too, an IPv4 /24 or an IPv6 /48")
    func site() {
        for prefix in ["192.0.2.", "2001:db8:1:"] {
            let rates = RequestRates(perSecond: 2, now: start)
            let suffix = prefix.contains(":") ? "::1" : ""
            let counts = (1...9).map { admitted(rates, "\(prefix)\($0)\(suffix)", of: 100) }
            #expect(counts == [20, 20, 20, 20, 0, 0, 0, 0, 0])
        }
    }

    @Test("forget no network that has used its requests, however long ago within their refill")
    func generations() {
        let rates = RequestRates(perSecond: 2, now: start)
        for second in stride(from: Int64(0), to: 60, by: 1) {
            let count = admitted(rates, "192.0.2.1", after: .seconds(second))
            #expect(count == (second == 0 ? 20 : 2), "second \(second)")
        }
    }

    @Test("are kept in tables that do not grow, whoever asks")
    func bounded() {
        let rates = RequestRates(perSecond: 20, now: start)
        // All networks of one site: most are refused as a part of it.
        for network in 0..<65_536 {
            let text = String(network, radix: 16)
            _ = rates.admits(sender("2001:db8:1:\(text)::1"), at: start)
        }
        #expect(rates.count <= 1 + 20 * 10 * RequestRates.networksOfSite)
        for number in 0..<100_000 {
            let (high, low) = (number >> 8 & 255, number & 255)
            _ = rates.admits(sender("10.\(number >> 16).\(high).\(low)"), at: start)
            _ = rates.admits(sender("2001:db8:\(String(number % 65_536, radix: 16))::1"), at: start)
        }
        #expect(rates.count <= 4 * TokenBuckets<String>.most)
        #expect(admitted(rates, "203.0.113.1") == 200)
    }

    private func request(_ method: String, from network: String, body: String = "") -> String {
        var text = "\(method) /v1/devices HTTP/1.1\r\nHost: localhost\r\n"
        text += "X-Forwarded-For: \(network)\r\n"
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        return text + "\r\n" + body
    }

    @Test("turn a request away before its body comes, without a look at the database, and say when")
    func turnedAway() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open {
            $0.trustedProxies = 1
            $0.requestsPerNetwork = 1
            $0.requestClock = { [start] in start }
        }
        // Who looked at the database would fail.
        relay.store.close()
        try await relay.application().listeningOnPort { port in
            for number in 0..<10 {
                let answer = try await RawConnection.open(to: port) { connection in
                    try await connection.send(request("GET", from: "192.0.2.1"))
                    return try await connection.readAnswers(1)
                }
                #expect(answer.hasPrefix("HTTP/1.1 401"), "\(number): \(answer)")
            }
            for body in ["", String(repeating: "x", count: 100_000)] {
                let begun = ContinuousClock.now
                let answer = try await RawConnection.open(to: port) { connection in
                    // The relay reads none of it, so that the rest may not be sent.
                    let text = request(body.isEmpty ? "GET" : "POST", from: "192.0.2.1", body: body)
                    try await connection.send(String(text.prefix(body.isEmpty ? 1000 : 300)))
                    return await connection.readToEnd()
                }
                #expect(answer.hasPrefix("HTTP/1.1 429"), "\(answer)")
                let pause = Duration.nanoseconds(BackgroundSenders.pause.nanoseconds)
                #expect(ContinuousClock.now - begun >= pause)
                #expect(answer.contains("Retry-After: 2\r\n"))
                #expect(answer.contains("too-many-requests"))
                #expect(answer.contains("ratelimit-policy: "))
                #expect(answer.components(of: "HTTP/1.1 ") == 1)
            }
            let other = try await RawConnection.open(to: port) { connection in
                try await connection.send(request("GET", from: "198.51.100.1"))
                return try await connection.readAnswers(1)
            }
            #expect(other.hasPrefix("HTTP/1.1 401"))
        }
        var page = PrometheusText()
        relay.metrics.write(to: &page)
        #expect(page.text.contains(#"memo_relay_limits_total{limit="requests"} 2"#))
    }

    @Test("end a connection on which requests beyond them were sent in advance")
    func pipelined() async throws {
        let fixture = try RelayFixture()
        let relay = try fixture.open {
            $0.trustedProxies = 1
            $0.requestsPerNetwork = 1
            $0.requestClock = { [start] in start }
        }
        try await relay.application().listeningOnPort { port in
            let answers = try await RawConnection.open(to: port) { connection in
                let one = request("GET", from: "192.0.2.1")
                try await connection.send(String(repeating: one, count: 100))
                return await connection.readToEnd()
            }
            #expect(answers.components(of: "HTTP/1.1 ") <= 11)
        }
    }
}
