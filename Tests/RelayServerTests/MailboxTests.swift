import Foundation
import Hummingbird
import MemoCore
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("The spellings of a mailbox", .timeLimit(.minutes(60)))
struct MailboxTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func devices(
        _ relay: Relay<SQLiteRelayStore>,
        token: String
    ) async throws -> Int {
        try await relay.application().test(.router) { client in
            try await client.send(RelayPath.devices, method: .get, token: token)
                .decoded(DeviceList.self).devices.count
        }
    }

    /// The relay's database, changed by hand.
    private func database() throws -> SQLiteStorage {
        try SQLiteStorage(path: fixture.folder.file("relay.sqlite"))
    }

    @Test("that differ in case are one account, whose mails go to its first spelling")
    func lowerCase() async throws {
        let relay = try fixture.open()
        let first = try await fixture.token(relay, address: "Some.Body@example.org")
        let second = try await fixture.token(relay, address: "some.body@EXAMPLE.org")
        #expect(try await devices(relay, token: first) == 2)
        #expect(try await devices(relay, token: second) == 2)
        try await fixture.deliver(relay)
        let recipients = Set(fixture.transport.mails.map(\.recipient))
        #expect(recipients == ["Some.Body@example.org"])
    }

    @Test("that differ behind a plus share limits and repetitions, and no devices")
    func subaddresses() async throws {
        let relay = try fixture.open { $0.memoLimits.device.perDay = 2 }
        let tokens = [
            try await fixture.token(relay, address: "somebody@example.org"),
            try await fixture.token(relay, address: "somebody+notes@example.org"),
        ]
        for token in tokens { #expect(try await devices(relay, token: token) == 1) }
        let (first, second) = (OperationID.new(), OperationID.new())
        try await relay.application().test(.router) { client in
            let sent = try await client.put(first, MemoRequest(text: "one"), token: tokens[0])
            #expect(sent.status == .accepted)
            let again = try await client.put(first, MemoRequest(text: "one"), token: tokens[1])
            #expect(again.status == .accepted && again.body == sent.body)
            let other = try await client.put(first, MemoRequest(text: "two"), token: tokens[1])
            #expect(try other.problemCode() == .idempotencyKeyReused)
            let unknown = try await client.send(
                RelayPath.memo(first),
                method: .get,
                token: tokens[1]
            )
            #expect(unknown.status == .notFound)
            let next = try await client.put(second, MemoRequest(text: "two"), token: tokens[1])
            #expect(next.status == .accepted)
            for token in tokens {
                let third = try await client.put(.new(), MemoRequest(text: "three"), token: token)
                #expect(third.status == .tooManyRequests)
                // A repetition counts against no limit, under either spelling.
                let again = try await client.put(first, MemoRequest(text: "one"), token: token)
                #expect(again.status == .accepted)
            }
        }
        fixture.transport.answer(.accepted)
        try await fixture.deliver(relay)
        let texts = try fixture.transport.mails.map { try DecodedMail($0.message).text }
        #expect(texts.count { $0.hasPrefix("one") } == 1)
    }

    @Test("that differ behind a plus share the changes of settings in an hour")
    func settings() throws {
        let secret = RelaySecret(bytes: [UInt8](repeating: 1, count: 32))
        let spellings = ["a@example.org", "A+b@example.org", "a+c+d@Example.org"]
        let mailboxes = try spellings.map { secret.mailbox(of: try #require(MailAddress($0))) }
        #expect(Set(mailboxes).count == 1)
        let others = ["b@example.org", "a.@example.net", "+a@example.org"]
            .compactMap { MailAddress($0) }.map { secret.mailbox(of: $0) }
        #expect(others.allSatisfy { $0 != mailboxes[0] })
    }

    // MARK: Former databases

    /// Gives accounts and memos the form in which the build before this one left them.
    private func becomeFormer() throws {
        try database().write { database in
            try database.execute(
                """
                DROP INDEX account_mailbox;
                DROP INDEX memo_mailbox;
                DROP INDEX memo_size;
                DROP INDEX memo_waiting;
                ALTER TABLE account DROP COLUMN mailbox;
                ALTER TABLE memo DROP COLUMN mailbox;
                UPDATE dead_letter SET mailbox = (SELECT memo.account FROM memo
                    JOIN outbox_operation ON outbox_operation.id = memo.operation
                    WHERE outbox_operation.entry = dead_letter.entry);
                ALTER TABLE dead_letter RENAME COLUMN mailbox TO account;
                CREATE INDEX memo_size ON memo(account, accepted_at, size);
                CREATE INDEX memo_waiting ON memo(account, size) WHERE status = 'accepted';
                UPDATE schema_component SET version = 19 WHERE name = 'relay';
                """
            )
        }
    }

    /// Keys the account of an address in the way of the former build, which minded case.
    private func key(_ relay: Relay<SQLiteRelayStore>, address: String) throws {
        let former = relay.secret.authenticationCode(.address, Array(address.utf8))
        let key = relay.secret.key(of: try #require(MailAddress(address)))
        try database().write { database in
            _ = try database.run(
                "UPDATE account SET address_key = ? WHERE address_key = ?",
                .blob(former),
                .blob(key)
            )
        }
    }

    private func count(_ rows: String) throws -> Int64 {
        try database().read { try $0.first("SELECT count(*) FROM \(rows)") { $0.integer(0) } ?? -1 }
    }

    @Test("of a former database get their mailbox, with memos and dead letters")
    func named() async throws {
        var relay = try fixture.open()
        let token = try await fixture.token(relay, address: "Somebody@example.org")
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            let sent = try await client.put(id, MemoRequest(text: "one"), token: token)
            #expect(sent.status == .accepted)
        }
        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        fixture.transport.answer(.accepted)
        try key(relay, address: "Somebody@example.org")
        try becomeFormer()
        relay = try fixture.open { $0.memoLimits.device.perDay = 1 }
        #expect(try count("account WHERE mailbox IS NULL") == 0)
        #expect(try count("memo WHERE mailbox IS NULL") == 0)
        #expect(
            try count("dead_letter JOIN account ON account.mailbox = dead_letter.mailbox") == 1
        )
        let other = try await fixture.token(relay, address: "somebody+a@example.org")
        let same = try await fixture.token(relay, address: "SOMEBODY@example.org")
        #expect(try await devices(relay, token: same) == 2)
        try await relay.application().test(.router) { client in
            let again = try await client.put(id, MemoRequest(text: "one"), token: other)
            #expect(again.status == .accepted)
            let next = try await client.put(.new(), MemoRequest(text: "two"), token: other)
            #expect(next.status == .tooManyRequests)
        }
    }

    @Test("of a former database that differ in case become one account with all its rows")
    func merged() async throws {
        var relay = try fixture.open()
        let addresses = ["Somebody@example.org", "SOMEBODY@example.org", "somebody@example.org"]
        var tokens: [String] = []
        let ids = (0..<3).map { _ in OperationID.new() }
        for (number, address) in addresses.enumerated() {
            fixture.clock.advance(.seconds(100))
            tokens.append(try await fixture.token(relay, address: address))
            try await relay.application().test(.router) { client in
                for (text, id) in [("own \(number)", ids[number]), ("shared", ids[0])] {
                    guard number > 0 || text != "shared" else { continue }
                    _ = try await client.put(id, MemoRequest(text: text), token: tokens[number])
                }
            }
            // The next spelling finds no account.
            try key(relay, address: address)
        }
        #expect(try count("account") == 3)
        try becomeFormer()
        relay = try fixture.open()
        #expect(try count("account") == 1)
        #expect(try count("account_change") == 1)
        for token in tokens {
            #expect(try await devices(relay, token: token) == 3)
            let device = try await relay.store.device(tokenHash: DeviceToken(text: token).hash)
            #expect(device?.address.text == "Somebody@example.org")
        }
        let account = try #require(
            try await relay.store.device(tokenHash: DeviceToken(text: tokens[0]).hash)
        ).account
        let changes = try await relay.store.accountChanges(of: account, after: 0, limit: 99)
        let numbers = changes.changes.map(\.number)
        #expect(numbers.count == 6 && Set(numbers).count == 6)
        #expect(numbers.allSatisfy { $0 <= changes.latest })
        for id in ids { #expect(try await relay.store.memo(id, of: account) != nil) }
        // The next start finds nothing to do.
        relay = try fixture.open()
        #expect(try await devices(relay, token: tokens[2]) == 3)
    }
}
