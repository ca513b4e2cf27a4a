import Foundation
import KilledProcess
import TemporaryFolders

/// pgbouncer before a ``PostgreSQLServer``, in transaction mode: each transaction of a client may have
/// another connection of the server. It ends with this object, and with this process.
package final class Pooler {
    private static let program = "/usr/sbin/pgbouncer"

    /// Whether the tests that need a pooler run.
    package static var isThere: Bool {
        PostgreSQLServer.isThere && Requirement.isMet(access(program, X_OK) == 0)
    }

    private let server: PostgreSQLServer
    private let process: KilledProcess

    /// - Parameter connections: The number of the server's connections that all clients share.
    package init(before server: PostgreSQLServer, connections: Int) throws {
        self.server = server
        let settings = """
            [databases]
            * = host=\(server.folder)
            [pgbouncer]
            listen_addr =
            listen_port = \(Self.port)
            unix_socket_dir = \(server.folder)
            auth_type = trust
            auth_file = \(server.folder)/users
            pool_mode = transaction
            default_pool_size = \(connections)
            """
        let file = server.folder + "/pgbouncer.ini"
        try settings.write(toFile: file, atomically: false, encoding: .utf8)
        let users = server.folder + "/users"
        try "\"memo\" \"\"\n".write(toFile: users, atomically: false, encoding: .utf8)
        // A pooler that was killed leaves its socket, at which nobody listens.
        unlink("\(server.folder)/.s.PGSQL.\(Self.port)")
        let command = PostgreSQLServer.asUser + "\(Self.program) -q \(file)"
        process = try KilledProcess(
            "/bin/sh",
            ["-c", "exec \(command) >>\(server.folder)/log 2>&1"]
        )
        try server.waitUntilClientsAreLetIn(at: Self.port)
    }

    deinit { _ = process.kill() }

    /// The number that is part of the name of the pooler's socket.
    private static let port = 6432

    /// A connection string for the database `postgres`, by way of the pooler.
    package var address: String { address(of: "postgres") }

    /// A connection string for a database, by way of the pooler.
    package func address(of database: String) -> String {
        "\(server.address(of: database)) port=\(Self.port)"
    }
}
