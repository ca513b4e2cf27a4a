import Dispatch
import PostgreSQLServer
import Testing

@testable import PostgreSQL

/// Transactions that meet.
@Suite(
    "Transactions of PostgreSQL that meet",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct ConflictTests {
    @Test(
        "two transactions that cannot be put in a row: one fails, and may be repeated",
        arguments: Manner.allCases
    )
    func skew(_ manner: Manner) throws {
        let server = try PostgreSQLServer()
        let settings = manner.settings(server.address)
        let one = try Connection(settings)
        let other = try Connection(settings)
        try one.prepare(Statement("CREATE TABLE t (i bigint)"))
        let count = Statement("SELECT count(*) FROM t")
        let insert = Statement("INSERT INTO t VALUES (1)")
        let state = try #require(SQLState("40001"))
        #expect(throws: PostgreSQLError.conflict(state)) {
            try one.transaction(.serializable) { first in
                _ = try first.run(count)
                try other.transaction(.serializable) { second in
                    _ = try second.run(count)
                    second.add(insert)
                }
                first.add(insert)
            }
        }
        #expect(one.isUsable)
        #expect(try one.run(count)[0].integer(0) == 1)
    }

    @Test("callers that all change one count under SERIALIZABLE are all counted")
    func repeated() async throws {
        let server = try PostgreSQLServer()
        try Connection(Settings(server.address)).prepare(
            Statement("CREATE TABLE t (i bigint)"),
            Statement("INSERT INTO t VALUES (0)")
        )
        let pool = Pool(Settings(server.address))
        let runs = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...40 {
                group.addTask {
                    try await pool.transaction(.serializable, tries: 1000) { transaction in
                        runs.withLock { $0 += 1 }
                        let count = try transaction.run(Statement("SELECT i FROM t"))[0].integer(0)
                        transaction.add(Statement("UPDATE t SET i = $1", [.integer(count + 1)]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await pool.run { try $0.run(Statement("SELECT i FROM t"))[0].integer(0) }
        #expect(count == 40)
        #expect(runs.withLock { $0 } > 40, "no transaction met another one")
        await pool.close()
    }

    @Test("two transactions that wait for each other: one fails as a conflict")
    func deadlock() async throws {
        let server = try PostgreSQLServer(options: "-c deadlock_timeout=50ms")
        try Connection(Settings(server.address)).prepare(
            Statement("CREATE TABLE t (k bigint PRIMARY KEY, n bigint)"),
            Statement("INSERT INTO t VALUES (1, 0), (2, 0)")
        )
        let pool = Pool(Settings(server.address))
        let runs = Locked(0)
        let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order: [Int64] in [[1, 2], [2, 1]] {
                group.addTask {
                    try await pool.transaction(.readCommitted, tries: 100) { transaction in
                        let run = runs.withLock { count in
                            count += 1
                            return count
                        }
                        let add = { (key: Int64) in
                            Statement("UPDATE t SET n = n + 1 WHERE k = $1", [.integer(key)])
                        }
                        _ = try transaction.run(add(order[0]))
                        // The first two runs meet.
                        if run <= 2 {
                            gates[2 - run].signal()
                            gates[run - 1].wait()
                        }
                        _ = try transaction.run(add(order[1]))
                    }
                }
            }
            try await group.waitForAll()
        }
        let sum = try await pool.run {
            try $0.run(Statement("SELECT sum(n)::bigint FROM t"))[0].integer(0)
        }
        #expect(sum == 4)
        await pool.close()
    }
}
