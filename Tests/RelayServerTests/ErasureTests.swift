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

@Suite("The erasure of an account")
struct ErasureTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func erase(
        _ relay: Relay<SQLiteRelayStore>,
        _ token: String,
        address: String = RelayFixture.address
    ) async throws -> ApplicationAnswer {
        try await relay.application().test(.router) { client in
            let asked = try await client.askCode(address)
            let handle = try asked.decoded(VerificationAcceptance.self).handle
            let code = try await fixture.newestCode(relay)
            return try await client.send(
                RelayPath.account,
                method: .delete,
                RelayJSON.encode(ErasureRequest(code: code, handle: handle)),
                token: token
            )
        }
    }

    private func sweep(_ relay: Relay<SQLiteRelayStore>) async {
        let sweeper = RelaySweeper(
            store: relay.store,
            age: RunningAge(lifetime: relay.configuration.deadLetterLifetime),
            room: { nil },
            monotonic: { Milliseconds(0) },
            clock: relay.clock,
            logger: relay.logger
        )
        await sweeper.forgetErased()
    }

    /// The rows of each table that are an account's, as `table: count`.
    private func rows(_ relay: Relay<SQLiteRelayStore>) throws -> [String: Int64] {
        let tables = [
            "account", "device", "memo", "account_change", "account_settings", "change_ledger",
            "erasure", "dead_letter",
        ]
        return try relay.store.storage.read { database in
            var rows: [String: Int64] = [:]
            for table in tables {
                let count = try database.first("SELECT count(*) FROM \(table)") { $0.integer(0) }
                if let count, count > 0 { rows[table] = count }
            }
            return rows
        }
    }

    @Test("leaves no row, no mail and no dead letter of the account, after a crash as well")
    func whole() async throws {
        var relay = try fixture.open()
        let token = try await fixture.token(relay)
        let other = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "dead"), token: token)
            fixture.transport.answer(.refused("smtp.550"))
            try await fixture.deliver(relay)
            fixture.transport.answer(.accepted)
        }
        let answer = try await erase(relay, token)
        #expect(answer.status == .noContent)
        relay = try fixture.open()
        try await relay.application().test(.router) { client in
            for token in [token, other] {
                let answer = try await client.send(RelayPath.devices, method: .get, token: token)
                #expect(try answer.problemCode() == .unauthorized)
            }
        }
        #expect(try rows(relay)["memo"] == 1)
        await sweep(relay)
        #expect(try rows(relay).isEmpty)
        let again = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            let page = try await client.send(RelayPath.changes, method: .get, token: again)
            #expect(try page.decoded(AccountChanges.self).rows.map(\.kind) == [.device])
        }
    }

    @Test("takes no code but one of the account's address, and that one once")
    func codes() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        _ = try await fixture.token(relay, address: "other@example.org")
        let foreign = try await erase(relay, token, address: "other@example.org")
        #expect(try foreign.problemCode() == .codeRejected)
        try await relay.application().test(.router) { client in
            let wrong = ErasureRequest(code: "000000", handle: "none")
            let answer = try await client.send(
                RelayPath.account,
                method: .delete,
                RelayJSON.encode(wrong),
                token: token
            )
            #expect(try answer.problemCode() == .codeRejected)
            let without = try await client.send(
                RelayPath.account,
                method: .delete,
                RelayJSON.encode(wrong)
            )
            #expect(try without.problemCode() == .unauthorized)
        }
        #expect(try rows(relay)["account"] == 2)
        #expect(try await erase(relay, token).status == .noContent)
        await sweep(relay)
        #expect(try rows(relay)["account"] == 1)
    }

    @Test("removes what cannot be opened, too")
    func damaged() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "x"), token: token)
        }
        try relay.store.storage.write { database in
            try database.execute(
                """
                UPDATE device SET name = X'00';
                UPDATE outbox_operation SET record = X'00';
                INSERT INTO account_settings SELECT id, 9, 0, X'00' FROM account;
                """
            )
        }
        #expect(try await erase(relay, token).status == .noContent)
        await sweep(relay)
        #expect(try rows(relay).isEmpty)
    }
}
