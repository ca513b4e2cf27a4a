import Outbox
import OutboxCore
import PostgreSQL
import RelayRules
public import RelayServer

/// The place of relays' data in a PostgreSQL database, and the way to it.
public struct PostgreSQLPlace: Sendable {
    /// The reason why a text is no place.
    public enum Mistake: Error, Hashable, Sendable {
        /// The text is no URL of PostgreSQL: `postgres://HOST/DATABASE` or `postgresql://HOST/DATABASE`.
        case notAnAddress
        /// The text has a password: other programs of the machine see an option.
        case password
    }

    private let settings: Settings

    /// - Parameters:
    ///   - url: A connection URL of libpq
    ///     (<https://www.postgresql.org/docs/15/libpq-connect.html#id-1.7.3.8.3.6>), without a password. A
    ///     server by TCP needs a certificate for its name unless the URL says `sslmode`.
    ///   - password: The password; `nil` for none, or one in the file that libpq reads.
    ///   - isPooled: Whether a pooler stands before the database that hands each transaction to another
    ///     connection: then statements are sent one by one, and never prepared.
    public init(
        _ url: String,
        password: String? = nil,
        isPooled: Bool = false
    ) throws(Mistake) {
        guard Self.isURL(url) else { throw .notAnAddress }
        guard !Self.hasPassword(url) else { throw .password }
        var settings = Settings(url)
        settings.password = password
        settings.preparesStatements = !isPooled
        settings.pipelines = !isPooled
        self.settings = settings
    }

    /// Whether a text is a URL of PostgreSQL, whatever else it has.
    public static func isURL(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Before an `@` that ends the user, or as a parameter.
    private static func hasPassword(_ url: String) -> Bool {
        let rest = url.split(separator: "://", maxSplits: 1).last ?? ""
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let user = authority.lastIndex(of: "@").map { authority[..<$0] }
        let parameters = rest.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return user?.contains(":") == true
            || parameters.split(separator: "&").contains { $0.hasPrefix("password=") }
    }

    /// Opens the store of a relay that serves. Makes the tables and the key if need be.
    ///
    /// - Parameters:
    ///   - settings: The relay's settings.
    ///   - leaseSeconds: The seconds after which other relays hand over the mails of this one if it is killed.
    /// - Throws: The reason why the relay cannot start.
    public func store(
        _ settings: StoreSettings,
        leaseSeconds: Int = 15
    ) async throws(RelayStartError) -> some ExaminedStore {
        do {
            return try await PostgreSQLRelayStore(
                Pool(self.settings),
                keys: FileKeyStore(path: settings.keyPath),
                policy: settings.mailPolicy,
                clock: settings.clock,
                listening: self.settings.pipelines ? self.settings : nil,
                leaseTimes: LeaseTimes(length: .seconds(Int64(leaseSeconds))),
                log: settings.log
            )
        } catch let error as RelayStartError {
            throw error
        } catch let error as KeyStoreError {
            throw .key(error)
        } catch is SecretMissing {
            throw .secret
        } catch {
            throw .database(DatabaseFault(error))
        }
    }

    /// The steps of the database's tables.
    package func migrations() -> some MigratedStore { PostgreSQLMigrations(pool: Pool(settings)) }

    /// The database as the target of a ``/RelayServer/StoreCopy``. Makes the tables if need be.
    ///
    /// - Throws: ``/RelayServer/StoreCopyError``.
    package func copyTarget() async throws(StoreCopyError) -> some CopyTarget {
        let pool = Pool(settings)
        do {
            try await translating { _ = try await RelaySchema.migrations.run(in: pool) }
        } catch {
            throw .target(DatabaseFault(error))
        }
        return PostgreSQLCopyTarget(pool: pool)
    }

    /// The database, beside the relays that use it, for an operator's commands. Connects to nothing yet.
    ///
    /// - Parameter key: The path of the key file.
    public func operators(key: String) -> some OperatedStore {
        PostgreSQLOperators(Pool(settings), keys: FileKeyStore(path: key))
    }
}
