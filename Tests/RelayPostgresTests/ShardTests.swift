import Outbox
import OutboxCore
import OutboxTesting
import PostgreSQLServer
import RelayAPI
import Testing
import Waiting

@testable import PostgreSQL
@testable import RelayPostgres
@testable import RelayRules
@testable import RelayServer
@testable import RelayTesting

/// The leases of shards. Relays look at them when a test says so, and never by themselves.
@Suite(
    "Shards of several relays",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct ShardTests {
    fileprivate typealias Conformance = RelayStoreConformance<PostgreSQLRelayStore>

    private let database: RelayDatabase
    private let keys = MemoryKeyStore(keys: [.random()])

    init() throws { database = try RelayDatabase() }

    /// A relay with the mails of memos that it hands out.
    private struct Relay {
        let store: PostgreSQLRelayStore
        var queue: PostgreSQLMailQueue { store.queues.memos.storage.base }
        var leases: ShardLeases? { queue.leases(of: .memos) }
        var shards: Int { leases?.shards.count ?? 0 }

        func due(_ inFlight: Set<OperationID> = []) throws -> [StoredEntry] {
            let now = OutboxClock.system.wallTime()
            return try queue.eligible(in: .memos, at: now, limit: 8, withoutRecordsOf: inFlight)
                .entries
        }
    }

    private func relay() async throws -> Relay {
        let times = LeaseTimes(pause: .seconds(3600))
        return Relay(store: try await database.store(keys: keys, leaseTimes: times))
    }

    /// The time of all leases is over.
    private func endLeases() throws {
        let connection = try database.connection()
        _ = try connection.run(Statement("UPDATE relay_shard SET expires = 1 WHERE expires > 1"))
        _ = try connection.run(Statement("UPDATE relay_drainer SET expires = 1"))
    }

    private func accept(_ numbers: Range<UInt64>, at relay: Relay) async throws -> AccountID {
        let device = try await Conformance.device(1, in: relay.store)
        for number in numbers {
            let memo = Conformance.memo(number, from: device)
            _ = try await relay.store.accept(memo, limits: MemoLimits())
        }
        return device.account
    }

    enum Outcome: CaseIterable { case done, tryAgain, park }

    /// When the stale relay's outcome comes.
    enum Moment: CaseIterable {
        case whileAnotherHasTheShard
        case afterAnotherHasTriedTheMail
        case afterTheShardCameBack
    }

    private func settlement(of mail: StoredEntry, as outcome: Outcome) throws -> Settlement {
        let envelope = try Envelope(decoding: mail.envelope)
        let transition: DeliveryMachine.Transition =
            switch outcome {
            case .done: .remove
            case .tryAgain: .reschedule(envelope)
            case .park: .park(envelope)
            }
        return Settlement(entry: mail.id, id: envelope.id, transition: transition)
    }

    /// What is stored of the memos in the queue.
    private func rows() throws -> [String] {
        try database.connection().run(
            Statement(
                """
                SELECT state, due, wait, status, change FROM outbox_operation
                JOIN memo ON memo.operation = outbox_operation.id
                """
            )
        ).map { row in
            "\(row.integer(0)) \(row.integer(1)) \(row.integer(2)) \(row.text(3)) \(row.integer(4))"
        }
    }

    @Test(
        "a relay that has lost its shards records no outcome",
        arguments: Outcome.allCases,
        Moment.allCases
    )
    func stale(outcome: Outcome, moment: Moment) async throws {
        let (slow, quick) = (try await relay(), try await relay())
        _ = try await accept(1..<2, at: slow)
        let claim = try #require(try slow.queue.claimDrain(of: .memos))
        let mail = try #require(try slow.due().first)
        let late = try settlement(of: mail, as: outcome)
        let inFlight = Set([late.id])
        try endLeases()
        let next = try #require(try quick.queue.claimDrain(of: .memos))
        #expect(quick.shards == 64)
        let again = try #require(try quick.due().first)
        #expect(again.id == mail.id)
        switch moment {
        case .whileAnotherHasTheShard: break
        case .afterAnotherHasTriedTheMail:
            #expect(try quick.queue.settle([settlement(of: again, as: .tryAgain)]) == [])
        case .afterTheShardCameBack:
            try endLeases()
            try slow.leases?.lookNow()
            #expect(slow.shards == 64)
            // It is handed out again, and its attempt is still the earlier one.
            #expect(try slow.due(inFlight).map(\.id) == [mail.id])
        }
        let before = try rows()
        #expect(try slow.queue.settle([late]) == [Unsettled(mail.id, .anothers)])
        #expect(try rows() == before)
        let owner = moment == .afterTheShardCameBack ? slow : quick
        let last = try #require(try owner.due().first)
        #expect(try owner.queue.settle([settlement(of: last, as: .done)]) == [])
        #expect(try rows().isEmpty)
        withExtendedLifetime((claim, next)) {}
    }

    @Test("outcomes that are recorded together are an account's latest changes, in their order")
    func together() async throws {
        let one = try await relay()
        _ = try await accept(1..<3, at: one)
        let claim = try #require(try one.queue.claimDrain(of: .memos))
        let mails = try one.due()
        try #require(mails.count == 2)
        let latest = try #require(try changes(of: mails).max())
        var bounced = try Envelope(decoding: mails[1].envelope)
        bounced.lastError = "smtp.550"
        let outcomes = [
            Settlement(entry: mails[1].id, id: bounced.id, transition: .park(bounced)),
            try settlement(of: mails[0], as: .done),
        ]
        #expect(try one.queue.settle(outcomes) == [])
        #expect(try changes(of: mails) == [latest + 2, latest + 1])
        let fates = try database.connection().run(
            Statement("SELECT status, coalesce(reason, '-') FROM memo ORDER BY change")
        ).map { "\($0.text(0)) \($0.text(1))" }
        #expect(fates == ["bounced smtp.550", "delivered -"])
        let letters = try database.connection().run(Statement("SELECT entry FROM dead_letter"))
        #expect(letters.map { $0.entry(0) } == [mails[1].id])
        withExtendedLifetime(claim) {}
    }

    /// The number of each mail's memo.
    private func changes(of mails: [StoredEntry]) throws -> [Int64] {
        let connection = try database.connection()
        return try mails.map { mail in
            let id = try Envelope(decoding: mail.envelope).id
            return try #require(
                try connection.run(
                    Statement("SELECT change FROM memo WHERE operation = $1", [.id(id)])
                ).first
            ).integer(0)
        }
    }

    @Test("a relay that has lost its shards quarantines nothing")
    func staleQuarantine() async throws {
        let (slow, quick) = (try await relay(), try await relay())
        _ = try await accept(1..<2, at: slow)
        let claim = try #require(try slow.queue.claimDrain(of: .memos))
        let mail = try #require(try slow.due().first)
        try endLeases()
        let next = try #require(try quick.queue.claimDrain(of: .memos))
        let before = try rows()
        try slow.queue.quarantine(mail.id, reason: .unknownKey, as: nil)
        #expect(try rows() == before)
        try quick.queue.quarantine(mail.id, reason: .unknownKey, as: nil)
        #expect(try rows().map { $0.prefix(1) } == ["2"])
        withExtendedLifetime((claim, next)) {}
    }

    @Test("a shard is not taken while an outcome under its epoch is being recorded")
    func fence() async throws {
        let (slow, quick) = (try await relay(), try await relay())
        let account = try await accept(1..<2, at: slow)
        let claim = try #require(try slow.queue.claimDrain(of: .memos))
        let mail = try #require(try slow.due().first)
        try endLeases()
        let shard = MailShard.shard(of: account)
        let stopped = try database.connection()
        let late = try settlement(of: mail, as: .done)
        let leases = try #require(slow.leases)
        let fence = leases.statement(of: leases.fence(of: [late.id]))
        _ = try stopped.run(Statement("BEGIN"))
        #expect(try stopped.run(fence).map { $0.count(0) } == [shard])
        let taking = Task.detached { try quick.queue.claimDrain(of: .memos) }
        let watcher = try database.connection()
        try await waitUntil {
            try watcher.run(Statement("SELECT 1 FROM pg_locks WHERE NOT granted")).count > 0
        }
        _ = try stopped.run(.settling([late], as: .removal))
        _ = try stopped.run(Statement("COMMIT"))
        let next = try await taking.value
        #expect(quick.shards == 64)
        #expect(try quick.due().isEmpty)
        withExtendedLifetime((claim, next)) {}
    }

    @Test("a statement that gives a shard back, performed late, does nothing under a newer epoch")
    func late() async throws {
        let one = try await relay()
        let claim = try #require(try one.queue.claimDrain(of: .memos))
        let connection = try database.connection()
        let rows = try connection.run(
            Statement("SELECT holder, epoch FROM relay_shard WHERE shard = 7")
        )
        let row = try #require(rows.first)
        let (holder, epoch) = (LeaseHolder(row.bytes(0)), row.integer(1))
        func returned(_ epoch: Int64) throws -> Int {
            try connection.run(.giveBack([ShardClaim(shard: 7, epoch: epoch)], holder)).changed
        }
        #expect(try returned(epoch - 1) == 0)
        #expect(try returned(epoch) == 1)
        withExtendedLifetime(claim) {}
    }

    @Test("an epoch only grows, whoever takes the shard, also after it was given back")
    func epochs() async throws {
        func epochs() throws -> Set<Int64> {
            Set(
                try database.connection().run(
                    Statement("SELECT epoch FROM relay_shard WHERE shard < 64")
                ).map { $0.integer(0) }
            )
        }
        let (one, other) = (try await relay(), try await relay())
        for epoch in [Int64(1), 3, 5] {
            var claim = try one.queue.claimDrain(of: .memos)
            #expect(try epochs() == [epoch])
            try endLeases()
            let next = try other.queue.claimDrain(of: .memos)
            #expect(try epochs() == [epoch + 1])
            claim = nil
            withExtendedLifetime((claim, next)) {}
        }
    }

    @Test("three relays share 64 shards evenly; one goes, and one comes")
    func shares() async throws {
        let relays = [try await relay(), try await relay(), try await relay()]
        var claims: [(any DrainClaim)?] = [nil, nil, nil]
        func settle() throws -> [Int] {
            for _ in 0..<2 {
                for relay in relays { try relay.leases?.lookNow() }
            }
            return relays.map(\.shards).sorted()
        }
        claims[0] = try relays[0].queue.claimDrain(of: .memos)
        #expect(try settle() == [0, 0, 64])
        claims[1] = try relays[1].queue.claimDrain(of: .memos)
        #expect(try settle() == [0, 32, 32])
        claims[2] = try relays[2].queue.claimDrain(of: .memos)
        #expect(try settle() == [21, 21, 22])
        let statistics = try await PostgreSQLOperators(database.pool(), keys: keys)
            .statistics(at: OutboxClock.system.wallTime())
        // All of them are in this process.
        #expect(statistics.relays?.map(\.shards) == [Array(0..<64)])
        #expect(relays.compactMap(\.store.ownShards).sorted() == [21, 21, 22])
        claims[0] = nil
        // The next claim comes behind what is given back.
        claims[0] = try relays[0].queue.claimDrain(of: .memos)
        #expect(try settle() == [21, 21, 22])
        claims[1] = nil
        try await waitUntil { try settle() == [0, 32, 32] }
        withExtendedLifetime(claims) {}
    }

    @Test(
        "a shard is given back when its mails are not in flight any more, and none is handed out twice"
    )
    func inFlight() async throws {
        let (one, other) = (try await relay(), try await relay())
        let account = try await accept(1..<3, at: one)
        let claim = try #require(try one.queue.claimDrain(of: .memos))
        let mails = try one.due()
        #expect(mails.count == 2)
        let shard = MailShard.shard(of: account)
        // Until it is the other's turn to have the shard.
        var next: (any DrainClaim)?
        repeat {
            next = nil
            try await waitUntil {
                try one.leases?.lookNow()
                return one.shards == 64
            }
            next = try other.queue.claimDrain(of: .memos)
            try one.leases?.lookNow()
            try other.leases?.lookNow()
        } while one.leases?.returning.contains(shard) != true
        #expect(other.shards == 31)
        #expect(try one.due(Set(mails.compactMap(\.operationID))).isEmpty)
        #expect(try other.due().isEmpty)
        #expect(try one.queue.settle([settlement(of: mails[0], as: .done)]) == [])
        try one.leases?.lookNow()
        try other.leases?.lookNow()
        #expect(try other.due().isEmpty)
        #expect(try one.queue.settle([settlement(of: mails[1], as: .tryAgain)]) == [])
        try one.leases?.lookNow()
        try other.leases?.lookNow()
        #expect(other.shards == 32)
        #expect(try other.due().map(\.id) == [mails[1].id])
        withExtendedLifetime((claim, next)) {}
    }

    @Test("the shard of the codes is given back although a code that was found is not attempted")
    func unattempted() async throws {
        let (one, other) = (try await relay(), try await relay())
        _ = try await Conformance.device(1, in: one.store)
        let claim = try #require(try one.queue.claimDrain(of: .codes))
        let leases = try #require(one.queue.leases(of: .codes))
        func due() throws -> Int {
            let now = OutboxClock.system.wallTime()
            return try one.queue.eligible(
                in: .codes,
                at: now,
                limit: 8,
                withoutRecordsOf: []
            ).entries.count
        }
        #expect(try due() > 0)
        // Until it is the other's turn to have the shard.
        var next: (any DrainClaim)?
        repeat {
            next = nil
            other.queue.finishReturns()
            next = try other.queue.claimDrain(of: .codes)
            try leases.lookNow()
        } while leases.returning.isEmpty
        #expect(try due() == 0)
        try leases.lookNow()
        try other.queue.leases(of: .codes)?.lookNow()
        #expect(leases.shards.isEmpty)
        #expect(other.queue.leases(of: .codes)?.shards.count == 1)
        withExtendedLifetime((claim, next)) {}
    }

    @Test("a relay drains again when the drain before has ended, however late its leases go")
    func again() async throws {
        let one = try await relay()
        var claim = try one.queue.claimDrain(of: .memos)
        let delivery = Task { try await one.store.deliver([:]) }
        // It finds the leases of the other drain.
        try await Task.sleep(for: .milliseconds(300))
        withExtendedLifetime(claim) {}
        claim = nil
        #expect(one.shards == 0)
        try await waitUntil { one.shards == 64 }
        delivery.cancel()
        _ = try? await delivery.value
    }

    @Test("a mail that was queued out of order is found by the next search from the beginning")
    func outOfOrder() async throws {
        let one = try await relay()
        _ = try await accept(1..<2, at: one)
        let claim = try #require(try one.queue.claimDrain(of: .memos))
        #expect(try one.due().count == 1)
        _ = try database.connection().run(
            Statement(
                """
                INSERT INTO outbox_operation(id, state, due, wait, envelope, record)
                SELECT $1, 0, 0, 0, envelope, record FROM outbox_operation
                JOIN memo ON memo.operation = outbox_operation.id
                """,
                [.bytes([1] + [UInt8](repeating: 0, count: 14) + [1])]
            )
        )
        #expect(try one.due().count == 1)
        try await waitUntil { try one.due().count == 2 }
        withExtendedLifetime(claim) {}
    }

    @Test("while a relay of a build without shards drains, relays with shards hand nothing over")
    func earlierBuild() async throws {
        let one = try await relay()
        _ = try await accept(1..<2, at: one)
        let claim = try #require(try one.queue.claimDrain(of: .memos))
        let mail = try #require(try one.due().first)
        let earlier = try database.connection()
        // As that relay claims, once when the lease has time left, and once when it has not.
        func take() throws -> Int {
            try earlier.run(
                Statement(
                    """
                    INSERT INTO relay_drain(part, holder, epoch, expires) VALUES (1, $1, 1, $2)
                    ON CONFLICT (part) DO UPDATE SET holder = excluded.holder,
                        epoch = relay_drain.epoch + 1, expires = excluded.expires
                    WHERE relay_drain.expires <= CAST(extract(epoch FROM now()) * 1000 AS bigint)
                    """,
                    [.bytes([1]), .integer(.max)]
                )
            ).changed
        }
        #expect(try take() == 0)
        _ = try earlier.run(Statement("UPDATE relay_drain SET expires = 1 WHERE part = 1"))
        #expect(try take() == 1)
        let late = try settlement(of: mail, as: .done)
        #expect(try one.queue.settle([late]) == [Unsettled(mail.id, .anothers)])
        try one.leases?.lookNow(renewing: true)
        #expect(try one.due().isEmpty)
        // That relay ends.
        _ = try earlier.run(Statement("UPDATE relay_drain SET expires = 0 WHERE part = 1"))
        try one.leases?.lookNow(renewing: true)
        #expect(try one.queue.settle([late]) == [Unsettled(mail.id, .anothers)])
        #expect(try one.due().map(\.id) == [mail.id])
        // What a build without shards queues is in the first one.
        _ = try earlier.run(Statement("UPDATE outbox_operation SET shard = DEFAULT"))
        #expect(try one.due().map(\.id) == [mail.id])
        withExtendedLifetime(claim) {}
    }
}
