import Outbox
import OutboxCore
import OutboxTesting
import PostgreSQLServer
import TemporaryFolders
import TestSeeds
import Testing

@testable import PostgreSQL
@testable package import RelayPostgres
@testable import RelayRules
@testable import RelayServer
@testable import RelayTesting

// The time limit ends a test that hangs; no test comes near it.
@Suite(
    "The relay's store in PostgreSQL",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct PostgreSQLRelayStoreTests {
    fileprivate typealias Conformance = RelayStoreConformance<PostgreSQLRelayStore>

    @Test("keeps a store's promises", arguments: Conformance.checks)
    fileprivate func promises(_ check: Conformance.Check) async throws {
        let database = try RelayDatabase()
        try await check.run(on: try await database.store(.readCommitted))
        withExtendedLifetime(database) {}
    }

    @Test(
        "keeps a store's promises when each transaction is serializable",
        arguments: SearchShare().of(Conformance.checks)
    )
    fileprivate func serializablePromises(_ check: Conformance.Check) async throws {
        let database = try RelayDatabase()
        try await check.run(on: try await database.store(.serializable))
        withExtendedLifetime(database) {}
    }

    @Test(
        "keeps a store's promises as a role that can change no table",
        arguments: SearchShare().of(Conformance.checks)
    )
    fileprivate func restrictedPromises(_ check: Conformance.Check) async throws {
        let database = try RelayDatabase()
        let pool = try await database.restrictedPool()
        try await check.run(on: try await database.store(over: pool))
        let rights = try #require(SQLState("42501"))
        await #expect(throws: PostgreSQLError.refused(rights)) {
            try await pool.run { _ = try $0.run(Statement("DROP TABLE held_mail")) }
        }
        withExtendedLifetime(database) {}
    }

    @Test("a role that cannot make the tables that are missing is told so")
    func missingTables() async throws {
        let database = try RelayDatabase()
        let pool = try await database.restrictedPool()
        let owner = try database.connection()
        _ = try owner.run(Statement("UPDATE schema_component SET version = 1"))
        await #expect(throws: RelayStartError.tables) { try await database.store(over: pool) }
        let plan = try await PostgreSQLMigrations(pool: pool).plan()
        #expect(try await PostgreSQLMigrations(pool: database.pool()).plan() == plan)
        #expect(plan != .steps([]))
        await #expect(throws: MigrationError.notAllowed) {
            try await PostgreSQLMigrations(pool: pool).migrate()
        }
        withExtendedLifetime(database) {}
    }

    @Test(
        "keeps a store's promises through a pooler in transaction mode",
        .enabled(if: Pooler.isThere),
        arguments: SearchShare().of(Conformance.checks)
    )
    fileprivate func pooledPromises(_ check: Conformance.Check) async throws {
        let database = try RelayDatabase()
        let pooler = try RelayDatabase.pooler()
        try await check.run(on: try await database.store(over: database.pool(through: pooler)))
        withExtendedLifetime((database, pooler)) {}
    }

    @Test(
        "keeps a store's promises while answers come late, transactions are rolled back, and answers to COMMIT are lost",
        arguments: SearchShare().of(Conformance.checks)
    )
    fileprivate func harmedPromises(_ check: Conformance.Check) async throws {
        let database = try RelayDatabase()
        let keys = MemoryKeyStore()
        _ = try await database.store(keys: keys)
        var harm = HarmfulProxy.Harm()
        harm.conflictEvery = 3
        harm.loseAnswerEvery = 5
        harm.cutEvery = 7
        harm.delay = 2
        let proxy = try RelayDatabase.proxy(harm)
        let pool = database.pool(through: proxy)
        try await check.run(on: try await database.store(keys: keys, over: pool))
        let counts = proxy.counts
        #expect(counts.commits < 7 || counts.lostAnswers > 0 && counts.conflicts > 0)
        withExtendedLifetime((database, proxy)) {}
    }

    @Test(
        "its mail queue keeps a storage's contract, but for lanes",
        arguments: StorageConformance<PostgreSQLMailQueue>.checks.filter {
            !$0.description.contains("lane") && !$0.description.contains("front")
                && $0.description != "one that is queued again has its old place"
        }
    )
    fileprivate func queueConforms(
        _ check: StorageConformance<PostgreSQLMailQueue>.Check
    ) async throws {
        let database = try RelayDatabase()
        let pool = database.pool()
        _ = try await RelaySchema.migrations.run(in: pool)
        try check.run(seed: TestSeeds["conformance"][0]) {
            let turns = RelayTurns(pool: pool, isolation: .readCommitted)
            return PostgreSQLMailQueue(pool: pool, turns: turns, clock: .system)
        }
        withExtendedLifetime(database) {}
    }
}

extension PostgreSQLRelayStore: TestedStore {
    package func hasDueMail() async throws -> Bool {
        try await queueCondition(at: OutboxClock.system.wallTime()).dueSince != nil
    }

    package func operators() throws -> PostgreSQLOperators {
        PostgreSQLOperators(pool, keys: keys)
    }
}
