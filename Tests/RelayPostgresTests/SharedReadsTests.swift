import PostgreSQLServer
import Testing
import Waiting

@testable import PostgreSQL
@testable import RelayPostgres

@Suite(
    "Callers that share a journey to PostgreSQL",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct SharedReadsTests {
    private static func question(_ number: Int64, isOfOneRow: Bool = true) -> Question {
        Question(
            statement: Statement("SELECT 10 * i, i FROM t WHERE i = $1", [.integer(number)]),
            isOfOneRow: isOfOneRow
        )
    }

    private static let count = Question(
        statement: Statement("SELECT count(*) FROM t"),
        isOfOneRow: true
    )

    private func makeTable(in database: RelayDatabase) throws {
        let connection = try database.connection()
        _ = try connection.run(Statement("CREATE TABLE t (i bigint)"))
        _ = try connection.run(Statement("INSERT INTO t SELECT generate_series(1, 9)"))
    }

    @Test("equal questions, and those of one text, are one statement, and each has its answer")
    func fewStatements() throws {
        let database = try RelayDatabase()
        try makeTable(in: database)
        let connection = try database.connection()
        var journey = Journey()
        #expect(journey.isEmpty)
        journey.add([Self.question(3), Self.count, Self.question(12)])
        journey.add([])
        journey.add([Self.count, Self.question(3), Self.question(5)])
        journey.add([Self.question(5, isOfOneRow: false)])
        #expect(!journey.isEmpty)
        var sent = 0
        let answers = try journey.run { statements in
            sent = statements.count
            return try connection.snapshot(statements)
        }
        #expect(sent == 3)
        #expect(answers.map(\.count) == [1, 1, 0, 1, 1, 1, 1])
        #expect(answers.map { $0.first?.integer(0) } == [30, 9, nil, 9, 30, 50, 50])
    }

    /// A database whose table is locked until `body` returns, and reads of which all journeys are under way.
    private func whileSilent(
        _ change: (inout SharedReads.Bounds) -> Void,
        run body: (_ reads: SharedReads, _ read: @escaping @Sendable () async throws -> Int64?)
            async throws -> Void
    ) async throws {
        let database = try RelayDatabase()
        try makeTable(in: database)
        var bounds = SharedReads.Bounds(pipelines: true)
        change(&bounds)
        // No connection is given up while the server is silent, however long a busy machine takes.
        let pool = database.pool { $0.answerTime = .seconds(3600) }
        let reads = SharedReads(pool: pool, bounds: bounds)
        let read: @Sendable () async throws -> Int64? = {
            try await reads.read([Self.question(4)]) { $0[0].first?.integer(0) }
        }
        let other = try database.connection()
        _ = try other.run(Statement("BEGIN"))
        _ = try other.run(Statement("LOCK TABLE t"))
        var underWay: [Task<Int64?, any Error>] = []
        for count in 1...bounds.journeys {
            underWay.append(Task { try await read() })
            try await waitUntil {
                // Other tests have databases of their own at the same server.
                let waiting = Statement(
                    """
                    SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
                    WHERE datname = current_database() AND NOT granted
                    """
                )
                return try other.run(waiting)[0].integer(0) == count
            }
        }
        try await body(reads, read)
        _ = try other.run(Statement("ROLLBACK"))
        for task in underWay { #expect(try await task.value == 40) }
        withExtendedLifetime(database) {}
    }

    @Test("a caller waits no longer for a silent database than its patience")
    func patience() async throws {
        try await whileSilent {
            $0.patience = .milliseconds(50)
        } run: { reads, read in
            for _ in 0..<2 {
                await #expect(throws: PostgreSQLError.busy) { try await read() }
                #expect(reads.waiting == 0)
            }
        }
    }

    @Test("no more callers wait for a silent database than the bound")
    func waiting() async throws {
        var waiting: [Task<Int64?, any Error>] = []
        try await whileSilent {
            ($0.waiting, $0.patience) = (2, .seconds(3600))
        } run: { reads, read in
            for count in 1...2 {
                waiting.append(Task { try await read() })
                try await waitUntil { reads.waiting == count }
            }
            await #expect(throws: PostgreSQLError.busy) { try await read() }
        }
        for task in waiting { #expect(try await task.value == 40) }
    }
}
