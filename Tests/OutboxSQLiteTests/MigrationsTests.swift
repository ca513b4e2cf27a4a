import SQLite
import TemporaryFolders
import Testing

@Suite("Migrations of a component")
struct MigrationsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> Connection {
        try Connection(path: folder.path + "/database.sqlite")
    }

    /// A component whose steps note their number in a table of the component.
    private func component(_ name: String, steps: Int, failing: Int? = nil) -> Migrations {
        Migrations(
            of: name,
            steps: (1...steps).map { number in
                { connection in
                    if number == failing { throw Refused() }
                    if number == 1 { try connection.execute("CREATE TABLE \(name)(step INTEGER)") }
                    try connection.run("INSERT INTO \(name) VALUES(?)", .integer(Int64(number)))
                }
            }
        )
    }

    private struct Refused: Error {}

    private func run(_ migrations: Migrations, in connection: Connection) throws {
        try connection.transaction { try migrations.run(in: connection) }
    }

    private func steps(of name: String, in connection: Connection) throws -> [Int64] {
        try connection.query("SELECT step FROM \(name) ORDER BY rowid") { $0.integer(0) }
    }

    @Test("run each step once, in their order, whichever build opens the database")
    func once() throws {
        for build in [1, 3, 3, 2, 5, 1] {
            let connection = try open()
            try run(component("one", steps: build), in: connection)
            #expect(try component("one", steps: build).areDone(in: connection))
        }
        let connection = try open()
        #expect(try steps(of: "one", in: connection) == [1, 2, 3, 4, 5])
        #expect(try !component("one", steps: 6).areDone(in: connection))
    }

    @Test("of one component change nothing of another one in the same file")
    func apart() throws {
        let connection = try open()
        try run(component("one", steps: 4), in: connection)
        #expect(try !component("two", steps: 2).areDone(in: connection))
        try run(component("two", steps: 2), in: connection)
        try run(component("one", steps: 5), in: connection)
        #expect(try steps(of: "one", in: connection) == [1, 2, 3, 4, 5])
        #expect(try steps(of: "two", in: connection) == [1, 2])
    }

    @Test("leave the tables and the number as they were when a step fails", arguments: 2...4)
    func failure(step: Int) throws {
        let connection = try open()
        try run(component("one", steps: 1), in: connection)
        #expect(throws: Refused.self) {
            try run(component("one", steps: 4, failing: step), in: connection)
        }
        #expect(try steps(of: "one", in: connection) == [1])
        try run(component("one", steps: 4), in: connection)
        #expect(try steps(of: "one", in: connection) == [1, 2, 3, 4])
    }

    @Test("go on behind the steps that a build without numbers has made")
    func inferred() throws {
        let connection = try open()
        try connection.execute("CREATE TABLE one(step INTEGER)")
        let former = Migrations(
            of: "one",
            steps: [
                { _ in throw Refused() },
                { try $0.execute("INSERT INTO one VALUES(2)") },
            ],
            inferred: { _ in 1 }
        )
        try run(former, in: connection)
        try run(former, in: connection)
        #expect(try steps(of: "one", in: connection) == [2])
    }

    @Test("write nothing where nothing is to be done")
    func untouched() throws {
        let connection = try open()
        let refused: Migrations.Step = { _ in throw Refused() }
        let present = Migrations(of: "one", steps: [refused], inferred: { _ in 1 })
        #expect(try present.areDone(in: connection))
        try run(present, in: connection)
        #expect(try connection.query("SELECT name FROM sqlite_schema") { $0.text(0) } == [])
    }

    @Test("make the present tables at once where there are none")
    func creation() throws {
        let connection = try open()
        let refused: Migrations.Step = { _ in throw Refused() }
        let one = Migrations(
            of: "one",
            steps: [refused, refused],
            creation: {
                try $0.execute("CREATE TABLE one(step INTEGER)")
            }
        )
        try run(one, in: connection)
        #expect(try one.areDone(in: connection))
        #expect(try steps(of: "one", in: connection) == [])
    }
}
