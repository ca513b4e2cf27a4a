import Foundation
import Outbox
import OutboxCore
import OutboxTesting
import PostgreSQLServer
import RelayRules
import Testing

@testable import PostgreSQL
@testable import RelayPostgres
@testable import RelayServer
@testable import RelayTesting

/// How long a relay needs to take the shards of another and to find the first mails in them, when many mails
/// wait. `scripts/bench claim` measures it, and a test shows that it works with a few.
@Suite("Claims over long queues", .enabled(if: PostgreSQLServer.isThere), .timeLimit(.minutes(20)))
struct ClaimTimeTests {
    private static let mails =
        ProcessInfo.processInfo.environment["MEMO_CLAIM_MAILS"].flatMap { Int($0) }

    /// Adds due mails, in all shards: half of them new, half of them tried before.
    private func add(_ numbers: Range<Int>, to database: RelayDatabase) throws {
        let connection = try database.connection()
        _ = try connection.run(
            Statement(
                """
                INSERT INTO outbox_operation(id, state, due, wait, envelope, record, shard)
                SELECT int8send($3 + number) || int8send(number), 0, number % 2 * number, 0,
                    int8send(number), decode(repeat('00', 1024), 'hex'), number / 2 % 64
                FROM generate_series(CAST($1 AS bigint), CAST($2 AS bigint)) AS numbers(number)
                """,
                [
                    .count(numbers.lowerBound), .count(numbers.upperBound - 1),
                    // Of 2026.
                    .integer(1_780_000_000_000 << 16),
                ]
            )
        )
        _ = try connection.run(Statement("VACUUM ANALYZE outbox_operation"))
    }

    /// The median time of a claim of all shards, the first look at their mails, and the end of the claim.
    private func time(_ rounds: Int, of queue: PostgreSQLMailQueue) throws -> Duration {
        var taken: [Duration] = []
        for _ in 0..<rounds {
            let begun = ContinuousClock.now
            var claim = try queue.claimDrain(of: .memos)
            let now = OutboxClock.system.wallTime()
            let found = try queue.eligible(in: .memos, at: now, limit: 48, withoutRecordsOf: [])
            taken.append(.now - begun)
            #expect(found.entries.count == 48)
            withExtendedLifetime(claim) {}
            claim = nil
            queue.finishReturns()
        }
        return taken.sorted()[rounds / 2]
    }

    @Test("a claim over a million mails takes as long as one over a thousand")
    func growth() async throws {
        let database = try RelayDatabase()
        let times = LeaseTimes(pause: .seconds(3600))
        let queue = try await database.store(leaseTimes: times).queues.memos.storage.base
        let rounds = Self.mails == nil ? 3 : 101
        try add(1..<1_001, to: database)
        let few = try time(rounds, of: queue)
        let mails = Self.mails ?? 2_000
        try add(1_001..<mails + 1, to: database)
        let many = try time(rounds, of: queue)
        guard Self.mails != nil else { return }
        print("  a claim and a look over 1,000 mails \(few), over \(mails) \(many)")
        print("relay.claim_1m_vs_1k: \(String(format: "%.2f", many / few)) x")
    }
}
