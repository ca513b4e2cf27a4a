import Foundation
import Hummingbird
import MemoCore
import Outbox
import OutboxCore
import RelayAPI
import TemporaryFolders
import Testing

@testable import RelayRules
@testable import RelaySQLite
@testable import RelayServer

/// Opens the data folder of a relay of 24 November 2026, which numbered no component of its database.
///
/// `person@inbox.example` has the devices "first" and "second", the second one signed out, and these
/// memos of the first one; `other@inbox.example` has the device "third" and one delivered memo.
///
/// | memo | text | status |
/// |---|---|---|
/// | 1 | `delivered` | delivered |
/// | 2 | `refused` | bounced, smtp.550: a dead letter |
/// | 3 | `waits` | accepted: its mail waits after an answer 451 |
@Suite("The data folder of a former relay", .timeLimit(.minutes(60)))
struct GoldenRelayTests {
    private let fixture: RelayFixture
    private let first = "Bv9EzvH2JJKGDIsRR-AzX8hQ0I9qZkr4CM8PFBRPoxw"
    private let second = "YVOYXnxv6lpnLBJJuDbdmftl-YQH4lcm88bHaiJ2tB8"

    init() throws {
        fixture = try RelayFixture()
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        for (name, file) in [("sqlite", "relay.sqlite"), ("key", "key")] {
            let path = fixture.folder.file(file)
            try FileManager.default.copyItem(
                at: golden.appending(path: "without-numbers.\(name)"),
                to: URL(filePath: path)
            )
            try #require(chmod(path, 0o600) == 0)
        }
    }

    private func identifier(_ number: UInt64) -> OperationID {
        OperationID(high: 0x0193_A000_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    private func status(
        _ number: UInt64,
        _ client: ApplicationClient
    ) async throws -> MemoStatus {
        try await client.send(RelayPath.memo(identifier(number)), method: .get, token: first)
            .decoded(MemoStatus.self)
    }

    @Test("keeps devices, sign-ins and statuses, and recognises a memo that is sent again")
    func kept() async throws {
        let relay = try fixture.open()
        try await relay.application().test(.router) { client in
            let answer = try await client.send(RelayPath.devices, method: .get, token: first)
            let devices = try answer.decoded(DeviceList.self).devices
            #expect(devices.map(\.name) == ["first"])
            let revoked = try await client.send(RelayPath.devices, method: .get, token: second)
            #expect(revoked.status == .unauthorized)
            #expect(try await status(1, client).status == .delivered)
            #expect(try await status(2, client).reason == "smtp.550")
            #expect(try await status(3, client).status == .accepted)
            for (number, text) in [(1, "delivered"), (2, "refused"), (3, "waits")] {
                let id = identifier(UInt64(number))
                let again = MemoRequest(text: text)
                #expect(try await client.put(id, again, token: first).status == .accepted)
                let other = MemoRequest(text: "other")
                #expect(try await client.put(id, other, token: first).status.code == 422)
            }
        }
        #expect(try relay.store.outbox.counts() == OutboxCounts(queued: 1, parked: 1))
    }

    @Test("finds the account of an address again")
    func account() async throws {
        let relay = try fixture.open()
        let token = try await fixture.token(relay, address: "person@inbox.example")
        try await relay.application().test(.router) { client in
            let answer = try await client.send(RelayPath.devices, method: .get, token: token)
            #expect(try answer.decoded(DeviceList.self).devices.count == 2)
        }
    }

    @Test("hands over the mail that waited, once")
    func waiting() async throws {
        let relay = try fixture.open()
        fixture.clock.advance(.seconds(86_400))
        try await fixture.deliver(relay)
        try await fixture.deliver(relay)
        let mails = fixture.transport.mails
        #expect(mails.count == 1)
        #expect(try DecodedMail(try #require(mails.first).message).text.contains("waits"))
        #expect(mails.first?.recipient == "person@inbox.example")
        try await relay.application().test(.router) { client in
            let delivered = try await status(3, client)
            #expect(delivered.status == .delivered)
        }
    }

    @Test("lists the dead letter, and discards it by its age or for its room")
    func deadLetter() async throws {
        let relay = try fixture.open()
        let operators = try OperatorDatabase(folder: fixture.folder.path)
        let letter = try #require(try operators.deadLetters().first)
        #expect(letter.memo == identifier(2) && letter.reason == "smtp.550")
        #expect(letter.domain == "inbox.example")
        let fits = DeadLetterRoom(allowance: letter.bytes)
        #expect(try await relay.store.discardDeadLetters(toFit: fits) == 0)
        let age = RunningAge(lifetime: .seconds(60))
        #expect(try await relay.store.ageDeadLetters(age, after: .seconds(59)).discarded == 0)
        #expect(try await relay.store.ageDeadLetters(age, after: .seconds(59)).discarded == 0)
        let tight = DeadLetterRoom(allowance: letter.bytes - 1)
        #expect(try await relay.store.discardDeadLetters(toFit: tight) == 1)
        #expect(try operators.deadLetters().isEmpty)
    }
}
