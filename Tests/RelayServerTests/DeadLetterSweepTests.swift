import Foundation
import HTTPTypes
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

@Suite("The sweep of dead letters")
struct DeadLetterSweepTests {
    private static let month: Milliseconds = .seconds(31 * 86_400)
    private let fixture: RelayFixture

    init() throws {
        fixture = try RelayFixture()
    }

    /// A relay as after a kill: only what is stored is left of an earlier one.
    private func open(lifetime: Milliseconds) throws -> Relay<SQLiteRelayStore> {
        try fixture.open { $0.deadLetterLifetime = lifetime }
    }

    private func accept(_ relay: Relay<SQLiteRelayStore>) async throws -> (OperationID, String) {
        let token = try await fixture.token(relay)
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            let answer = try await client.put(id, MemoRequest(text: "x"), token: token)
            #expect(answer.status == .accepted)
        }
        return (id, token)
    }

    private func sweeper(
        _ relay: Relay<SQLiteRelayStore>,
        after span: Milliseconds
    ) -> RelaySweeper<SQLiteRelayStore> {
        RelaySweeper(
            store: relay.store,
            age: RunningAge(lifetime: relay.configuration.deadLetterLifetime),
            room: { nil },
            monotonic: { span },
            clock: relay.clock,
            logger: relay.logger
        )
    }

    /// Sweeps after the relay has run for a while.
    private func sweep(_ relay: Relay<SQLiteRelayStore>, after span: Milliseconds) async {
        let sweeper = sweeper(relay, after: span)
        #expect(await sweeper.sweep(since: Milliseconds(0)) == span)
        #expect(await sweeper.retryQuarantined(after: nil) == nil)
    }

    private func status(
        _ id: OperationID,
        _ relay: Relay<SQLiteRelayStore>,
        token: String
    ) async throws -> MemoStatus {
        try await relay.application().test(.router) { client in
            try await client.send(RelayPath.memo(id), method: .get, token: token)
                .decoded(MemoStatus.self)
        }
    }

    @Test("hands a mail over that was quarantined for want of a key, once the key is back")
    func keyBack() async throws {
        var relay = try open(lifetime: Self.month)
        let token = try await fixture.token(relay)
        let key = URL(filePath: fixture.folder.file("key"))
        func put(_ keys: Data) throws {
            try keys.write(to: key)
            try #require(chmod(key.path(), 0o600) == 0)
        }
        let first = try Data(contentsOf: key)
        _ = try FileKeyStore(path: key.path()).addKey()
        let both = try Data(contentsOf: key)
        relay = try open(lifetime: Self.month)
        let id = OperationID.new()
        try await relay.application().test(.router) { client in
            let answer = try await client.put(id, MemoRequest(text: "sealed"), token: token)
            #expect(answer.status == .accepted)
        }
        try put(first)
        relay = try open(lifetime: Self.month)
        // As other builds do: a drain of this one lets such a mail wait.
        let mail = try #require(
            try relay.store.storage.entries(in: .queued, after: nil, limit: 9)
                .first { $0.operationID.map { MailPart.memos.contains($0) } ?? false }
        )
        try relay.store.outbox.storage.quarantine(mail.id, reason: .unknownKey, as: nil)
        let lost = MemoStatus(id: "\(id)", status: .refused, reason: "quarantine.unknown-key")
        for _ in 1...2 {
            #expect(try relay.store.outbox.counts() == OutboxCounts(quarantined: 1))
            #expect(try await status(id, relay, token: token) == lost)
            await sweep(relay, after: .seconds(600))
        }
        try put(both)
        await sweep(relay, after: .seconds(600))
        #expect(try relay.store.outbox.counts() == OutboxCounts(queued: 1))
        #expect(try await status(id, relay, token: token).status == .accepted)
        for _ in 1...2 { try await fixture.deliver(relay) }
        #expect(try await status(id, relay, token: token).status == .delivered)
        let texts = try fixture.transport.mails.map { try DecodedMail($0.message).text }
        #expect(texts.filter { $0.hasPrefix("sealed") }.count == 1)
        #expect(try await relay.store.queueFigures().dead == 0)
    }

    @Test("discards nothing while the clock is a month ahead, though relays start and are killed")
    func clockAhead() async throws {
        let lifetime: Milliseconds = .seconds(3600)
        let relay = try open(lifetime: lifetime)
        _ = try await accept(relay)
        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        fixture.clock.advance(Self.month)
        for _ in 1...3 {
            let again = try open(lifetime: lifetime)
            await sweep(again, after: Milliseconds(0))
            #expect(try again.store.outbox.counts() == OutboxCounts(parked: 1))
            fixture.clock.advance(Self.month)
            await sweep(again, after: .seconds(600))
            #expect(try again.store.outbox.counts() == OutboxCounts(parked: 1))
        }
    }

    @Test("discards a letter once relays have run for its lifetime; its sender still sees why")
    func old() async throws {
        let lifetime: Milliseconds = .seconds(1800)
        let relay = try open(lifetime: lifetime)
        let (id, token) = try await accept(relay)
        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        await sweep(relay, after: Milliseconds(0))
        // Each relay is killed after ten minutes. The clock goes back meanwhile.
        for round in 1...3 {
            fixture.clock.advance(.seconds(-86_400))
            let again = try open(lifetime: lifetime)
            await sweep(again, after: .seconds(600))
            #expect(try again.store.outbox.counts().parked == (round < 3 ? 1 : 0))
        }
        try await relay.application().test(.router) { client in
            let status = try await client.send(RelayPath.memo(id), method: .get, token: token)
                .decoded(MemoStatus.self)
            #expect(status == MemoStatus(id: "\(id)", status: .bounced, reason: "smtp.550"))
        }
    }

    @Test("discards a mail that cannot be read after the same time")
    func quarantined() async throws {
        let relay = try open(lifetime: .seconds(600))
        _ = try await accept(relay)
        _ = try relay.store.storage.write { database in
            try database.run("UPDATE outbox_operation SET record = zeroblob(length(record))")
        }
        try await fixture.deliver(relay)
        #expect(try relay.store.outbox.counts() == OutboxCounts(quarantined: 1))
        await sweep(relay, after: Milliseconds(0))
        #expect(try relay.store.outbox.counts() == OutboxCounts(quarantined: 1))
        await sweep(relay, after: .seconds(600))
        #expect(try relay.store.outbox.counts() == OutboxCounts())
    }

    @Test("makes room with the relay's service")
    func serviceMakesRoom() async throws {
        let relay = try fixture.open {
            $0.deadLetterLifetime = Self.month
            // A disk whose quarter is nothing.
            $0.space = { _ in DiskReserve.Space(free: 3, total: 3) }
        }
        _ = try await accept(relay)
        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        #expect(try relay.store.outbox.counts() == OutboxCounts(parked: 1))
        let service = Task { try await relay.queue(delivering: fixture.transport).run() }
        try await waitUntil { try relay.store.outbox.counts().parked == 0 }
        service.cancel()
        _ = await service.result
    }

    @Test("begins with the relay's service")
    func service() async throws {
        let relay = try open(lifetime: Milliseconds(0))
        _ = try await accept(relay)
        fixture.transport.answer(.refused("smtp.550"))
        try await fixture.deliver(relay)
        let service = Task { try await relay.queue(delivering: fixture.transport).run() }
        try await waitUntil { try relay.store.outbox.counts().parked == 0 }
        service.cancel()
        _ = await service.result
    }
}
