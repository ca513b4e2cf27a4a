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

@Suite("Changes of memos")
struct MemoChangesTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func open() throws -> Relay<SQLiteRelayStore> {
        try fixture.open {
            $0.memoLimits = MemoLimits(device: DeviceLimits(perMinute: 1000, perDay: 1000))
            $0.mailPolicy.base = Milliseconds(10)
        }
    }

    private func send(
        _ relay: Relay<SQLiteRelayStore>,
        _ token: String,
        id: OperationID = .new()
    ) async throws -> String {
        try await relay.application().test(.router) { client in
            let answer = try await client.put(id, MemoRequest(text: "x"), token: token)
            #expect(answer.status == .accepted)
            return "\(id)"
        }
    }

    private func changes(
        _ relay: Relay<SQLiteRelayStore>,
        _ token: String,
        after cursor: String? = nil
    ) async throws -> MemoChanges {
        try await relay.application().test(.router) { client in
            let path = "\(RelayPath.memoChanges)" + (cursor.map { "?after=" + $0 } ?? "")
            let answer = try await client.send(path, method: .get, token: token)
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            return try answer.decoded(MemoChanges.self)
        }
    }

    @Test("are told once each, in their order, to whoever follows the cursor")
    func following() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let nothing = try await changes(relay, token)
        #expect(nothing.changes.isEmpty && !nothing.more && !nothing.restarted)

        let (first, second) = (try await send(relay, token), try await send(relay, token))
        let accepted = try await changes(relay, token, after: nothing.cursor)
        #expect(
            accepted.changes == [
                MemoStatus(id: first, status: .accepted), MemoStatus(id: second, status: .accepted),
            ]
        )
        let quiet = try await changes(relay, token, after: accepted.cursor)
        #expect(quiet.changes.isEmpty && quiet.cursor == accepted.cursor && !quiet.restarted)

        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        let bounced = try await changes(relay, token, after: quiet.cursor)
        #expect(Set(bounced.changes.map(\.id)) == [first, second])
        #expect(bounced.changes.allSatisfy { $0.status == .bounced && $0.reason == "smtp.550" })
        #expect(try await changes(relay, token) == bounced)
    }

    @Test("come in pages that neither lose nor repeat one")
    func pages() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        var sent: [String] = []
        for _ in 0..<(2 * RelayLimits.changesPage + 1) { sent.append(try await send(relay, token)) }
        var told: [String] = []
        var cursor: String?
        for (count, more) in [(100, true), (100, true), (1, false)] {
            let page = try await changes(relay, token, after: cursor)
            #expect(page.changes.count == count && page.more == more && !page.restarted)
            told += page.changes.map(\.id)
            cursor = page.cursor
        }
        #expect(told == sent)
    }

    @Test("are those of the account's memos, whichever of its devices asks")
    func perAccount() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        fixture.clock.advance(.seconds(60))
        let otherDevice = try await fixture.token(relay)
        let stranger = try await fixture.token(relay, address: "stranger@example.org")
        let memo = try await send(relay, token)
        let told = try await changes(relay, otherDevice)
        #expect(told.changes.map(\.id) == [memo])
        let foreign = try await changes(relay, stranger, after: told.cursor)
        #expect(foreign.changes.isEmpty && foreign.restarted)
    }

    @Test(
        "begin anew, and say so, after a cursor that the relay did not make",
        arguments: [
            "", "0", "canary", String(repeating: "0", count: 32),
            "+000000000000001" + String(repeating: "0", count: 16),
            String(repeating: "f", count: 32), String(repeating: "x", count: 3000),
        ]
    )
    func unknownCursor(cursor: String) async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let memo = try await send(relay, token)
        let told = try await changes(relay, token, after: cursor)
        #expect(told.changes.map(\.id) == [memo] && told.restarted)
    }

    @Test("are not told after the cursor of another account, which counts as none")
    func foreignCursor() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let other = try await fixture.token(relay, address: "other@example.org")
        let memos = [try await send(relay, token), try await send(relay, token)]
        _ = try await send(relay, other)
        let cursor = try await changes(relay, other).cursor
        let told = try await changes(relay, token, after: cursor)
        #expect(told.changes.map(\.id) == memos && told.restarted)
        let secret = relay.secret
        let owners = [OperationID(high: 0, low: 1), OperationID(high: 0, low: 2)].map {
            ChangeCursor(secret: secret, account: AccountID(bits: $0))
        }
        #expect(owners[0].numbers(of: owners[0].text(of: 7), count: 1) == [7])
        #expect(owners[1].numbers(of: owners[0].text(of: 7), count: 1) == nil)
    }

    @Test("begin anew, and say so, when the relay's memory was put back")
    func restoredDatabase() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let first = try await send(relay, token)
        let second = try await send(relay, token)
        let cursor = try await changes(relay, token).cursor
        let id = try #require(OperationID(text: second.utf8))
        _ = try relay.store.storage.write { database in
            try database.run("DELETE FROM memo WHERE id = ?", .blob(id.bytes))
        }
        let told = try await changes(relay, token, after: cursor)
        #expect(told.changes.map(\.id) == [first] && told.restarted)
    }

    @Test("are known of memos that a relay before this one accepted")
    func earlierDatabase() async throws {
        let before = try open()
        let token = try await fixture.token(before)
        var sent: [String] = []
        for _ in 0..<3 {
            sent.append(try await send(before, token))
            fixture.clock.advance(.seconds(1))
        }
        _ = try before.store.storage.write { database in
            try database.execute(
                """
                DROP TABLE schema_component; DROP INDEX memo_change;
                ALTER TABLE memo DROP COLUMN change;
                """
            )
        }
        let relay = try open()
        #expect(try await changes(relay, token).changes.map(\.id) == sent)
        let next = try await send(relay, token)
        #expect(try await changes(relay, token).changes.map(\.id) == sent + [next])
    }

    @Test("are for those who are signed in")
    func unauthorized() async throws {
        let relay = try open()
        try await relay.application().test(.router) { client in
            let answer = try await client.send(RelayPath.memoChanges, method: .get)
            #expect(try answer.problemCode() == .unauthorized)
        }
    }
}
