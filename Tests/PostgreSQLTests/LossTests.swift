import Dispatch
import PostgreSQLServer
import Testing
import Waiting

@testable import PostgreSQL

/// Servers that go away.
@Suite(
    "A PostgreSQL server that goes away",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct LossTests {
    /// The number of other connections that wait for `event` (`pg_stat_activity`).
    private static func waiting(for event: String, _ connection: Connection) throws -> Int64 {
        let statement = Statement(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = $1 AND pid <> pg_backend_pid()",
            [.text(event)]
        )
        return try connection.run(statement)[0].integer(0)
    }

    @Test(
        "a killed server fails the statement under way and every caller behind it, and after its start the pool works again",
        arguments: Manner.allCases
    )
    func killed(_ manner: Manner) async throws {
        let server = try PostgreSQLServer()
        let look = try Connection(manner.settings(server.address))
        try look.prepare(Statement("CREATE TABLE t (i bigint)"))
        var limits = Pool.Limits()
        limits.connections = 2
        limits.patience = .seconds(300)
        let pool = Pool(manner.settings(server.address), limits: limits)
        let errors = Locked<[PostgreSQLError]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...10 {
                group.addTask {
                    do {
                        try await pool.transaction(.readCommitted) { transaction in
                            _ = try transaction.run(Statement("INSERT INTO t VALUES (1)"))
                            _ = try transaction.run(Statement("SELECT pg_sleep(600)"))
                        }
                    } catch let error as PostgreSQLError {
                        errors.withLock { $0.append(error) }
                    }
                }
            }
            try await waitUntil {
                try Self.waiting(for: "PgSleep", look) == 2 && pool.waiting == 8
            }
            server.kill()
            try await group.waitForAll()
        }
        errors.withLock { errors in
            #expect(errors.count == 10)
            #expect(errors.allSatisfy { $0.isUnavailable && $0 != .commitUnknown }, "\(errors)")
        }
        try server.start()
        try await waitUntil { () async throws -> Bool in
            do {
                let count = try await pool.run {
                    try $0.run(Statement("SELECT count(*) FROM t"))[0].integer(0)
                }
                #expect(count == 0)
                return true
            } catch let error as PostgreSQLError where error.isUnavailable {
                return false
            }
        }
        await pool.close()
    }

    @Test("a server that restarts while nobody works is not noticed by the next caller")
    func restarted() async throws {
        let server = try PostgreSQLServer()
        let pool = Pool(Settings(server.address))
        for _ in 1...3 {
            let one = try await pool.run { try $0.run(Statement("SELECT 1"))[0].integer(0) }
            #expect(one == 1)
            server.stop()
            try server.start()
        }
        await pool.close()
    }

    @Test(
        "a COMMIT whose answer is lost is unknown, and may have been stored",
        arguments: Manner.allCases
    )
    func commit(_ manner: Manner) async throws {
        let server = try PostgreSQLServer()
        let look = try Connection(manner.settings(server.address))
        try look.prepare(Statement("CREATE TABLE t (i bigint)"))
        // The commit is on the disk, and its answer waits for a standby that never comes.
        try look.prepare(
            Statement("ALTER SYSTEM SET synchronous_standby_names = 'nobody'"),
            Statement("SELECT pg_reload_conf()")
        )
        try await waitUntil {
            let names = try Connection(manner.settings(server.address))
                .run(Statement("SHOW synchronous_standby_names"))[0].text(0)
            return names == "nobody"
        }
        let pool = Pool(manner.settings(server.address))
        let result = Locked<Result<Void, any Error>?>(nil)
        async let done: Void = {
            do {
                try await pool.transaction(.serializable) { transaction in
                    transaction.add(Statement("INSERT INTO t VALUES (1)"))
                }
                result.withLock { $0 = .success(()) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
        }()
        try await waitUntil { try Self.waiting(for: "SyncRep", look) == 1 }
        server.kill()
        await done
        let outcome = result.withLock { $0 }
        #expect(throws: PostgreSQLError.commitUnknown) { try outcome?.get() }
        try server.start()
        let after = try Connection(manner.settings(server.address))
        #expect(try after.run(Statement("SELECT count(*) FROM t"))[0].integer(0) == 1)
        await pool.close()
    }

    @Test(
        "a connection that breaks before COMMIT is sent is lost, and afterwards it is unknown",
        arguments: Manner.allCases
    )
    func beforeCommit(_ manner: Manner) async throws {
        let server = try PostgreSQLServer()
        let look = try Connection(manner.settings(server.address))
        let pool = Pool(manner.settings(server.address))
        let run = Task {
            try await pool.transaction(.readCommitted) { transaction in
                transaction.add(Statement("SELECT pg_sleep(600)"))
            }
        }
        try await waitUntil { try Self.waiting(for: "PgSleep", look) == 1 }
        server.kill()
        let outcome = await run.result
        let error = #expect(throws: PostgreSQLError.self) { try outcome.get() }
        // In a pipeline COMMIT has been sent.
        #expect((error == .commitUnknown) == manner.settings("").pipelines)
        await pool.close()
    }

    @Test("a connection that the server ends is lost, and the next caller has another one")
    func terminated() async throws {
        let server = try PostgreSQLServer()
        let look = try Connection(Settings(server.address))
        let pool = Pool(Settings(server.address))
        async let sleep: Void = {
            _ = try await pool.run { try $0.run(Statement("SELECT pg_sleep(600)")).count }
        }()
        try await waitUntil { try Self.waiting(for: "PgSleep", look) == 1 }
        _ = try look.run(
            Statement(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
            )
        )
        do {
            try await sleep
            Issue.record("the statement was ended")
        } catch let error as PostgreSQLError {
            #expect(error.isUnavailable, "\(error)")
        }
        let one = try await pool.run { try $0.run(Statement("SELECT 1"))[0].integer(0) }
        #expect(one == 1)
        await pool.close()
    }

    @Test("a caller that finds all connections at work fails when it has waited enough")
    func patience() async throws {
        var limits = Pool.Limits()
        limits.connections = 1
        limits.patience = .milliseconds(100)
        let address = try SharedServer.address()
        let pool = Pool(Settings(address), limits: limits)
        let gate = DispatchSemaphore(value: 0)
        let hasBegun = Locked(false)
        async let holder = pool.run { _ in
            hasBegun.withLock { $0 = true }
            gate.wait()
            return 1
        }
        try await waitUntil { hasBegun.withLock { $0 } }
        await #expect(throws: PostgreSQLError.busy) { try await pool.run { _ in } }
        gate.signal()
        #expect(try await holder == 1)
        try await pool.run { _ in }
        await pool.close()
        await #expect(throws: PostgreSQLError.closed) { try await pool.run { _ in } }
    }

    @Test("a server that takes fewer connections than the pool has places serves all callers")
    func fewer() async throws {
        let server = try PostgreSQLServer(
            options: "-c max_connections=3 -c superuser_reserved_connections=0 -c max_wal_senders=0"
        )
        var limits = Pool.Limits()
        limits.connections = 8
        limits.patience = .seconds(300)
        let pool = Pool(Settings(server.address), limits: limits)
        try await pool.run { _ in }
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...50 {
                group.addTask {
                    try await pool.run { connection in
                        _ = try connection.run(Statement("SELECT pg_sleep(0.01)"))
                        return 1
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 50)
        await pool.close()
    }
}
