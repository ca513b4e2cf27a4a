import Foundation
import MemoCore
import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing
import Waiting

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("An operator's commands beside a relay", .timeLimit(.minutes(60)))
struct OperatorTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    /// Sends a memo from each address, and lets the mail server refuse it for good.
    private func relay(
        refusing mails: [(address: String, reason: ReasonCode)]
    ) async throws -> Relay<SQLiteRelayStore> {
        let relay = try fixture.open()
        for mail in mails {
            fixture.transport.answer(.accepted)
            let token = try await fixture.token(relay, address: mail.address)
            try await relay.application().test(.router) { client in
                let id = OperationID.random(at: fixture.clock.now)
                _ = try await client.put(id, MemoRequest(text: "canary"), token: token)
            }
            fixture.transport.answer(.refused(mail.reason))
            try await fixture.deliver(relay)
        }
        return relay
    }

    private func open() throws -> OperatorDatabase {
        try OperatorDatabase(folder: fixture.folder.path)
    }

    private static let mails: [(address: String, reason: ReasonCode)] = [
        ("canary@one.example", "smtp.550"), ("canary@two.example", "smtp.552"),
        ("other@one.example", "smtp.550"),
    ]

    private func filter(_ set: (inout MailFilter) -> Void) -> MailFilter {
        var filter = MailFilter()
        set(&filter)
        return filter
    }

    @Test("back up the database and its key into a closed folder, and no other place")
    func backup() async throws {
        let relay = try await relay(refusing: Self.mails)
        let parent = try TemporaryFolder()
        let copy = parent.path + "/copy"
        let report = try open().backUp(to: copy)
        #expect(report.bytes > 0 && report.missing.isEmpty)
        let files = try FileManager.default.contentsOfDirectory(atPath: copy)
        #expect(files.sorted() == ["key", "relay.sqlite"])
        // Accepted behind the moment of the copy.
        let token = try await fixture.token(relay, address: "later@one.example")
        let later = OperationID.random(at: fixture.clock.now)
        try await relay.application().test(.router) { client in
            _ = try await client.put(later, MemoRequest(text: "canary"), token: token)
        }
        #expect(try open().missing(from: copy + "/relay.sqlite") == [later])
        // The domains are sealed: the copied key opens the copied database.
        let copied = try OperatorDatabase(folder: copy)
        #expect(try copied.deadLetters() == open().deadLetters())
        #expect(
            try copied.deadLetters().map(\.domain) == ["one.example", "two.example", "one.example"]
        )
        for (name, mode) in [("", 0o700), ("/relay.sqlite", 0o600), ("/key", 0o600)] {
            var status = stat()
            #expect(stat(copy + name, &status) == 0 && Int(status.st_mode & 0o777) == mode)
        }
        let empty = parent.path + "/empty"
        try #require(mkdir(empty, 0o755) == 0)
        for taken in [copy, empty, copy + "/key"] {
            #expect(throws: BackupError.exists) { try open().backUp(to: taken) }
        }
        #expect(throws: BackupError.cannotCreate(code: ENOENT)) {
            try open().backUp(to: parent.path + "/none/copy")
        }
        try #require(rename(fixture.folder.path + "/key", parent.path + "/away") == 0)
        #expect(throws: BackupError.relay(.key(.missing))) {
            try open().backUp(to: parent.path + "/keyless")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: parent.path)
        #expect(Set(left) == ["copy", "empty", "away"])
        withExtendedLifetime(relay) {}
    }

    @Test("list dead letters by reason, domain, age and identifier")
    func list() async throws {
        let relay = try await relay(refusing: Self.mails)
        let database = try open()
        let all = try database.deadLetters()
        #expect(all.map(\.reason) == ["smtp.550", "smtp.552", "smtp.550"])
        #expect(all.map(\.domain) == ["one.example", "two.example", "one.example"])
        #expect(all.allSatisfy { $0.isRetryable && $0.attempts == 1 && $0.bytes > 0 })
        func chosen(_ set: (inout MailFilter) -> Void) throws -> [DeadLetter] {
            try database.deadLetters(filter(set))
        }
        #expect(try chosen { $0.reason = "smtp.552" } == [all[1]])
        #expect(try chosen { $0.reason = "smtp" } == all)
        #expect(try chosen { $0.reason = "smt" } == [])
        #expect(try chosen { $0.domain = "ONE.example" } == [all[0], all[2]])
        #expect(try chosen { $0.domain = "example" } == [])
        #expect(try chosen { $0.before = all[0].queuedAt } == [])
        #expect(try chosen { $0.before = all[2].queuedAt.advanced(by: .seconds(1)) } == all)
        #expect(try chosen { $0.ids = [all[2].id] } == [all[2]])
        #expect(
            try chosen {
                $0.domain = "one.example"
                $0.ids = [all[1].id]
            } == []
        )
        #expect(try database.deadLetters(limit: 2) == Array(all.prefix(2)))
        withExtendedLifetime(relay) {}
    }

    @Test("try a dead letter again, whose memo is then accepted and later delivered")
    func retry() async throws {
        let relay = try await relay(refusing: Self.mails)
        let database = try open()
        let before = fixture.transport.mails.count
        let chosen = try await database.retry(
            filter { $0.domain = "two.example" },
            at: fixture.clock.now
        )
        #expect(chosen.map(\.reason) == ["smtp.552"])
        #expect(try statuses(relay) == ["accepted": 1, "bounced": 2])
        #expect(try database.deadLetters().count == 2)
        #expect(
            try await database.retry(filter { $0.ids = [chosen[0].id] }, at: fixture.clock.now)
                == []
        )
        fixture.transport.answer(.accepted)
        try await fixture.deliver(relay)
        #expect(try statuses(relay) == ["delivered": 1, "bounced": 2])
        let sent = fixture.transport.mails.dropFirst(before).map(\.recipient)
        #expect(sent == ["canary@two.example"])
        let numbers = try relay.store.storage.read { database in
            try database.query(
                "SELECT count(*) FROM memo GROUP BY account, change"
            ) { $0.integer(0) }
        }
        #expect(numbers == [1, 1, 1], "each change has a number of its own")
    }

    @Test("wake a relay that delivers, for a letter that is queued again")
    func wake() async throws {
        let relay = try await relay(refusing: [Self.mails[0]])
        fixture.transport.answer(.accepted)
        let before = fixture.transport.mails.count
        let handlers = relay.delivery(by: fixture.transport).handlers
        let delivery = Task { try await relay.store.deliver(handlers) }
        // The delivery has looked at the queue once it has delivered this one.
        let token = try await signIn(relay, address: "new@one.example")
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
        }
        try await waitUntil { fixture.transport.mails.count == before + 2 }
        try await waitUntil { try relay.store.outbox.counts().queued == 0 }
        #expect(try await open().retry(MailFilter(), at: fixture.clock.now).count == 1)
        try await waitUntil { fixture.transport.mails.count == before + 3 }
        try await waitUntil { try relay.store.outbox.counts() == OutboxCounts() }
        delivery.cancel()
        _ = try? await delivery.value
    }

    /// Signs in with a code that a running delivery mails.
    private func signIn(
        _ relay: Relay<SQLiteRelayStore>,
        address: String
    ) async throws -> String {
        let before = fixture.transport.mails.count
        return try await relay.application().test(.router) { client in
            let asked = try await client.post(
                RelayPath.verifications,
                VerificationRequest(address: address)
            )
            let handle = try asked.decoded(VerificationAcceptance.self).handle
            try await waitUntil { fixture.transport.mails.count == before + 1 }
            let text = try DecodedMail(try #require(fixture.transport.mails.last).message).text
            let code = try #require(
                text.split(separator: "\n").first { $0.count == 6 && $0.allSatisfy(\.isNumber) }
            )
            let answer = try await client.confirm(
                address: address,
                code: String(code),
                handle: handle
            )
            return try answer.decoded(TokenGrant.self).token
        }
    }

    @Test("discard dead letters, and leave the records of their memos")
    func discard() async throws {
        let relay = try await relay(refusing: Self.mails)
        let database = try open()
        let discarded = try await database.discard(filter { $0.reason = "smtp.550" })
        #expect(discarded.count == 2)
        #expect(try database.deadLetters().map(\.reason) == ["smtp.552"])
        #expect(try statuses(relay) == ["bounced": 3])
    }

    @Test("neither try nor discard a mail that is not a dead letter")
    func living() async throws {
        let relay = try await relay(refusing: [])
        fixture.transport.answer(.accepted)
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
        }
        let id = try #require(try relay.store.outbox.entries(in: .queued).first?.id)
        let database = try open()
        for chosen in [filter { $0.ids = [id] }, MailFilter()] {
            #expect(try await database.discard(chosen) == [])
            #expect(try await database.retry(chosen, at: fixture.clock.now) == [])
        }
        #expect(try relay.store.outbox.counts().queued == 1)
    }

    @Test("list and discard a mail that cannot be read, and do not try it again")
    func unreadable() async throws {
        let relay = try await relay(refusing: [Self.mails[0]])
        try relay.store.storage.write { database in
            _ = try database.run("UPDATE outbox_operation SET record = x'00'")
        }
        let database = try open()
        _ = try await database.retry(MailFilter(), at: fixture.clock.now)
        try await fixture.deliver(relay)
        let letter = try #require(try database.deadLetters().first)
        #expect(letter.reason == "quarantine.record" && !letter.isRetryable)
        #expect(letter.domain == "one.example")
        #expect(try await database.retry(MailFilter(), at: fixture.clock.now) == [])
        #expect(try database.statistics(at: fixture.clock.now).deadLetters == [letter.reason: 1])
        #expect(try await database.discard(MailFilter()).map(\.id) == [letter.id])
        #expect(try database.deadLetters() == [])
    }

    @Test("count mails, memos, accounts and devices, and the failures for which mails wait")
    func statistics() async throws {
        let relay = try await relay(refusing: Self.mails)
        fixture.transport.answer(.accepted)
        let token = try await fixture.token(relay, address: "third@two.example")
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
        }
        let entry = try #require(try relay.store.outbox.entries(in: .queued).first)
        var envelope = try #require(entry.envelope)
        envelope.waitCause = .backoff
        envelope.lastError = "smtp.relay.550"
        envelope.nextEligibleAt = fixture.clock.now.advanced(by: .seconds(60))
        try relay.store.storage.requeue(entry.entryID, as: envelope)
        let found = try open().statistics(at: fixture.clock.now)
        #expect(found.queue.memos == 1 && found.queue.codes == 0 && found.queue.dead == 3)
        #expect(found.queue.oldest == envelope.createdAt)
        #expect(found.waits == ["smtp.relay.550": 1])
        #expect(found.deadLetters == ["smtp.550": 2, "smtp.552": 1])
        #expect(found.memos == ["accepted": 1, "bounced": 3])
        #expect(found.accounts == 4 && found.devices == 4)
        let later = envelope.createdAt.advanced(by: .seconds(90))
        let json = String(decoding: try found.json(at: later), as: UTF8.self)
        #expect(json.contains(#""oldestSeconds":90"#) && !json.contains("example"), "\(json)")
    }

    @Test(
        "hold mails, which a relay that is started again does not attempt before they are released"
    )
    func hold() async throws {
        var relay = try fixture.open()
        fixture.transport.answer(.accepted)
        let addresses = ["canary@one.example", "other@two.example"]
        var tokens: [String] = []
        for address in addresses { tokens.append(try await fixture.token(relay, address: address)) }
        for token in tokens {
            try await relay.application().test(.router) { client in
                _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
            }
        }
        let before = fixture.transport.mails.count
        let one = filter { $0.domain = "one.example" }
        #expect(try await open().hold(one, at: fixture.clock.now).count == 1)
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.dropFirst(before).map(\.recipient) == [addresses[1]])
        relay = try fixture.open()
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == before + 1)
        let held = try open().waitingMails()
        #expect(held.map(\.heldSince) == [fixture.clock.now])
        #expect(
            try held.map { String(decoding: try $0.json(), as: UTF8.self) }.allSatisfy {
                $0.contains(#""heldSince":"20"#) && !$0.contains("canary")
            }
        )
        #expect(try await open().release(one).count == 1)
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.dropFirst(before + 1).map(\.recipient) == [addresses[0]])
        #expect(try statuses(relay) == ["delivered": 2])
    }

    @Test("hold, release and attempt no mail whose bookkeeping cannot be read")
    func unreadableEnvelope() async throws {
        let relay = try fixture.open()
        fixture.transport.answer(.accepted)
        let token = try await fixture.token(relay)
        try await relay.application().test(.router) { client in
            _ = try await client.put(.new(), MemoRequest(text: "canary"), token: token)
        }
        try relay.store.storage.write { database in
            _ = try database.run("UPDATE outbox_operation SET envelope = x'00'")
        }
        let all = MailFilter()
        #expect(try open().waitingMails().map(\.isReadable) == [false])
        #expect(try await open().hold(all, at: fixture.clock.now) == [])
        #expect(try await open().attemptNow(all) == [])
        #expect(try await open().release(all) == [])
        #expect(try open().waitingMails().count == 1)
    }

    @Test("make no file, and say so, where there is no relay's database")
    func noDatabase() throws {
        #expect(throws: OperatorError.noDatabase) { try open() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).isEmpty)
        let path = fixture.folder.path + "/relay.sqlite"
        try Data("no database".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: OperatorError.unusable(.damaged)) { try open() }
    }

    @Test("say that a database is under another key, or damaged, and change nothing")
    func otherKey() async throws {
        let relay = try await relay(refusing: [Self.mails[0]])
        let other = try RelayFixture()
        withExtendedLifetime(try other.open()) {}
        let key = fixture.folder.path + "/key"
        let own = try Data(contentsOf: URL(fileURLWithPath: key))
        try Data(contentsOf: URL(fileURLWithPath: other.folder.path + "/key"))
            .write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(throws: OperatorError.unusable(.otherKey)) { try open().deadLetters() }
        try own.write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        #expect(try open().deadLetters().count == 1)
        try relay.store.storage.write { database in
            try database.run("UPDATE relay_secret SET sealed = zeroblob(60)")
        }
        #expect(throws: OperatorError.unusable(.damaged)) { try open().deadLetters() }
    }

    @Test("name a letter by its memo, as the sender's history does")
    func memo() async throws {
        let relay = try await relay(refusing: Self.mails)
        let letters = try open().deadLetters()
        let memos = try relay.store.storage.read { database in
            try database.query("SELECT operation, id FROM memo") { ($0.blob(0), $0.blob(1)) }
        }
        for letter in letters {
            let memo = memos.first { $0.0 == letter.id.bytes }?.1
            #expect(letter.memo?.bytes == memo && letter.memo != letter.id)
            let chosen = try open().deadLetters(filter { $0.ids = [letter.memo ?? letter.id] })
            #expect(chosen == [letter])
        }
        withExtendedLifetime(relay) {}
    }

    private func statuses(_ relay: Relay<SQLiteRelayStore>) throws -> [String: Int] {
        try relay.store.storage.read { database in
            Dictionary(
                uniqueKeysWithValues: try database.query(
                    "SELECT status, count(*) FROM memo GROUP BY status"
                ) { ($0.text(0), Int($0.integer(1))) }
            )
        }
    }
}
