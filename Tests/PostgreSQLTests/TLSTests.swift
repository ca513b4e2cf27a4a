import Foundation
import PostgreSQLServer
import TemporaryFolders
import Testing

@testable import PostgreSQL

/// A server by TCP, with a certificate for the name `database.example`.
@Suite(
    "PostgreSQL over TLS",
    .enabled(
        if: PostgreSQLServer.isThere && Requirement.isMet(access("/usr/bin/openssl", X_OK) == 0)
    ),
    .serialized,
    .timeLimit(.minutes(60))
)
struct TLSTests {
    @Test("a server by TCP needs a certificate for its name, unless the address says otherwise")
    func certificate() throws {
        let server = try PostgreSQLServer(listensWithTLS: true)
        let port = server.port
        let at = { (host: String) in
            "host=\(host) hostaddr=127.0.0.1 port=\(port) user=memo dbname=postgres"
        }
        let trusting = " sslrootcert=\(server.authority)"
        let isEncrypted = Statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")

        let connection = try Connection(Settings(at("database.example") + trusting))
        #expect(try connection.run(isEncrypted)[0].boolean(0))
        // Another name, and an authority that nobody knows.
        #expect(throws: PostgreSQLError.unreachable) {
            try Connection(Settings(at("localhost") + trusting))
        }
        #expect(throws: PostgreSQLError.unreachable) {
            try Connection(Settings(at("database.example")))
        }
        let plain = try Connection(Settings(at("localhost") + " sslmode=disable"))
        #expect(try !plain.run(isEncrypted)[0].boolean(0))
    }

    @Test("a server without TLS is not used by TCP")
    func none() throws {
        let server = try PostgreSQLServer(listensWithTLS: true, options: "-c ssl=off")
        #expect(throws: PostgreSQLError.unreachable) {
            try Connection(
                Settings(
                    """
                    host=database.example hostaddr=127.0.0.1 port=\(server.port) user=memo \
                    dbname=postgres sslrootcert=\(server.authority)
                    """
                )
            )
        }
    }
}
