import PostgreSQLServer
import Synchronization
import Testing

@testable import PostgreSQL

/// Reads as of one moment, and tables that change under prepared statements.
@Suite(
    "Snapshots of PostgreSQL",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct SnapshotTests {
    @Test("several reads are as of one moment, however they are sent", arguments: Manner.allCases)
    func oneMoment(_ manner: Manner) throws {
        let server = try PostgreSQLServer()
        let connection = try Connection(manner.settings(server.address))
        try connection.prepare(
            Statement("CREATE TABLE t (i bigint)"),
            Statement("INSERT INTO t VALUES (1)")
        )
        let writer = try Connection(Settings(server.address))
        let rows = try connection.snapshot([
            Statement("SELECT count(*) FROM t"), Statement("SELECT txid_current_snapshot()::text"),
            Statement("SELECT txid_current_snapshot()::text"),
        ])
        #expect(rows.count == 3 && rows[0][0].integer(0) == 1)
        #expect(rows[1][0].text(0) == rows[2][0].text(0))
        _ = try writer.run(Statement("INSERT INTO t VALUES (2)"))
        #expect(
            try connection.snapshot([Statement("SELECT count(*) FROM t")])[0][0].integer(0) == 2
        )
        #expect(connection.isUsable)
    }

    @Test("a snapshot in which a statement fails leaves the connection in use, and writes nothing")
    func failure() throws {
        let server = try PostgreSQLServer()
        let connection = try Connection(Settings(server.address))
        try connection.prepare(Statement("CREATE TABLE t (i bigint)"))
        let readOnly = try #require(SQLState("25006"))
        #expect(throws: PostgreSQLError.unavailable(readOnly)) {
            try connection.snapshot([
                Statement("SELECT 1"), Statement("INSERT INTO t VALUES (1)"),
            ])
        }
        #expect(connection.isUsable)
        #expect(try connection.run(Statement("SELECT count(*) FROM t"))[0].integer(0) == 0)
    }

    @Test("a connection is replaced when a prepared statement does not fit its table any more")
    func stalePreparation() async throws {
        let server = try PostgreSQLServer()
        var limits = Pool.Limits()
        limits.connections = 1
        let pool = Pool(Settings(server.address), limits: limits)
        try Connection(Settings(server.address)).prepare(
            Statement("CREATE TABLE t (i bigint)"),
            Statement("INSERT INTO t VALUES (7)")
        )
        let look: @Sendable (Connection) throws -> String = { connection in
            try connection.run(Statement("SELECT i FROM t"))[0].isNull(0) ? "null" : "there"
        }
        #expect(try await pool.run(look) == "there")
        _ = try Connection(Settings(server.address))
            .run(Statement("ALTER TABLE t ALTER COLUMN i TYPE text"))
        let stale = try #require(SQLState("0A000"))
        await #expect(throws: PostgreSQLError.conflict(stale)) { try await pool.run(look) }
        #expect(try await pool.run(look) == "there")
        await pool.close()
    }

    @Test("a statement that the server does not support is refused, and not repeated")
    func unsupported() async throws {
        let server = try PostgreSQLServer()
        try Connection(Settings(server.address)).prepare(Statement("CREATE TABLE t (i bigint)"))
        let state = try #require(SQLState("0A000"))
        for preparesStatements in [true, false] {
            var settings = Settings(server.address)
            settings.preparesStatements = preparesStatements
            let pool = Pool(settings)
            let tries = Mutex(0)
            await #expect(throws: PostgreSQLError.refused(state)) {
                try await pool.attempt { connection in
                    tries.withLock { $0 += 1 }
                    _ = try connection.run(Statement("SELECT count(*) FROM t FOR UPDATE"))
                }
            }
            #expect(tries.withLock { $0 } == 1)
            await pool.close()
        }
    }
}
