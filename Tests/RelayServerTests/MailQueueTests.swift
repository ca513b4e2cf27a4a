import HTTPTypes
import Hummingbird
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

// The time limit ends a test that hangs; no test comes near it.
@Suite("The relay's mail queue", .timeLimit(.minutes(60)))
struct MailQueueTests {
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    private func open() throws -> Relay<SQLiteRelayStore> {
        try fixture.open { $0.mailPolicy.base = Milliseconds(10) }
    }

    private func accept(
        _ relay: Relay<SQLiteRelayStore>,
        text: String = "canary text"
    ) async throws -> (id: OperationID, token: String) {
        let token = try await fixture.token(relay)
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            let answer = try await client.put(id, MemoRequest(text: text), token: token)
            #expect(answer.status == .accepted)
        }
        return (id, token)
    }

    private func status(
        _ relay: Relay<SQLiteRelayStore>,
        _ memo: (id: OperationID, token: String)
    ) async throws -> MemoStatus {
        try await relay.application().test(.router) { client in
            try await client.send(RelayPath.memo(memo.id), method: .get, token: memo.token)
                .decoded(MemoStatus.self)
        }
    }

    @Test("a memo accepted by a process that dies is delivered once by the next")
    func survivesRestart() async throws {
        let memo = try await accept(open())
        let before = fixture.transport.mails.count
        let relay = try open()
        try await fixture.deliver(relay)
        try await fixture.deliver(try open())
        #expect(fixture.transport.mails.count == before + 1)
        #expect(try await status(relay, memo).status == .delivered)
    }

    private static let hour: Int64 = 3_600_000

    @Test("a mail that may have been taken is not handed over when the provider forgets it")
    func forgotten() async throws {
        let relay = try open()
        fixture.transport.recognisesRepetitions(for: Milliseconds(23 * Self.hour))
        let memo = try await accept(relay)
        let before = fixture.transport.mails.count
        // A refusal of the relay does not say that nobody has the mail.
        fixture.transport.answer(
            [
                (.unknown("test.unknown"), Milliseconds(22 * Self.hour)),
                (.tryLater("smtp.relay.550"), Milliseconds(Self.hour / 2)),
                (.tryLater("smtp.relay.550"), Milliseconds(Self.hour)),
                (.accepted, Milliseconds(0)),
            ],
            fixture.clock
        )
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == before + 3)
        let told = try await status(relay, memo)
        #expect(told.status == .expired)
        #expect(told.reason == "unknown.test.unknown")
        // The operator has found out that it did not arrive.
        let operators = try OperatorDatabase(folder: fixture.folder.path)
        #expect(try operators.deadLetters().map(\.reason) == ["expired.unknown.test.unknown"])
        #expect(try await operators.retry(MailFilter(), at: fixture.clock.now).count == 1)
        try await fixture.deliver(relay)
        #expect(fixture.transport.mails.count == before + 4)
        #expect(try await status(relay, memo).status == .delivered)
    }

    @Test("a mail that nobody can have waits its whole life, whatever the provider forgets")
    func waitsLonger() async throws {
        let relay = try open()
        fixture.transport.recognisesRepetitions(for: Milliseconds(23 * Self.hour))
        let memo = try await accept(relay)
        fixture.transport.answer(
            Array(repeating: (.tryLater("smtp.451"), Milliseconds(24 * Self.hour)), count: 3)
                + [(.accepted, Milliseconds(0))],
            fixture.clock
        )
        try await fixture.deliver(relay)
        #expect(try await status(relay, memo).status == .delivered)
    }

    @Test(
        "later and unknown are tried again with the same bytes",
        arguments: [MailOutcome.tryLater("smtp.451"), .unknown("smtp.unanswered")]
    )
    func retries(outcome: MailOutcome) async throws {
        let relay = try open()
        let memo = try await accept(relay)
        let before = fixture.transport.mails.count
        fixture.transport.answer(outcome)
        async let drained: Void = fixture.deliver(relay)
        try await waitUntil { fixture.transport.mails.count >= before + 3 }
        #expect(try await status(relay, memo).status == .accepted)
        fixture.transport.answer(.accepted)
        try await drained
        let mails = fixture.transport.mails.dropFirst(before)
        #expect(Set(mails.map(\.message)).count == 1)
        #expect(try await status(relay, memo).status == .delivered)
    }

    @Test("a refused mail is kept as a dead letter, and its sender sees why")
    func refused() async throws {
        let relay = try open()
        let memo = try await accept(relay)
        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        let status = try await status(relay, memo)
        #expect(status == MemoStatus(id: "\(memo.id)", status: .bounced, reason: "smtp.550"))
        #expect(try relay.store.outbox.counts() == OutboxCounts(parked: 1))
    }

    @Test("a database whose trigger another build wrote follows the quarantine all the same")
    func oldTrigger() async throws {
        let former = try open()
        _ = try former.store.storage.write { database in
            try database.execute(
                """
                DROP TABLE schema_component;
                CREATE TRIGGER memo_quarantined AFTER UPDATE OF state ON outbox_operation
                WHEN NEW.state = 99 BEGIN SELECT 1; END;
                """
            )
        }
        let relay = try open()
        let memo = try await accept(relay)
        _ = try relay.store.storage.write { database in
            try database.run("UPDATE outbox_operation SET record = zeroblob(length(record))")
        }
        try await fixture.deliver(relay)
        #expect(try await status(relay, memo).status == .refused)
    }

    @Test("a mail that can no longer be read is not lost sight of: its sender sees it refused")
    func quarantined() async throws {
        let relay = try open()
        let damaged = try await accept(relay)
        _ = try relay.store.storage.write { database in
            try database.run("UPDATE outbox_operation SET record = zeroblob(length(record))")
        }
        let whole = OperationID.new()
        try await relay.application().test(.router) { client in
            _ = try await client.put(whole, MemoRequest(text: "x"), token: damaged.token)
        }
        try await fixture.deliver(relay)
        #expect(try relay.store.outbox.counts() == OutboxCounts(quarantined: 1))
        let status = try await status(relay, damaged)
        #expect(status.status == .refused)
        #expect(status.reason == "quarantine.record")
        #expect(try await self.status(relay, (whole, damaged.token)).status == .delivered)
    }

    @Test("every transition of a mail is logged at the default level, without text or address")
    func transitionsAreLogged() async throws {
        let relay = try open()
        let memo = try await accept(relay)
        fixture.transport.answer(.tryLater("smtp.451"))
        async let drained: Void = fixture.deliver(relay)
        try await waitUntil { fixture.log.lines.contains { $0["state"] == "waiting" } }
        fixture.transport.answer(.refused("smtp.550"))
        try await drained
        let lines = fixture.log.lines
        for (kind, states) in [
            ("mail", ["queued", "attempting", "waiting", "parked"]),
            ("mail.verification", ["queued", "attempting", "delivered"]),
        ] {
            let logged = lines.filter { $0.label == "outbox" && $0["kind"] == kind }
                .compactMap { $0["state"] }
            #expect(Set(logged) == Set(states) && logged.last == states.last)
        }
        for line in lines {
            let text = "\(line)"
            #expect(!text.contains("canary") && !text.contains("example.org"))
            #expect(!text.contains(memo.token))
        }
        let named = lines.filter { $0["memo"] != nil }
        #expect(named.contains { $0.message == "mail not delivered yet" })
        #expect(named.contains { $0["status"] == "bounced" && $0["reason"] == "smtp.550" })
        #expect(named.allSatisfy { $0["memo"] == "\(memo.id)" && $0["operation"] != $0["memo"] })
    }

    @Test("neither text nor address is stored in clear, before and after delivery")
    func nothingInClear() async throws {
        let relay = try open()
        _ = try await accept(relay, text: "canary text")
        for _ in 0..<2 {
            for bytes in try fixture.folder.allBytes() {
                let text = String(decoding: bytes, as: Unicode.ASCII.self)
                #expect(!text.contains("canary") && !text.contains("example.org"))
            }
            try await fixture.deliver(relay)
        }
        #expect(try relay.store.outbox.counts() == OutboxCounts())
    }

    @Test("a memo that a restored database has forgotten is mailed under the same Message-ID")
    func messageIDAfterRestore() async throws {
        let relay = try open()
        let memo = try await accept(relay)
        try await fixture.deliver(relay)
        _ = try relay.store.storage.write { try $0.execute("DELETE FROM memo") }
        try await relay.application().test(.router) { client in
            let again = MemoRequest(text: "canary text")
            let answer = try await client.put(memo.id, again, token: memo.token)
            #expect(answer.status == .accepted)
        }
        try await fixture.deliver(relay)
        #expect(Set(fixture.transport.mails.suffix(2).map(\.messageID)).count == 1)
    }

    /// A memo whose row takes no fate.
    private func acceptRefusingFate(
        _ relay: Relay<SQLiteRelayStore>
    ) async throws -> (id: OperationID, token: String) {
        let memo = try await accept(relay)
        _ = try relay.store.storage.write { database in
            try database.execute(
                """
                CREATE TRIGGER refuse BEFORE UPDATE OF status ON memo
                BEGIN SELECT RAISE(ABORT, 'refused'); END;
                """
            )
        }
        return memo
    }

    @Test(
        "a mail whose fate cannot be stored is sent once: only the storing is repeated",
        arguments: [MailOutcome.accepted, .refused("smtp.550")]
    )
    func fateNotStored(outcome: MailOutcome) async throws {
        let relay = try open()
        let memo = try await acceptRefusingFate(relay)
        let before = fixture.transport.mails.count
        fixture.transport.answer(outcome)
        async let drained: Void = fixture.deliver(relay)
        while fixture.log.lines.count(where: { $0["state"] == "outcome-not-stored" }) < 4,
            fixture.transport.mails.count < before + 2,
            try relay.store.outbox.counts().queued == 1
        {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await status(relay, memo).status == .accepted)
        #expect(try relay.store.outbox.counts() == OutboxCounts(queued: 1))
        _ = try relay.store.storage.write { try $0.execute("DROP TRIGGER refuse") }
        try await drained
        #expect(fixture.transport.mails.count == before + 1)
        let isDelivered = outcome == .accepted
        #expect(try await status(relay, memo).status == (isDelivered ? .delivered : .bounced))
        #expect(try relay.store.outbox.counts() == OutboxCounts(parked: isDelivered ? 0 : 1))
    }

    @Test("a mail whose fate can never be stored leaves the queue at the end of its lifetime")
    func fateNeverStored() async throws {
        let relay = try fixture.open {
            $0.mailPolicy.base = Milliseconds(10)
            $0.mailPolicy.cap = Milliseconds(40)
            $0.mailPolicy.lifetime = .seconds(1)
        }
        let memo = try await acceptRefusingFate(relay)
        let before = fixture.transport.mails.count
        async let drained: Void = fixture.deliver(relay)
        try await waitUntil {
            fixture.log.lines.contains { $0["state"] == "outcome-not-stored" }
        }
        fixture.clock.advance(.seconds(1))
        try await drained
        #expect(fixture.transport.mails.count == before + 1)
        #expect(try relay.store.outbox.counts() == OutboxCounts())
        #expect(try await status(relay, memo).status == .accepted)
        let lost = fixture.log.lines.filter {
            $0.message.contains("status of a finished mail lost")
        }
        #expect(lost.count == 1)
    }

    @Test("no two memos have one Message-ID, also those of one text")
    func messageIDs() async throws {
        let relay = try open()
        let token = try await fixture.token(relay)
        let before = fixture.transport.mails.count
        try await relay.application().test(.router) { client in
            for _ in 0..<3 {
                _ = try await client.put(.new(), MemoRequest(text: "same"), token: token)
            }
        }
        try await fixture.deliver(relay)
        #expect(Set(fixture.transport.mails.dropFirst(before).map(\.messageID)).count == 3)
    }
}
