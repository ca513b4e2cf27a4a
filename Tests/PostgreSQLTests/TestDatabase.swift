import Foundation
import PostgreSQLServer
import Synchronization

@testable import PostgreSQL

/// The ways in which statements are sent.
enum Manner: CaseIterable {
    case preparedTogether, preparedAlone, unpreparedTogether, unpreparedAlone

    func settings(_ address: String) -> Settings {
        var settings = Settings(address)
        settings.preparesStatements = self == .preparedTogether || self == .preparedAlone
        settings.pipelines = self == .preparedTogether || self == .unpreparedTogether
        return settings
    }
}

/// A server for the tests that neither stop it nor change its settings. It ends with this process.
enum SharedServer {
    nonisolated(unsafe) private static var started: PostgreSQLServer?
    private static let lock = NSLock()

    private static func server() throws -> PostgreSQLServer {
        try lock.withLock {
            if let started { return started }
            let server = try PostgreSQLServer(
                options: "-c max_connections=50",
                access: "local all guarded scram-sha-256"
            )
            let connection = try Connection(Settings(server.address))
            _ = try connection.run(
                Statement("CREATE ROLE guarded LOGIN PASSWORD 'correct horse'")
            )
            started = server
            // A static value is not released when the process ends.
            atexit { SharedServer.started = nil }
            return server
        }
    }

    static func address() throws -> String { try server().address }

    /// The folder of the server's socket.
    static func folder() throws -> String { try server().folder }
}

extension Connection {
    /// Runs statements that make tables for a test, each by itself.
    func prepare(_ statements: Statement...) throws {
        for statement in statements { _ = try run(statement) }
    }
}

/// A value that several tasks and threads of a test change.
final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}
