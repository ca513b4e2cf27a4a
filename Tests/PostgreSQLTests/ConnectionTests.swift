import PostgreSQLServer
import Testing

@testable import PostgreSQL

/// What a connection promises, with a server of Debian's binaries.
@Suite(
    "A connection to PostgreSQL",
    .enabled(if: PostgreSQLServer.isThere),
    .serialized,
    .timeLimit(.minutes(60))
)
struct ConnectionTests {
    @Test("values of every type come back as they were", arguments: Manner.allCases)
    func values(_ manner: Manner) throws {
        let connection = try Connection(manner.settings(SharedServer.address()))
        let bytes = (0...255).map { UInt8($0) }
        let statement = Statement(
            "SELECT $1, $2, $3, $4, $5::bigint, $6, $7, 7::smallint, -8::integer",
            [
                .integer(.min), .text("ä\u{1F5D2}'\\"), .bytes(bytes), .boolean(true), .null,
                .bytes([]),
                .text(""),
            ]
        )
        for _ in 1...3 {
            let rows = try connection.run(statement)
            #expect(rows.count == 1)
            let row = rows[0]
            #expect(row.integer(0) == .min)
            #expect(row.text(1) == "ä\u{1F5D2}'\\")
            #expect(row.bytes(2) == bytes)
            #expect(row.boolean(3))
            #expect(row.isNull(4) && row.optionalInteger(4) == nil)
            #expect(row.optionalBytes(5) == [])
            #expect(row.optionalText(6) == "")
            #expect(row.integer(7) == 7)
            #expect(row.integer(8) == -8)
        }
    }

    @Test("NULL and a value take turns in one statement", arguments: Manner.allCases)
    func nullThenValue(_ manner: Manner) throws {
        let connection = try Connection(manner.settings(SharedServer.address()))
        try connection.prepare(Statement("CREATE TEMPORARY TABLE t (i integer, b bytea)"))
        for value in [Statement.Value.null, .integer(5), .null, .integer(6)] {
            _ = try connection.run(Statement("INSERT INTO t (i, b) VALUES ($1, NULL)", [value]))
        }
        let rows = try connection.run(Statement("SELECT i FROM t ORDER BY i NULLS LAST"))
        #expect(rows.map { $0.optionalInteger(0) } == [5, 6, nil, nil])
    }

    @Test("an error says which kind it is, and the connection goes on", arguments: Manner.allCases)
    func errors(_ manner: Manner) throws {
        let connection = try Connection(manner.settings(SharedServer.address()))
        try connection.prepare(
            Statement("CREATE TEMPORARY TABLE t (i bigint PRIMARY KEY CHECK (i > 0))")
        )
        let insert = { (value: Int64) in Statement("INSERT INTO t VALUES ($1)", [.integer(value)]) }
        #expect(try connection.run(insert(1)).changed == 1)
        #expect(throws: PostgreSQLError.duplicate) { try connection.run(insert(1)) }
        let violation = try #require(SQLState("23514"))
        #expect(throws: PostgreSQLError.refused(violation)) { try connection.run(insert(0)) }
        let syntax = try #require(SQLState("42601"))
        #expect(throws: PostgreSQLError.refused(syntax)) {
            try connection.run(Statement("SELEC 'secret'"))
        }
        // Text with a NUL is none for PostgreSQL.
        let encoding = try #require(SQLState("22021"))
        #expect(throws: PostgreSQLError.refused(encoding)) {
            try connection.run(Statement("SELECT $1", [.text("a\0b")]))
        }
        #expect(try connection.run(Statement("SELECT count(*) FROM t"))[0].integer(0) == 1)
        #expect(connection.isUsable && connection.isQuiet)
    }

    @Test(
        "a question with several rows of parameters has the answers to each",
        arguments: Manner.allCases
    )
    func severalRows(_ manner: Manner) throws {
        let connection = try Connection(manner.settings(SharedServer.address()))
        try connection.prepare(
            Statement("CREATE TEMPORARY TABLE t (i bigint, k bytea, x text, b boolean)"),
            Statement("INSERT INTO t VALUES (1, '\\x01', 'one', true), (2, '\\x', '', false)")
        )
        let values: [[Statement.Value]] = [
            [.integer(1), .bytes([1]), .text("one"), .boolean(true)],
            [.integer(2), .bytes([1]), .text("one"), .boolean(true)],
            [.integer(2), .bytes([]), .text(""), .boolean(false)],
            [.integer(.min), .bytes([0, 255]), .text("zwölf"), .boolean(false)],
        ]
        let questions = values.map { values in
            Statement(
                """
                SELECT x, i, k, b, count(*) OVER () FROM t
                WHERE i = $1 AND k = $2 AND x = $3 AND b = $4
                """,
                values
            )
        }
        let count = { (number: Int64) in
            Statement("SELECT count(*), max(i) FROM t WHERE i >= $1", [.integer(number)])
        }
        let rows = try connection.run(Statement(asking: questions)).parts(questions.count)
        #expect(rows.map(\.count) == [1, 0, 1, 0])
        #expect(rows[0][0].text(0) == "one" && rows[2][0].text(0) == "")
        #expect(rows[0][0].integer(1) == 1 && rows[2][0].integer(1) == 2)
        #expect(rows[0][0].bytes(2) == [1] && rows[2].first?.bytes(2) == [])
        #expect(rows[2].map { $0.boolean(3) } == [false])
        let counts = try connection.run(Statement(asking: [3, 2, 1].map(count))).parts(3)
        #expect(counts.map { $0[0].integer(0) } == [0, 1, 2])
        #expect(counts.map { $0[0].optionalInteger(1) } == [nil, 2, 2])
        #expect(counts[0][0].isNull(1) && !counts[1][0].isNull(1))
    }

    @Test("large values go both ways at once", arguments: Manner.allCases)
    func large(_ manner: Manner) throws {
        let connection = try Connection(manner.settings(SharedServer.address()))
        let bytes = [UInt8](repeating: 0xA5, count: 4 << 20)
        let echo = Statement("SELECT $1", [.bytes(bytes)])
        try connection.transaction(.readCommitted) { transaction in
            for rows in try transaction.run([echo, echo, echo]) {
                #expect(rows[0].bytes(0) == bytes)
            }
        }
    }

    @Test("a transaction is stored whole, or not at all", arguments: Manner.allCases)
    func transaction(_ manner: Manner) throws {
        struct Refusal: Error {}
        let connection = try Connection(manner.settings(SharedServer.address()))
        try connection.prepare(Statement("CREATE TEMPORARY TABLE t (i bigint PRIMARY KEY)"))
        let insert = { (value: Int64) in Statement("INSERT INTO t VALUES ($1)", [.integer(value)]) }
        let count = { () -> Int64 in
            try connection.run(Statement("SELECT count(*) FROM t"))[0].integer(0)
        }
        let read = try connection.transaction(.serializable) { transaction in
            transaction.add(insert(1))
            let rows = try transaction.run(Statement("SELECT i FROM t"))
            transaction.add(insert(2))
            return rows[0].integer(0)
        }
        #expect(read == 1)
        #expect(try count() == 2)
        #expect(throws: Refusal.self) {
            try connection.transaction(.readCommitted) { transaction in
                _ = try transaction.run(insert(3))
                throw Refusal()
            }
        }
        // The last statements go with COMMIT: none of them may be left alone.
        #expect(throws: PostgreSQLError.duplicate) {
            try connection.transaction(.readCommitted) { transaction in
                for value in [Int64(4), 5, 1, 6] { transaction.add(insert(value)) }
            }
        }
        #expect(try count() == 2)
        #expect(connection.isUsable)
    }

    @Test(
        "an error that is caught inside of a transaction does not make it a stored one",
        arguments: Manner.allCases
    )
    func caught(_ manner: Manner) throws {
        let connection = try Connection(manner.settings(SharedServer.address()))
        try connection.prepare(Statement("CREATE TEMPORARY TABLE t (i bigint)"))
        #expect(throws: PostgreSQLError.rolledBack) {
            try connection.transaction(.readCommitted) { transaction in
                _ = try transaction.run(Statement("INSERT INTO t VALUES (1)"))
                #expect(throws: PostgreSQLError.self) {
                    try transaction.run(Statement("SELECT 1 / 0"))
                }
            }
        }
        #expect(try connection.run(Statement("SELECT count(*) FROM t"))[0].integer(0) == 0)
    }

    @Test("a transaction without statements asks the server nothing")
    func empty() throws {
        let server = try PostgreSQLServer()
        let connection = try Connection(Settings(server.address))
        server.kill()
        #expect(try connection.transaction(.serializable) { _ in 5 } == 5)
    }

    @Test("a server that does not answer in time loses the connection")
    func silent() throws {
        var settings = try Settings(SharedServer.address())
        settings.answerTime = .milliseconds(100)
        let connection = try Connection(settings)
        #expect(throws: PostgreSQLError.silent) {
            try connection.run(Statement("SELECT pg_sleep(600)"))
        }
        #expect(throws: PostgreSQLError.lost) { try connection.run(Statement("SELECT 1")) }
        #expect(!connection.isUsable)
    }

    @Test("the first host that can be reached and written is used")
    func hosts() throws {
        let folder = try SharedServer.folder()
        let connection = try Connection(
            Settings(
                "postgresql://memo@/postgres?host=/nowhere&host=\(folder)&target_session_attrs=read-write"
            )
        )
        #expect(try connection.run(Statement("SELECT 1"))[0].integer(0) == 1)
        #expect(throws: PostgreSQLError.unreachable) {
            try Connection(
                Settings(
                    "host=/nowhere,\(folder) user=memo dbname=postgres target_session_attrs=standby"
                )
            )
        }
    }

    @Test("a wrong password, a server that is away, and a text that is no address differ")
    func refusals() throws {
        let folder = try SharedServer.folder()
        let guarded = "host=\(folder) dbname=postgres user=guarded"
        _ = try Connection(Settings(guarded + " password='correct horse'"))
        #expect(throws: PostgreSQLError.notLetIn) {
            try Connection(Settings(guarded + " password=battery"))
        }
        #expect(throws: PostgreSQLError.notLetIn) { try Connection(Settings(guarded)) }
        #expect(throws: PostgreSQLError.unreachable) { try Connection(Settings("host=/nowhere")) }
        for text in ["", "folder", "sqlite:/x", "hos=/nowhere", "host='", "mysql://h?a=b"] {
            #expect(throws: PostgreSQLError.badAddress, "\(text)") {
                try Connection(Settings(text))
            }
        }
    }

    @Test("without libpq the error says so")
    func noLibrary() throws {
        var settings = Settings("host=/nowhere")
        settings.library = "libpq-of-no-machine.so"
        #expect(throws: PostgreSQLError.noLibrary) { try Connection(settings) }
        // A library that is none of PostgreSQL's.
        settings.library = "libc.so.6"
        #expect(throws: PostgreSQLError.noLibrary) { try Connection(settings) }
        #expect("\(PostgreSQLError.noLibrary)" == "libpq 14 or later is not installed")
    }

    @Test("no description of settings shows a password")
    func secrecy() {
        let settings = Settings("host=h user=u password=hunter2")
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), "\([settings])", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
