import HTTPTypes
import Hummingbird
import MemoCore
import NIOCore
import OutboxCore
import OutboxSQLite
import RawStructuredFieldValues
import RelayAPI
import SQLite
import Synchronization
import Testing
import WireCore

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// The fields of draft-ietf-httpapi-ratelimit-headers-10, read by a reader of RFC 9651 that is not
/// ours.
@Suite("The limits that a relay tells")
struct LimitFieldTests {
    /// A policy, or the use of a limit.
    private struct Told: Equatable {
        var name: String
        var numbers: [String: Int64] = [:]
        var unit: String?
    }

    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func told(_ name: String, in answer: ApplicationAnswer) throws -> [Told] {
        let field = try #require(HTTPField.Name(name))
        let values = answer.headers[values: field]
        #expect(values.count == 1, "\(name) on \(answer.status)")
        var parser = StructuredFieldValueParser(Array(values.joined(separator: ", ").utf8))
        return try parser.parseListFieldValue().map { entry in
            guard case .item(let item) = entry, case .string(let name) = item.rfc9651BareItem
            else { throw Refusal.internalError }
            var told = Told(name: name)
            for (key, value) in item.rfc9651Parameters {
                switch value {
                case .integer(let number): told.numbers[key] = number
                case .string(let unit) where key == "qu": told.unit = unit
                default: throw Refusal.internalError
                }
            }
            return told
        }
    }

    /// - Parameter isTold: Whether the request has shown the token of an account.
    private func check(
        _ answer: ApplicationAnswer,
        _ policies: inout [Told]?,
        isTold: Bool
    ) throws {
        let policy = try told("RateLimit-Policy", in: answer)
        // Section 3: "The field value SHOULD remain consistent over a sequence of HTTP responses."
        #expect(policies == nil || policies == policy)
        policies = policy
        for item in policy {
            // Section 3.1.1: "The "q" parameter value MUST be a non-negative Integer."
            #expect((item.numbers["q"] ?? -1) >= 0, "\(item)")
            // Section 3.1.2: "Allowed values are listed in the RateLimit Quota Units registry".
            #expect(item.unit == nil || item.unit == "content-bytes", "\(item)")
            // Section 3.1.3: "MUST be a non-negative, non-zero, Integer value".
            #expect((item.numbers["w"] ?? 1) > 0, "\(item)")
        }
        guard isTold else {
            let field = try #require(HTTPField.Name("RateLimit"))
            #expect(answer.headers[field] == nil, "\(answer.status)")
            return
        }
        let state = try told("RateLimit", in: answer)
        #expect(!state.isEmpty)
        for item in state {
            // Section 4.1: "r: This REQUIRED parameter value"; 4.1.1: "a non-negative Integer".
            #expect((item.numbers["r"] ?? -1) >= 0, "\(item)")
            // Section 4.1.2: "It is a non-negative Integer compatible with the delay-seconds rule".
            #expect((item.numbers["t"] ?? 0) >= 0, "\(item)")
            // Section 4.1: "identifies the quota policy associated with the request".
            #expect(policy.contains { $0.name == item.name }, "\(item)")
        }
        // Section 6: "the Retry-After field value SHOULD NOT reference a point in time earlier than
        // the reset parameter": that of the limits for which the request was refused.
        if answer.status == .tooManyRequests, try answer.problemCode() == .quotaExceeded {
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int64($0) })
            let violated = try #require(try answer.decoded(Problem.self).violatedPolicies)
            for item in state where violated.contains(item.name) {
                #expect(wait >= item.numbers["t"] ?? 0)
                #expect(item.numbers["r"] == 0)
            }
        }
        // The device's own reader.
        let field = try #require(HTTPField.Name("RateLimit"))
        let read = RateLimit(Array((answer.headers[field] ?? "").utf8))
        #expect(read?.remaining == state.compactMap { $0.numbers["r"] }.min().map { Int($0) })
    }

    @Test("are on every answer of the API, and their use on those to a valid token alone")
    func everyAnswer() async throws {
        let disk = LimitedDisk()
        let relay = try fixture.open {
            $0.memoLimits.device = DeviceLimits(perMinute: 2, perDay: 5)
            $0.diskReserve = 1_000_000
            $0.space = { _ in disk.space }
        }
        let token = try await fixture.token(relay)
        let revoked = try await fixture.token(relay, address: "other@example.org")
        var policies: [Told]?
        var statuses: Set<Int> = []
        try await relay.application().test(.router) { client in
            func see(_ answer: ApplicationAnswer, isTold: Bool = true) throws {
                try check(answer, &policies, isTold: isTold)
                statuses.insert(answer.status.code)
            }
            func ask(
                _ method: HTTPRequest.Method,
                _ path: String,
                _ body: String? = nil,
                token: String? = nil,
                _ headers: HTTPFields = [:],
                isTold: Bool = false
            ) async throws {
                let body = body.map { Array($0.utf8) }
                try see(
                    try await client.send(
                        path,
                        method: method,
                        body,
                        token: token,
                        headers: headers
                    ),
                    isTold: isTold
                )
            }
            let id = OperationID.new()
            let memo = MemoRequest(text: "x")
            try see(try await client.put(id, memo, token: token))
            try see(try await client.put(id, memo, token: token))
            try see(try await client.put(id, MemoRequest(text: "y"), token: token))
            try await ask(.get, "/v1/memos/\(id)", token: token, isTold: true)
            try await ask(.head, "/v1/memos/\(id)", token: token, isTold: true)
            try await ask(.get, "/v1/memos/changes", token: token, isTold: true)
            try await ask(.get, "/v1/devices", token: token, isTold: true)
            try await ask(.get, "/v1/review")
            for path in ["/v1/devices", "//v1//memos/changes", "/v1/memos/\(id)"] {
                try await ask(.get, path)
                try await ask(.get, path, token: "wrong")
            }
            for path in ["/v1", "/v1/", "/v1/nothing", "/v1/memos/\(id)/more"] {
                try await ask(.get, path)
            }
            try await ask(.patch, "/v1/memos/\(id)", "{}", token: token)
            try await ask(.put, "/v1/memos/no-uuid", "{}", token: token, isTold: true)
            let path = "/v1/memos/\(OperationID.new())"
            try await ask(.put, path, "no JSON", token: token, isTold: true)
            try await ask(.post, "/v1/send", "{}", token: token, isTold: true)
            try await ask(.post, "/v1/verifications", "{\"address\":\"none\"}")
            try await ask(.post, "/v1/verifications", String(repeating: "x", count: 5000))
            try await ask(
                .post,
                "/v1/verifications/confirm",
                "{\"address\":\"a@example.org\",\"code\":\"000000\",\"device\":\"d\"}"
            )
            let asked = "{\"address\":\"third@example.org\"}"
            try await ask(.post, "/v1/verifications", asked)
            try await ask(.post, "/v1/verifications", asked)
            try await ask(.post, "/v1/verifications", asked, [.origin: "https://evil.example"])
            let long = MemoRequest(text: String(repeating: "x", count: MemoRule.longest + 1))
            try see(try await client.put(.new(), long, token: token))
            disk.fill(true)
            try see(try await client.put(.new(), memo, token: token))
            disk.fill(false)
            try see(try await client.put(.new(), memo, token: token))
            try see(try await client.put(.new(), memo, token: token))
            try await ask(.delete, "/v1/devices/current", token: revoked, isTold: true)
            try await ask(.get, "/v1/devices", token: revoked)
            try relay.store.storage.read { try $0.execute("ALTER TABLE memo_use RENAME TO gone") }
            try await ask(.get, "/v1/nothing")
            try await ask(.get, "/v1/memos/\(id)", token: token, isTold: true)
            try see(try await client.put(.new(), memo, token: token))
        }
        #expect(
            statuses == [200, 202, 204, 400, 401, 403, 404, 405, 413, 422, 429, 503],
            "\(statuses.sorted())"
        )
    }

    @Test("are told where the relay has another name, and their use to a valid token alone")
    func misdirected() async throws {
        let url = try #require(PublicURL("https://memo.example"))
        let relay = try fixture.open { $0.publicURL = url }
        let token = try await fixture.token(relay)
        let revoked = try await fixture.token(relay, address: "other@example.org")
        var policies: [Told]?
        try await relay.application().test(.router) { client in
            let end = try await client.send("/v1/devices/current", method: .delete, token: revoked)
            #expect(end.status == .noContent)
            for (token, isTold) in [(token, true), (revoked, false), ("wrong", false)] {
                let answer = try await client.execute(
                    uri: "/v1/devices",
                    method: .get,
                    headers: [.authorization: "Bearer \(token)"],
                    authority: "memo.another.example"
                )
                #expect(answer.status == .misdirectedRequest)
                try check(answer, &policies, isTold: isTold)
            }
        }
    }

    @Test("are on no answer outside of the API")
    func otherAnswers() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            for path in ["/healthz", "/", "/nothing", "/review"] {
                let answer = try await client.send(path, method: .get)
                let name = try #require(HTTPField.Name("RateLimit"))
                #expect(answer.headers[name] == nil, "\(path)")
            }
        }
    }

    @Test(
        "are the numbers of the limits, and of their use by the account and its networks"
    )
    func numbers() async throws {
        let relay = try fixture.open {
            $0.memoLimits.device = DeviceLimits(perMinute: 3, perDay: 5)
        }
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let text = MemoRequest(text: "x")
            let answer = try await client.put(.new(), text, token: token)
            let policy = try told("RateLimit-Policy", in: answer)
            #expect(
                policy == [
                    Told(name: "device-minute", numbers: ["q": 3, "w": 60]),
                    Told(name: "device-day", numbers: ["q": 5, "w": 86_400]),
                    Told(
                        name: "account-day",
                        numbers: ["q": 32 << 20, "w": 86_400],
                        unit: "content-bytes"
                    ),
                    Told(name: "waiting", numbers: ["q": 1000]),
                    Told(
                        name: "waiting-bytes",
                        numbers: ["q": 64 << 20],
                        unit: "content-bytes"
                    ),
                    Told(name: "network-hour", numbers: ["q": 120, "w": 3600]),
                    Told(name: "site-hour", numbers: ["q": 480, "w": 3600]),
                ]
            )
            let mail = try await mailSize(relay)
            var state = try told("RateLimit", in: answer)
            let network = state.removeLast()
            #expect(network.name == "network-hour" && network.numbers["r"] == 119)
            #expect(
                state == [
                    Told(name: "device-minute", numbers: ["r": 2, "t": 60]),
                    Told(name: "device-day", numbers: ["r": 4, "t": 86_400]),
                    Told(name: "account-day", numbers: ["r": (32 << 20) - mail, "t": 86_400]),
                    Told(name: "waiting", numbers: ["r": 999]),
                    Told(name: "waiting-bytes", numbers: ["r": (64 << 20) - mail]),
                ]
            )
            // Section 8.2: "a malicious client could probe the endpoint to get traffic information
            // of another user". Without a valid token no use is told, of the network neither.
            let field = try #require(HTTPField.Name("RateLimit"))
            for token in [nil, "wrong"] {
                let path = RelayPath.memo(.new())
                let stranger = try await client.send(path, method: .get, token: token)
                #expect(stranger.headers[field] == nil)
            }
        }
    }

    private func mailSize(_ relay: Relay<SQLiteRelayStore>) async throws -> Int64 {
        try await fixture.deliver(relay)
        return Int64(try #require(fixture.transport.mails.last).message.count)
    }
}

/// A disk that can be full.
private final class LimitedDisk: Sendable {
    private let isFull = Mutex(false)

    func fill(_ isFull: Bool) {
        self.isFull.withLock { $0 = isFull }
    }

    var space: DiskReserve.Space {
        DiskReserve.Space(free: isFull.withLock { $0 } ? 0 : 1 << 40, total: 1 << 40)
    }
}
