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

@Suite("Changes of an account")
struct AccountChangesTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func open() throws -> Relay<SQLiteRelayStore> {
        try fixture.open {
            $0.memoLimits = MemoLimits(device: DeviceLimits(perMinute: 1000, perDay: 1000))
        }
    }

    private func changes(
        _ client: ApplicationClient,
        _ token: String,
        after cursor: String? = nil
    ) async throws -> ApplicationAnswer {
        let path = "\(RelayPath.changes)" + (cursor.map { "?after=" + $0 } ?? "")
        return try await client.send(path, method: .get, token: token)
    }

    @Test("bring statuses, devices and settings to every device, and never a memo's text")
    func shared() async throws {
        let relay = try open()
        let tokens = [try await fixture.token(relay), try await fixture.token(relay)]
        try await relay.application().test(.router) { client in
            let memo = OperationID.new()
            _ = try await client.put(memo, MemoRequest(text: "secret text"), token: tokens[0])
            let body = """
                {"change":{"attempt":1,"digest":"0123456789abcdef",\
                "node":"\(String(repeating: "ab", count: 16))","number":1},\
                "fields":{"language":"de"},"settledThrough":0,"time":0}
                """
            let put = try await client.send(
                RelayPath.settings,
                method: .put,
                Array(body.utf8),
                token: tokens[0],
                headers: [.ifNoneMatch: "*"]
            )
            #expect(put.status == .ok)
            let answer = try await changes(client, tokens[1])
            #expect(!String(buffer: answer.body).contains("secret"))
            let page = try answer.decoded(AccountChanges.self)
            #expect(page.rows.map(\.kind) == [.device, .device, .memo, .settings])
            #expect(!page.more)
            #expect(page.rows[0].name == "laptop" && page.device == page.rows[1].id)
            #expect(page.rows[2].id == "\(memo)" && page.rows[2].status == .accepted)
            #expect(page.rows[2].device == page.rows[0].id)
            #expect(
                page.rows[2].acceptedAt == fixture.clock.now.millisecondsSinceEpoch
            )
            #expect(page.rows[3].fields?["language"]?.value == "de")
            #expect(page.rows[3].version == (try put.decoded(SettingsAnswer.self).version))
            let nothing = try await changes(client, tokens[0], after: page.cursor)
            #expect(try nothing.decoded(AccountChanges.self).rows.isEmpty)
        }
    }

    @Test("tell that a device was revoked, by the number that its revocation answered")
    func revoked() async throws {
        let relay = try open()
        let tokens = [try await fixture.token(relay), try await fixture.token(relay)]
        try await relay.application().test(.router) { client in
            let before = try await changes(client, tokens[0]).decoded(AccountChanges.self)
            let lost = try #require(before.rows.last?.id)
            let path = "\(RelayPath.devices)/\(lost)"
            let answer = try await client.send(path, method: .delete, token: tokens[0])
            let version = answer["Relay-Version"].flatMap { Int64($0) }
            let again = try await client.send(path, method: .delete, token: tokens[0])
            #expect(version != nil && again["Relay-Version"] == answer["Relay-Version"])
            let page = try await changes(client, tokens[0], after: before.cursor)
                .decoded(AccountChanges.self)
            #expect(page.rows.map(\.id) == [lost] && page.rows[0].version == version)
            #expect(page.rows[0].revokedAt != nil && page.rows[0].name == nil)
        }
    }

    @Test("come in pages, and the reader of a page misses nothing")
    func pages() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            for _ in 1...(RelayLimits.changesPage + 20) {
                _ = try await client.put(.new(), MemoRequest(text: "x"), token: token)
            }
            let first = try await changes(client, token).decoded(AccountChanges.self)
            #expect(first.rows.count == RelayLimits.changesPage && first.more)
            let second = try await changes(client, token, after: first.cursor)
                .decoded(AccountChanges.self)
            #expect(second.rows.count == 21 && !second.more)
            #expect(first.rows.map(\.version) + second.rows.map(\.version) == Array(1...121))
        }
    }

    @Test("begin anew for a cursor of another account, list or relay, and for one that is ahead")
    func foreignCursors() async throws {
        let relay = try open()
        let mine = try await fixture.token(relay)
        let other = try await fixture.token(relay, address: "other@example.org")
        let elsewhere = try RelayFixture()
        let far = try elsewhere.open()
        let foreign = try await far.application().test(.router) { client in
            try await changes(client, try await elsewhere.token(far))
                .decoded(AccountChanges.self).cursor
        }
        try await relay.application().test(.router) { client in
            let cursor = try await changes(client, mine).decoded(AccountChanges.self).cursor
            let theirs = try await changes(client, other).decoded(AccountChanges.self).cursor
            let memos = try await client.send(RelayPath.memoChanges, method: .get, token: mine)
                .decoded(MemoChanges.self).cursor
            let changed = cursor.dropLast() + (cursor.hasSuffix("0") ? "1" : "0")
            for text in [foreign, theirs, memos, String(changed), "", "0", cursor + "0"] {
                let answer = try await changes(client, mine, after: text)
                #expect(try answer.problemCode() == .cursorForgotten, "\(text)")
            }
            try relay.store.storage.write {
                try $0.execute("UPDATE account_change SET last = 0; UPDATE device SET change = 0")
            }
            let ahead = try await changes(client, mine, after: cursor)
            #expect(try ahead.problemCode() == .cursorForgotten)
        }
    }

    @Test("begin anew for a reader behind whom a row was swept away, unless it began afterwards")
    func forgotten() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let early = try await changes(client, token).decoded(AccountChanges.self).cursor
            for _ in 1...(2 * RelayLimits.changesPage) {
                _ = try await client.put(.new(), MemoRequest(text: "x"), token: token)
            }
            let late = try await changes(client, token).decoded(AccountChanges.self).cursor
            try relay.store.storage.write {
                try $0.execute("UPDATE account_change SET forgotten = 150")
            }
            let answer = try await changes(client, token, after: early)
            #expect(try answer.problemCode() == .cursorForgotten)
            let rest = try await changes(client, token, after: late).decoded(AccountChanges.self)
            #expect(rest.rows.count == RelayLimits.changesPage && rest.more)
        }
    }

    @Test("name the devices of a former relay that are signed in, and no others")
    func formerRelay() async throws {
        var relay = try open()
        let tokens = [try await fixture.token(relay), try await fixture.token(relay)]
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "x"), token: tokens[0])
            let answer = try await client.send(
                RelayPath.currentDevice,
                method: .delete,
                token: tokens[1]
            )
            #expect(answer.status == .noContent)
        }
        try await fixture.deliver(relay)
        try relay.store.storage.write { database in
            try database.execute(
                """
                DROP TABLE account_change;
                DROP TABLE account_settings;
                DROP TABLE change_ledger;
                DROP TABLE schema_component;
                DROP INDEX device_change;
                ALTER TABLE device DROP COLUMN change;
                """
            )
        }
        relay = try open()
        try await relay.application().test(.router) { client in
            let page = try await changes(client, tokens[0]).decoded(AccountChanges.self)
            #expect(page.rows.map(\.kind) == [.memo, .device])
            #expect(page.rows[1].id == page.device)
            _ = try await fixture.token(relay)
            let next = try await changes(client, tokens[0], after: page.cursor)
                .decoded(AccountChanges.self)
            #expect(next.rows.map(\.kind) == [.device])
        }
    }

    @Test("come with the relay's time, in milliseconds, as every answer of the API does")
    func time() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        fixture.clock.advance(Milliseconds(1_234_567))
        try await relay.application().test(.router) { client in
            let answers = [
                try await changes(client, token),
                try await client.send(RelayPath.devices, method: .get),
                try await client.send("/v1/nothing", method: .get),
            ]
            let now = "\(fixture.clock.now.millisecondsSinceEpoch)"
            #expect(answers.map { $0["Relay-Time"] } == [now, now, now])
            #expect(answers.map(\.status) == [.ok, .unauthorized, .notFound])
        }
    }
}
