import PostgreSQLServer
import Testing
import Waiting

@testable import PostgreSQL

/// The numbered steps of a database's tables.
@Suite(
    "Migrations of PostgreSQL",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct MigrationsTests {
    private static let steps = [
        Migrations.Step(
            about: "several",
            Statement("CREATE TABLE t (i bigint NOT NULL)"),
            Statement("INSERT INTO t VALUES (1)")
        ),
        Migrations.Step(about: "one", Statement("INSERT INTO t VALUES (2)")),
        Migrations.Step(
            about: "several",
            Statement("ALTER TABLE t ADD COLUMN k bigint"),
            Statement("INSERT INTO t VALUES (3, 3)")
        ),
    ]

    private static func rows(_ pool: Pool) async throws -> [Int64] {
        try await pool.run {
            try $0.run(Statement("SELECT i FROM t ORDER BY i")).map { $0.integer(0) }
        }
    }

    @Test("relays that start at once run each step once", arguments: Isolation.allCases)
    func atOnce(_ isolation: Isolation) async throws {
        let server = try PostgreSQLServer()
        let migrations = Migrations(of: "test", steps: Self.steps)
        var limits = Pool.Limits()
        limits.connections = 2
        let pools = (1...8).map { _ in Pool(Settings(server.address), limits: limits) }
        let ran = try await withThrowingTaskGroup(of: Int.self) { group in
            for pool in pools {
                group.addTask { try await migrations.run(in: pool, isolation) }
            }
            return try await group.reduce(0, +)
        }
        #expect(ran == 3)
        #expect(try await Self.rows(pools[0]) == [1, 2, 3])
        #expect(try await migrations.progress(in: pools[0]) == .complete)
        for pool in pools { await pool.close() }
    }

    @Test("a step that fails leaves nothing, and those before it stay")
    func failure() async throws {
        let server = try PostgreSQLServer()
        let pool = Pool(Settings(server.address))
        let broken = Migrations.Step(
            about: "several",
            Statement("INSERT INTO t VALUES (9)"),
            Statement("INSERT INTO t VALUES (NULL)")
        )
        let first = Migrations(of: "test", steps: [Self.steps[0], broken])
        #expect(try await first.progress(in: pool) == .missing(2))
        let state = try #require(SQLState("23502"))
        await #expect(throws: PostgreSQLError.refused(state)) { try await first.run(in: pool) }
        #expect(try await first.progress(in: pool) == .missing(1))
        #expect(try await Self.rows(pool) == [1])
        let second = Migrations(of: "test", steps: Self.steps)
        #expect(try await second.run(in: pool) == 2)
        #expect(try await Self.rows(pool) == [1, 2, 3])
        await pool.close()
    }

    @Test(
        "the database of a later build is left as it is, and components have numbers of their own"
    )
    func laterBuild() async throws {
        let server = try PostgreSQLServer()
        let pool = Pool(Settings(server.address))
        _ = try await Migrations(of: "test", steps: Self.steps).run(in: pool)
        let earlier = Migrations(of: "test", steps: Array(Self.steps.prefix(2)))
        #expect(try await earlier.progress(in: pool) == .ofLaterBuild)
        #expect(try await earlier.run(in: pool) == 0)
        let other = Migrations(
            of: "other",
            steps: [Migrations.Step(about: "one", Statement("CREATE TABLE u (i bigint)"))]
        )
        #expect(try await other.progress(in: pool) == .missing(1))
        #expect(try await other.run(in: pool) == 1)
        #expect(try await Self.rows(pool) == [1, 2, 3])
        await pool.close()
    }

    @Test("a server that is killed in a step has nothing of it, and the next run goes on")
    func killed() async throws {
        let server = try PostgreSQLServer()
        let look = try Connection(Settings(server.address))
        let pool = Pool(Settings(server.address))
        let slow = Migrations.Step(
            about: "several",
            Statement("INSERT INTO t VALUES (2)"),
            Statement("SELECT pg_sleep(600)")
        )
        let run = Task {
            try await Migrations(of: "test", steps: [Self.steps[0], slow]).run(in: pool)
        }
        try await waitUntil {
            try look.run(
                Statement("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")
            ).count == 1
        }
        server.kill()
        await #expect(throws: PostgreSQLError.self) { try await run.value }
        try server.start()
        let again = Pool(Settings(server.address))
        #expect(try await Self.rows(again) == [1])
        #expect(try await Migrations(of: "test", steps: Self.steps).run(in: again) == 2)
        #expect(try await Self.rows(again) == [1, 2, 3])
        await pool.close()
        await again.close()
    }
}
