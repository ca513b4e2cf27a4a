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

@Suite("A person's devices")
struct DeviceTests {
    private let fixture: RelayFixture
    private let relay: Relay<SQLiteRelayStore>

    init() throws {
        fixture = try RelayFixture()
        relay = try fixture.open()
    }

    /// Two devices of one person.
    private func tokens() async throws -> (String, String) {
        let first = try await fixture.token(relay)
        fixture.clock.advance(.seconds(60))
        return (first, try await fixture.token(relay))
    }

    private func devices(_ token: String) async throws -> [Device] {
        try await relay.application().test(.router) { client in
            try await client.send(RelayPath.devices, method: .get, token: token)
                .decoded(DeviceList.self).devices
        }
    }

    private func revoke(_ id: String, _ token: String) async throws -> ApplicationAnswer {
        try await relay.application().test(.router) { client in
            try await client.send("\(RelayPath.devices)/\(id)", method: .delete, token: token)
        }
    }

    @Test("can be signed out from another one, by identifiers that tell them apart")
    func revokeOther() async throws {
        let (first, second) = try await tokens()
        let listed = try await devices(second)
        #expect(listed.map(\.current) == [true, false])
        #expect(Set(listed.map(\.id)).count == 2)
        let other = try #require(listed.last)
        #expect(try await revoke(other.id, second).status == .noContent)
        #expect(try await devices(second).map(\.current) == [true])
        try await relay.application().test(.router) { client in
            let answer = try await client.put(.new(), MemoRequest(text: "x"), token: first)
            #expect(try answer.problemCode() == .tokenRevoked)
        }
        // The answer may have been lost.
        #expect(try await revoke(other.id, second).status == .noContent)
    }

    @Test("have names of one line, whose characters are read in their order")
    func names() async throws {
        let token = try await relay.application().test(.router) { client in
            let asked = try await client.askCode(RelayFixture.address)
            let confirmed = try await client.post(
                RelayPath.confirmations,
                ConfirmationRequest(
                    address: RelayFixture.address,
                    code: try await fixture.newestCode(relay),
                    device:
                        "a\u{2028}b\u{2029}c\u{202E}d\u{2066}e\u{200F}f\u{61C}g\u{7}h\n👩‍💻 é عربي",
                    handle: try asked.decoded(VerificationAcceptance.self).handle
                )
            )
            return try confirmed.decoded(TokenGrant.self).token
        }
        #expect(try await devices(token).map(\.name) == ["abcdefgh👩‍💻 é عربي"])
    }

    @Test("are listed with their last use, which is noted once an hour")
    func lastUse() async throws {
        let (first, second) = try await tokens()
        func used() async throws -> [Int64?] {
            try await devices(second).map(\.usedAt)
        }
        let start = fixture.clock.now.millisecondsSinceEpoch
        #expect(try await used() == [start, nil])
        fixture.clock.advance(.seconds(3599))
        #expect(try await used() == [start, nil])
        _ = try await devices(first)
        #expect(try await used() == [start, start + 3_599_000])
        fixture.clock.advance(.seconds(1))
        #expect(try await used() == [start + 3_600_000, start + 3_599_000])
    }

    @Test("are listed with a use after a clock that was years ahead")
    func useAhead() async throws {
        let token = try await fixture.token(relay)
        let start = fixture.clock.now.millisecondsSinceEpoch
        let years = Milliseconds.seconds(10 * 365 * 86_400)
        fixture.clock.advance(years)
        _ = try await devices(token)
        fixture.clock.advance(Milliseconds(-years.count))
        #expect(try await devices(token).map(\.usedAt) == [start])
    }

    /// - Returns: The answer's status.
    private func send(_ memo: OperationID, _ token: String) async throws -> HTTPResponse.Status {
        try await relay.application().test(.router) { client in
            try await client.put(memo, MemoRequest(text: "x"), token: token).status
        }
    }

    @Test("have their use noted when a memo is answered, whether or not it was accepted")
    func useByMemo() async throws {
        let (first, second) = try await tokens()
        for _ in 0..<2 {
            fixture.clock.advance(.seconds(3600))
            #expect(try await send(.new(), first) == .accepted)
            let now = fixture.clock.now.millisecondsSinceEpoch
            #expect(try await devices(second).map(\.usedAt) == [now, now])
        }
        fixture.clock.advance(.seconds(3600))
        try await relay.application().test(.router) { client in
            let answer = try await client.put(.new(), MemoRequest(text: ""), token: first)
            #expect(try answer.problemCode() == .emptyMemo)
        }
        let now = fixture.clock.now.millisecondsSinceEpoch
        #expect(try await devices(second).map(\.usedAt) == [now, now])
    }

    @Test("are served although their use cannot be noted")
    func noteFails() async throws {
        let token = try await fixture.token(relay)
        try relay.store.storage.write {
            try $0.execute(
                """
                CREATE TRIGGER full BEFORE UPDATE OF used_at ON device
                BEGIN SELECT raise(ABORT, 'full'); END
                """
            )
        }
        #expect(try await devices(token).map(\.usedAt) == [nil])
        #expect(try await send(.new(), token) == .accepted)
    }

    @Test("can be signed out by themselves")
    func revokeSelf() async throws {
        let (first, second) = try await tokens()
        #expect(try await revoke("current", first).status == .noContent)
        #expect(try await revoke("current", first).problemCode() == .tokenRevoked)
        #expect(try await devices(second).count == 1)
    }

    @Test("are nobody else's to sign out")
    func notOthers() async throws {
        let token = try await fixture.token(relay)
        let stranger = try await fixture.token(relay, address: "stranger@example.org")
        let device = try #require(try await devices(token).first)
        #expect(try await revoke(device.id, stranger).problemCode() == .notFound)
        #expect(try await devices(token).count == 1)
        for id in ["\(OperationID.new())", "canary", "%2e%2e", "0"] {
            #expect(try await revoke(id, token).problemCode() == .notFound)
        }
        try await relay.application().test(.router) { client in
            let path = "\(RelayPath.devices)/\(device.id)"
            let answer = try await client.send(path, method: .delete)
            #expect(try answer.problemCode() == .unauthorized)
        }
    }
}
