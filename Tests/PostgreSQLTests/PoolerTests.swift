import PostgreSQLServer
import Testing

@testable import PostgreSQL

/// A pooler between clients and server.
@Suite(
    "A pooler in transaction mode",
    .enabled(if: Pooler.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct PoolerTests {
    @Test("transactions of more connections than the server has do not mix")
    func transactions() async throws {
        let server = try PostgreSQLServer()
        try Connection(Settings(server.address)).prepare(
            Statement("CREATE TABLE t (k bigint PRIMARY KEY, n bigint)"),
            Statement("INSERT INTO t SELECT k, 0 FROM generate_series(0, 4) AS k")
        )
        let pooler = try Pooler(before: server, connections: 2)
        let pool = Pool(Manner.unpreparedAlone.settings(pooler.address))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    try await pool.transaction(.readCommitted) { transaction in
                        let key = Statement.Value.integer(Int64(index % 5))
                        let row = try transaction.run(
                            Statement("SELECT n FROM t WHERE k = $1 FOR UPDATE", [key])
                        )
                        let next = row[0].integer(0) + 1
                        transaction.add(
                            Statement("UPDATE t SET n = $1 WHERE k = $2", [.integer(next), key])
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await pool.run {
            try $0.run(Statement("SELECT n FROM t ORDER BY k")).map { $0.integer(0) }
        }
        #expect(counts == [20, 20, 20, 20, 20])
        await pool.close()
    }
}
