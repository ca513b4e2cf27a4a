import Hummingbird
import LibC
public import Logging
import NIOCore
public import Outbox
import OutboxCore
import OutboxLogging
import ServiceLifecycle
import UnixSignals

extension Relay where Store == SQLiteRelayStore {
    /// Opens the data folder, which must exist.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the relay.
    ///   - logger: Logs the relay's events.
    ///   - queueLogger: Logs every transition of the mail queue.
    ///   - clock: Reads the wall clock.
    /// - Throws: `StorageError` for a folder that cannot be written, `KeyStoreError` for a key that
    ///   cannot be read.
    init(
        configuration: RelayConfiguration,
        logger: Logger,
        queueLogger: Logger,
        clock: @escaping WallClock = OutboxClock.system.wallTime
    ) throws {
        let folder = configuration.dataFolder
        let store = try SQLiteRelayStore(
            folder: folder,
            keys: FileKeyStore(path: folder + "/key"),
            policy: configuration.mailPolicy,
            log: { queueLogger.log($0) }
        )
        self.init(
            store: store,
            secret: store.secret,
            configuration: configuration,
            clock: clock,
            logger: logger
        )
    }
}

extension Relay {
    /// Serves until SIGTERM or SIGINT, then finishes the requests and mails under way.
    ///
    /// - Parameters:
    ///   - transport: Hands mails over.
    ///   - listening: Called with the port once connections are accepted.
    func run(
        delivering transport: some MailTransport,
        listening: @escaping @Sendable (Int) -> Void
    ) async throws {
        if let web = configuration.web {
            logger.info("serving the web app", metadata: ["bytes": "\(web.size)"])
        } else {
            logger.notice("serving no web app, because this program holds none: --web names one")
        }
        let queue = MailQueueService(store: store, delivery: delivery(by: transport))
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(service: queue), .init(service: application(listening: listening)),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        try await group.run()
    }
}

/// Runs a relay in this process.
///
/// Serves until SIGTERM or SIGINT, then finishes the requests and mails under way. A data folder
/// can have one relay at a time.
///
/// - Parameters:
///   - configuration: The settings of the relay.
///   - logger: Logs the relay's events.
///   - listening: Called with the port once connections are accepted.
/// - Throws: ``RelayStartError`` for a cause that a person can remove; any other error that ends
///   the relay.
public func serveRelay(
    _ configuration: RelayConfiguration,
    logger: Logger,
    listening: @escaping @Sendable (Int) -> Void
) async throws {
    OpenFiles.makeRoom(forConnections: configuration.maximumConnections)
    let relay: Relay<SQLiteRelayStore>
    let lock = try claimDataFolder(configuration.dataFolder)
    var queueLogger = Logger(label: "outbox")
    queueLogger.logLevel = logger.logLevel
    do {
        relay = try Relay(configuration: configuration, logger: logger, queueLogger: queueLogger)
    } catch let error as KeyStoreError {
        throw RelayStartError.key(error)
    } catch {
        throw RelayStartError.dataFolder
    }
    defer { withExtendedLifetime(lock) {} }
    do {
        switch configuration.mail {
        case .maildir(let path):
            let transport: MaildirTransport
            do {
                transport = try MaildirTransport(path: path)
            } catch {
                throw RelayStartError.maildir
            }
            try await relay.run(delivering: transport, listening: listening)
        case .smtp(let endpoint):
            try await relay.run(
                delivering: SMTPTransport(endpoint: endpoint),
                listening: listening
            )
        }
    } catch let error as IOError {
        throw RelayStartError.address(code: error.errnoCode)
    }
}

/// Makes the folder if need be, and keeps other relays out of it as long as the lock lives.
private func claimDataFolder(_ folder: String) throws(RelayStartError) -> FileLock {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .dataFolder }
    let lock: FileLock?
    do {
        lock = try FileLock(path: folder + "/lock")
    } catch {
        throw .dataFolder
    }
    guard let lock else { throw .dataFolderInUse }
    return lock
}

/// The reason why a relay does not start.
public enum RelayStartError: Error, Hashable, Sendable {
    /// The data folder cannot be made or written, or it does not hold a relay's data.
    case dataFolder
    /// Another relay uses the data folder.
    case dataFolderInUse
    /// The key in the data folder cannot be used.
    case key(KeyStoreError)
    /// The Maildir cannot be made or written.
    case maildir
    /// The relay cannot listen on the address; with the system's error number.
    case address(code: Int32)
}

/// Drains the mail queue for as long as the relay runs.
struct MailQueueService<Store: RelayStore, Transport: MailTransport>: Service {
    let store: Store
    let delivery: MailDelivery<Store, Transport>

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await store.deliver(delivery.handlers) }
    }
}
