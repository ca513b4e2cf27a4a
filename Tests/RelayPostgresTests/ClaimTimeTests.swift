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

    /// A database with due mails in all shards, half of them new, half of them tried before.
    private struct Queue {
        let database: RelayDatabase
        let mails: PostgreSQLMailQueue
        private var taken: [Duration] = []

        init(of count: Int) async throws {
            database = try RelayDatabase()
            let times = LeaseTimes(pause: .seconds(3600))
            mails = try await database.store(leaseTimes: times).queues.memos.storage.base
            let connection = try database.connection()
            _ = try connection.run(
                Statement(
                    """
                    INSERT INTO outbox_operation(id, state, due, wait, envelope, record, shard)
                    SELECT int8send($2 + number) || int8send(number), 0, number % 2 * number, 0,
                        int8send(number), decode(repeat('00', 1024), 'hex'), number / 2 % 64
                    FROM generate_series(CAST(1 AS bigint), CAST($1 AS bigint)) AS numbers(number)
                    """,
                    // Of 2026.
                    [.count(count), .integer(1_780_000_000_000 << 16)]
                )
            )
            _ = try connection.run(Statement("VACUUM ANALYZE outbox_operation"))
            // What was written is written out before anything is measured.
            _ = try connection.run(Statement("CHECKPOINT"))
        }

        /// Claims all shards, looks for the first of their mails, and ends the claim.
        mutating func claim() throws {
            let begun = ContinuousClock.now
            var claim = try mails.claimDrain(of: .memos)
            let now = OutboxClock.system.wallTime()
            let found = try mails.eligible(in: .memos, at: now, limit: 48, withoutRecordsOf: [])
            taken.append(.now - begun)
            #expect(found.entries.count == 48)
            withExtendedLifetime(claim) {}
            claim = nil
            mails.finishReturns()
        }

        /// The median time of a claim and a look.
        var time: Duration { taken.sorted()[taken.count / 2] }
    }

    @Test("a claim over a million mails takes as long as one over a thousand")
    func growth() async throws {
        let count = Self.mails ?? 2_000
        var (few, many) = (try await Queue(of: 1_000), try await Queue(of: count))
        for _ in 0..<(Self.mails == nil ? 3 : 101) {
            try few.claim()
            try many.claim()
        }
        guard Self.mails != nil else { return }
        print("  a claim and a look over 1,000 mails \(few.time), over \(count) \(many.time)")
        print("relay.claim_1m_vs_1k: \(String(format: "%.2f", many.time / few.time)) x")
    }
}
