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

@Suite("The device's cap")
struct DeviceLimitTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func open() throws -> Relay<SQLiteRelayStore> {
        try fixture.open { $0.memoLimits.device = DeviceLimits(perMinute: 3, perDay: 5) }
    }

    private func send(
        _ relay: Relay<SQLiteRelayStore>,
        _ token: String,
        id: OperationID = .new()
    ) async throws -> ApplicationAnswer {
        try await relay.application().test(.router) { client in
            try await client.put(id, MemoRequest(text: "x"), token: token)
        }
    }

    @Test("survives a restart, refills with time, and does not count replays")
    func survivesRestart() async throws {
        let token = try await fixture.token(open())
        let first = OperationID.new()
        #expect(try await send(open(), token, id: first).status == .accepted)
        fixture.clock.advance(.seconds(10))
        for _ in 0..<2 { #expect(try await send(open(), token).status == .accepted) }
        let refused = try await send(open(), token)
        #expect(refused.status == .tooManyRequests)
        #expect(try refused.problemCode() == .quotaExceeded)
        #expect(refused.headers[.retryAfter] == "50")
        #expect(try await send(open(), token, id: first).status == .accepted)
        fixture.clock.advance(.seconds(50))
        #expect(try await send(open(), token).status == .accepted)
        #expect(try await send(open(), token).status == .tooManyRequests)
        fixture.clock.advance(.seconds(60))
        #expect(try await send(open(), token).status == .accepted)
        let daily = try await send(open(), token)
        #expect(daily.status == .tooManyRequests)
        #expect(daily.headers[.retryAfter] == "86280")
    }

    @Test("is told with every memo that counts against it, and with the one that is refused")
    func isTold() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let state = try #require(HTTPField.Name("RateLimit"))
        let first = OperationID.new()
        for (index, left) in [
            #""device-minute";r=2;t=60, "device-day";r=4;t=86400"#,
            #""device-minute";r=1;t=50, "device-day";r=3;t=86390"#,
            #""device-minute";r=0;t=40, "device-day";r=2;t=86380"#,
        ].enumerated() {
            let answer = try await send(relay, token, id: index == 0 ? first : .new())
            #expect(answer.headers[state]?.hasPrefix(left) == true)
            fixture.clock.advance(.seconds(10))
        }
        let refused = try await send(relay, token)
        let left = #""device-minute";r=0;t=30, "device-day";r=2;t=86370"#
        #expect(refused.headers[state]?.hasPrefix(left) == true)
        #expect(refused.headers[.retryAfter] == "30")
        #expect(try refused.decoded(Problem.self).violatedPolicies == ["device-minute"])
        let replay = try await send(relay, token, id: first)
        #expect(replay.status == .accepted)
        #expect(replay.headers[state]?.hasPrefix(left) == true)
    }

    @Test("is not over before the time that a device is told has passed")
    func isRoundedUp() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        for _ in 0..<3 { #expect(try await send(relay, token).status == .accepted) }
        fixture.clock.advance(Milliseconds(10_400))
        let refused = try await send(relay, token)
        #expect(refused.headers[.retryAfter] == "50")
        fixture.clock.advance(.seconds(50))
        #expect(try await send(relay, token).status == .accepted)
    }

    @Test("is counted for the account: another device of one person has none of its own")
    func isPerAccount() async throws {
        let relay = try open()
        let first = try await fixture.token(relay)
        fixture.clock.advance(.seconds(60))
        let second = try await fixture.token(relay)
        let stranger = try await fixture.token(relay, address: "stranger@example.org")
        for token in [first, second, first] {
            #expect(try await send(relay, token).status == .accepted)
        }
        #expect(try await send(relay, first).status == .tooManyRequests)
        #expect(try await send(relay, second).status == .tooManyRequests)
        #expect(try await send(relay, stranger).status == .accepted)
    }

    @Test("cannot be passed by sending at once")
    func isAtomic() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { try await send(relay, token).status == .accepted }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(accepted == 3)
    }

    @Test("does not strand a device after the clock was set back")
    func clockSetBack() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        for _ in 0..<3 { #expect(try await send(relay, token).status == .accepted) }
        fixture.clock.advance(.seconds(-6 * 3600))
        for _ in 0..<2 { #expect(try await send(relay, token).status == .accepted) }
        // The day's memos are used up. The wait would be thirty hours if memos with later times
        // counted.
        let refused = try await send(relay, token)
        #expect(refused.status == .tooManyRequests)
        #expect(refused.headers[.retryAfter] == "86400")
        fixture.clock.advance(.seconds(86_400))
        #expect(try await send(relay, token).status == .accepted)
    }
}
