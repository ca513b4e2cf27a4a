import Foundation
import Outbox
import OutboxTesting
import PostgreSQLServer
import RelayRules
import Synchronization

@testable import PostgreSQL
@testable import RelayPostgres

/// A database for one test, at a server that all tests of this process share. It ends with this object.
final class RelayDatabase: Sendable {
    nonisolated(unsafe) private static var started: PostgreSQLServer?
    private static let lock = NSLock()
    private static let latest = Mutex(0)

    private static func server() throws -> PostgreSQLServer {
        try lock.withLock {
            if let started { return started }
            // No test cuts the power.
            let server = try PostgreSQLServer(options: "-c max_connections=200 -c fsync=off")
            started = server
            // A static value is not released when the process ends.
            atexit { RelayDatabase.started = nil }
            return server
        }
    }

    /// Its commands run in processes of their own.
    private nonisolated(unsafe) let server: PostgreSQLServer
    private let name: String
    private let pools = Mutex<[Pool]>([])

    init() throws {
        server = try Self.server()
        name = Self.latest.withLock { latest in
            latest += 1
            return "relay\(latest)"
        }
        try server.makeDatabase(name)
    }

    deinit {
        for pool in pools.withLock({ $0 }) { pool.closeBlocking() }
        do {
            try server.dropDatabase(name)
        } catch {
            print("could not drop \(name)")
        }
    }

    /// A connection by itself.
    func connection() throws -> Connection { try Connection(Settings(server.address(of: name))) }

    /// New connections, which end with this object.
    ///
    /// - Parameter address: A connection string that leads to the database by another way.
    func pool(_ address: String? = nil, _ change: (inout Settings) -> Void = { _ in }) -> Pool {
        var settings = Settings(address ?? server.address(of: name))
        change(&settings)
        let pool = Pool(settings)
        pools.withLock { $0.append(pool) }
        return pool
    }

    /// A relay's store in the database.
    func store(
        _ isolation: Isolation = .readCommitted,
        keys: some KeyStore = MemoryKeyStore(),
        over pool: Pool? = nil,
        leaseTimes: LeaseTimes = LeaseTimes()
    ) async throws -> PostgreSQLRelayStore {
        try await PostgreSQLRelayStore(
            pool ?? self.pool(),
            isolation: isolation,
            keys: keys,
            leaseTimes: leaseTimes
        )
    }

    /// Pools by way of something that stands before the server. Statements are not prepared.
    func pool(through proxy: HarmfulProxy) -> Pool {
        pool(proxy.address(of: name)) { $0.preparesStatements = false }
    }

    func pool(through pooler: Pooler) -> Pool {
        pool(pooler.address(of: name)) { settings in
            settings.preparesStatements = false
            settings.pipelines = false
        }
    }

    /// Connections of a role that reads and writes rows, and can change no table. The tables are made before.
    func restrictedPool() async throws -> Pool {
        _ = try await RelaySchema.migrations.run(in: pool())
        let owner = try connection()
        for statement in [
            Statement(
                """
                DO $$ BEGIN CREATE ROLE restricted LOGIN;
                EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$
                """
            ),
            Statement(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO restricted"
            ),
            Statement("REVOKE INSERT, UPDATE, DELETE ON schema_component FROM restricted"),
        ] { _ = try owner.run(statement) }
        return pool(
            server.address(of: name).replacing("user=memo", with: "user=restricted")
        )
    }

    static func proxy(_ harm: HarmfulProxy.Harm) throws -> HarmfulProxy {
        try HarmfulProxy(before: try server(), harm)
    }

    static func pooler() throws -> Pooler { try Pooler(before: try server(), connections: 4) }
}
