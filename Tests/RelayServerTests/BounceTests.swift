import Outbox
import OutboxCore
import OutboxSQLite
import RelayAPI
import SQLite
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

@Suite("A bounce", .timeLimit(.minutes(60)))
struct BounceTests {
    private let fixture: RelayFixture
    private static let failed = "Action: failed\nStatus: 5.1.1"

    init() throws {
        fixture = try RelayFixture()
    }

    private func relay() throws -> Relay<SQLiteRelayStore> {
        try fixture.open { configuration in
            configuration.mail = .smtp(
                MailServer(host: "127.0.0.1", port: 25, security: .opportunistic)
            )
            configuration.bounceMailbox = MailAddress("bounce@relay.example")
        }
    }

    /// Sends a memo, whose mail the mail server answers with `outcome`.
    private func send(
        _ relay: Relay<SQLiteRelayStore>,
        outcome: MailOutcome = .accepted
    ) async throws -> (id: OperationID, token: String, sender: String) {
        let token = try await fixture.token(relay)
        fixture.transport.answer(outcome)
        let id = OperationID.random(at: fixture.clock.now)
        try await relay.application().test(.router) { client in
            _ = try await client.put(id, MemoRequest(text: "canary"), token: token)
        }
        try await fixture.deliver(relay)
        return (id, token, try #require(fixture.transport.mails.last).sender)
    }

    private func record(
        _ mail: [UInt8],
        _ recipients: String...
    ) async throws -> BounceResult {
        let bounce = BounceMail(mail, to: recipients.map { Array($0.utf8) })
        return try await bounce.record(at: fixture.clock.now) {
            () throws(OperatorError) in try OperatorDatabase(folder: fixture.folder.path)
        }
    }

    /// Number, status and reason of the memo's latest change.
    private func change(_ relay: Relay<SQLiteRelayStore>) throws -> [String] {
        try relay.store.storage.read { database in
            try database.query("SELECT change, status, reason FROM memo") { row in
                "\(row.integer(0)) \(row.text(1)) \(row.optionalText(2) ?? "-")"
            }
        }
    }

    @Test("of a delivered memo is recorded once, as a change that its devices are told")
    func once() async throws {
        let relay = try relay()
        let memo = try await send(relay)
        #expect(try change(relay) == ["3 delivered -"])
        let mail = DeliveryReportTests.report(Self.failed)
        #expect(try await record(mail, memo.sender) == .bounced)
        #expect(try change(relay) == ["4 bounced dsn.5.1.1"])
        #expect(try await record(mail, memo.sender) == .settledBefore)
        let other = DeliveryReportTests.report("Action: failed\nStatus: 5.2.2", to: memo.sender)
        #expect(try await record(other) == .settledBefore)
        #expect(try change(relay) == ["4 bounced dsn.5.1.1"])
    }

    @Test("that tells that the mail server has given up trying makes the memo expired")
    func expired() async throws {
        let relay = try relay()
        let memo = try await send(relay)
        let mail = DeliveryReportTests.report("Action: failed\nStatus: 4.4.7")
        #expect(try await record(mail, memo.sender) == .expired)
        #expect(try change(relay) == ["4 expired dsn.4.4.7"])
        #expect(
            try await record(DeliveryReportTests.report(Self.failed), memo.sender) == .settledBefore
        )
    }

    @Test("is found by the address in its header, in either case, and not by a made one")
    func address() async throws {
        let relay = try relay()
        let memo = try await send(relay)
        let tag = try #require(memo.sender.split(separator: "+").last?.split(separator: "@").first)
        #expect(memo.sender == "bounce+\(tag)@relay.example" && tag.count == 42)
        for place in tag.indices {
            var forged = tag
            let digit: Character = tag[place] == "a" ? "b" : "a"
            forged.replaceSubrange(place...place, with: [digit])
            let mail = DeliveryReportTests.report(Self.failed, to: "bounce+\(forged)@relay.example")
            #expect(try await record(mail, "bounce+\(forged)", "\(tag)", "+", "") == .noMemo)
        }
        #expect(try change(relay) == ["3 delivered -"])
        let mail = DeliveryReportTests.report(Self.failed, to: "<\(memo.sender.uppercased())>")
        #expect(try await record(mail, "postmaster@relay.example") == .bounced)
    }

    @Test("that can be of no memo opens no database")
    func spam() async throws {
        let failed = DeliveryReportTests.report(Self.failed)
        let delayed = DeliveryReportTests.report("Action: delayed\nStatus: 4.4.1")
        let nowhere = fixture.folder.path + "/nowhere"
        func record(_ mail: [UInt8], _ recipient: String) async throws -> BounceResult {
            let bounce = BounceMail(mail, to: [Array(recipient.utf8)])
            return try await bounce.record(at: fixture.clock.now) {
                () throws(OperatorError) in try OperatorDatabase(folder: nowhere)
            }
        }
        let tag = RelaySecret(bytes: [UInt8](repeating: 7, count: 32))
            .bounceTag(of: OperationID.random(at: fixture.clock.now))
        let address = "bounce+\(tag)@relay.example"
        #expect(try await record(Array("Subject: buy\r\n\r\n".utf8), address) == .noReport)
        #expect(try await record(delayed, address) == .notFinal)
        #expect(try await record(failed, "bounce@relay.example") == .noMemo)
        await #expect(throws: OperatorError.noDatabase) { try await record(failed, address) }
    }

    @Test("beside a running relay leaves the relay's log as long as it is")
    func log() async throws {
        let relay = try relay()
        let memo = try await send(relay)
        func length() throws -> Int { try fixture.folder.bytes(of: "relay.sqlite-wal").count }
        // Longer than a log that a connection empties when it opens.
        try relay.store.storage.write { database in
            try database.execute("CREATE TABLE padding(bytes BLOB)")
            for _ in 0..<10 {
                try database.run(
                    "INSERT INTO padding(bytes) VALUES(?)",
                    .blob([UInt8](repeating: 1, count: 100_000))
                )
            }
        }
        let before = try length()
        #expect(before > 256 * 1024)
        #expect(try await record(DeliveryReportTests.report(Self.failed), memo.sender) == .bounced)
        _ = try OperatorDatabase(folder: fixture.folder.path).deadLetters()
        #expect(try length() >= before)
    }

    @Test("that comes before the relay has stored the delivery has to come again")
    func undecided() async throws {
        let relay = try relay()
        let token = try await fixture.token(relay)
        let id = OperationID.random(at: fixture.clock.now)
        try await relay.application().test(.router) { client in
            _ = try await client.put(id, MemoRequest(text: "canary"), token: token)
        }
        let operation = try relay.store.storage.read { database in
            try database.first("SELECT operation FROM memo") { try OperationID(column: $0.blob(0)) }
        }
        let tag = relay.secret.bounceTag(of: try #require(operation))
        let mail = DeliveryReportTests.report(Self.failed)
        #expect(try await record(mail, "bounce+\(tag)@relay.example") == .undecided)
        #expect(try change(relay) == ["2 accepted -"])
    }

    @Test("that is not final, or no report, changes nothing")
    func notFinal() async throws {
        let relay = try relay()
        let memo = try await send(relay)
        let delayed = DeliveryReportTests.report("Action: delayed\nStatus: 4.4.1")
        #expect(try await record(delayed, memo.sender) == .notFinal)
        #expect(try await record(Array("Subject: away\r\n\r\n".utf8), memo.sender) == .noReport)
        #expect(try change(relay) == ["3 delivered -"])
    }

    @Test("of a memo that the mail server had refused leaves the memo's status")
    func refused() async throws {
        let relay = try relay()
        let memo = try await send(relay, outcome: .refused("smtp.550"))
        #expect(
            try await record(DeliveryReportTests.report(Self.failed), memo.sender) == .settledBefore
        )
        #expect(try change(relay) == ["3 bounced smtp.550"])
    }

    @Test("has an address only for memos, and only where the relay is told one")
    func envelope() async throws {
        _ = try await send(try relay())
        let codes = fixture.transport.mails.dropLast().map(\.sender)
        #expect(Set(codes) == ["memo@relay.example"])
        let longest = String(repeating: "b", count: ReturnPath.longestMailbox) + "@relay.example"
        let path = ReturnPath(
            mailbox: try #require(MailAddress(longest)),
            secret: RelaySecret(bytes: [UInt8](repeating: 7, count: 32))
        )
        let mail = try #require(fixture.transport.mails.last)
        let addressed = path.addressed(mail, of: OperationID(high: .max, low: .max))
        #expect(MailAddress(addressed.sender)?.localPart.utf8.count == 64)
        #expect(addressed.message == mail.message && addressed.recipient == mail.recipient)
        let plain = try fixture.open()
        _ = try await send(plain)
        #expect(fixture.transport.mails.last?.sender == "memo@relay.example")
    }
}
