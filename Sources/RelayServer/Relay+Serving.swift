import Hummingbird
import LibC
public import Logging
import MemoCore
import NIOCore
import Outbox
import OutboxCore
import OutboxLogging
import RelayRules
import ServiceLifecycle
import Synchronization
import UnixSignals

extension Relay {
    /// - Parameters:
    ///   - configuration: The settings of the relay.
    ///   - logger: Logs the relay's events.
    ///   - queueLogger: Logs every transition of the mail queue.
    ///   - clock: The clock of the relay and of its mail queue.
    ///   - open: Opens the store.
    init<Failure: Error>(
        configuration: RelayConfiguration,
        logger: Logger,
        queueLogger: Logger,
        clock: OutboxClock = .system,
        opening open: (StoreSettings) throws(Failure) -> Store
    ) throws(Failure) {
        let store = try open(
            StoreSettings(configuration, logger: logger, queueLogger: queueLogger, clock: clock)
        )
        self.init(
            store: store,
            secret: store.secret,
            configuration: configuration,
            clock: clock.wallTime,
            logger: logger
        )
    }
}

extension StoreSettings {
    /// The settings of the store of a relay.
    fileprivate init(
        _ configuration: RelayConfiguration,
        logger: Logger,
        queueLogger: Logger,
        clock: OutboxClock
    ) {
        self.init(
            keyPath: configuration.keyPath,
            mailPolicy: configuration.mailPolicy,
            clock: clock,
            log: { queueLogger.log($0) },
            fateLost: { id in
                logger.error("status of a finished mail lost", metadata: ["operation": "\(id)"])
            }
        )
    }
}

extension Relay {
    /// The service that delivers the queued mails.
    func queue<Transport: MailTransport>(
        delivering transport: Transport
    ) -> MailQueueService<Store, Transport> {
        MailQueueService(
            store: store,
            delivery: delivery(by: transport),
            sweeper: RelaySweeper(
                store: store,
                age: RunningAge(lifetime: configuration.deadLetterLifetime),
                room: { [configuration] in configuration.deadLetterRoom },
                monotonic: OutboxClock.system.monotonic,
                clock: clock,
                logger: logger
            )
        )
    }

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
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [service(delivering: transport, listening: listening)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
        )
        logger.notice(
            "relay starts",
            metadata: [
                "version": "\(ProgramVersion.text)",
                "data": "\(configuration.store.folder ?? "a database")",
                "mail": "\(configuration.mail.description)",
            ]
        )
        try await group.run()
        logger.notice("relay has stopped")
    }

    /// All that a relay does, with the bounds of a stop.
    func service(
        delivering transport: some MailTransport,
        listening: @escaping @Sendable (Int) -> Void
    ) -> StoppableServices {
        let times = configuration.stopTimes
        let (connections, metricsConnections) = (openConnections(), OpenConnections(maximum: 16))
        let hasMetrics = configuration.metricsPort != nil
        let listeners = Listeners(count: hasMetrics ? 2 : 1, allListen: listening)
        // The queue is told before the requests: no further mail is begun while they end.
        var services: [any Service] = [
            ShutdownNotice(logger: logger),
            queue(delivering: transport),
            StoppableApplication(
                base: application(connections) { listeners.listens(mainPort: $0) },
                connections: connections,
                patience: times.requests
            ),
        ]
        if let port = configuration.metricsPort {
            let metrics = MetricsService(
                relay: self,
                port: port,
                connections: metricsConnections
            ) {
                listeners.listens()
            }
            services.append(
                StoppableApplication(
                    base: metrics,
                    connections: metricsConnections,
                    patience: times.requests
                )
            )
        }
        return StoppableServices(
            services: services,
            deadline: StopDeadline(times, isMailOwed: { [activity] in activity.isUnderWay }) {
                [logger] in
                logger.error("the stop takes too long: ended. What was accepted is stored")
                _exit(1)
            }
        )
    }
}

/// Logs that the relay was told to end, before anything else ends.
private struct ShutdownNotice: Service {
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        logger.notice("relay stops, after the requests and mails under way")
    }
}

/// Tells when every port of the relay accepts connections.
private final class Listeners: Sendable {
    private let state: Mutex<(missing: Int, mainPort: Int)>
    private let allListen: @Sendable (Int) -> Void

    init(count: Int, allListen: @escaping @Sendable (Int) -> Void) {
        state = Mutex((count, 0))
        self.allListen = allListen
    }

    /// - Parameter mainPort: The port of the API; `nil` for the one of the metrics.
    func listens(mainPort: Int? = nil) {
        let port = state.withLock { state -> Int? in
            state.missing -= 1
            if let mainPort { state.mainPort = mainPort }
            return state.missing == 0 ? state.mainPort : nil
        }
        if let port { allListen(port) }
    }
}

/// Runs a relay in this process.
///
/// Serves until SIGTERM or SIGINT, then finishes the requests and mails under way.
///
/// - Parameters:
///   - configuration: The settings of the relay.
///   - logger: Logs the relay's events.
///   - open: Opens the store at ``RelayConfiguration/store``. It throws the reason why the relay
///     cannot start.
///   - listening: Called with the port once connections are accepted.
/// - Throws: ``RelayStartError`` for a cause that a person can remove; any other error that ends
///   the relay.
public func serveRelay<Store: ExaminedStore>(
    _ configuration: RelayConfiguration,
    logger: Logger,
    opening open: (StoreSettings) async throws(RelayStartError) -> Store,
    listening: @escaping @Sendable (Int) -> Void
) async throws {
    guard configuration.memoLimits.contradictions.isEmpty else { throw RelayStartError.limits }
    for warning in configuration.warnings { logger.warning("\(warning)") }
    ProcessMemory.bound()
    OpenFiles.makeRoom(forConnections: configuration.maximumConnections)
    var queueLogger = Logger(label: "outbox")
    queueLogger.logLevel = logger.logLevel
    let clock = OutboxClock.system
    let store = try await open(
        StoreSettings(configuration, logger: logger, queueLogger: queueLogger, clock: clock)
    )
    let relay = Relay(
        store: store,
        secret: store.secret,
        configuration: configuration,
        clock: clock.wallTime,
        logger: logger
    )
    // The store keeps other relays out.
    defer { withExtendedLifetime(relay) {} }
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
            switch configuration.smtpClient {
            case .curl:
                let transport = SMTPTransport(endpoint: endpoint)
                try await relay.run(delivering: transport, listening: listening)
            case .nio:
                let transport = NIOSMTPTransport(endpoint: endpoint)
                try await relay.run(delivering: transport, listening: listening)
            }
        case .imap(let mailbox):
            try await relay.run(
                delivering: IMAPTransport(
                    mailbox: mailbox,
                    firstWait: configuration.mailPolicy.base,
                    clock: relay.clock
                ) { [store = relay.store, secret = relay.secret] address in
                    try await store.ownMailbox(of: secret.key(of: address))
                },
                listening: listening
            )
        case .resend(let endpoint):
            try await relay.run(
                delivering: ResendTransport(
                    endpoint: endpoint,
                    store: relay.store,
                    clock: relay.clock
                ),
                listening: listening
            )
        }
    } catch let error as IOError {
        throw RelayStartError.address(code: error.errnoCode)
    } catch is SocketAddressError.UnknownHost {
        throw RelayStartError.unknownHost
    }
}

/// Drains the mail queue for as long as the relay runs, discards old dead letters, and removes what is left
/// of erased accounts.
struct MailQueueService<Store: ExaminedStore, Transport: MailTransport>: Service {
    let store: Store
    let delivery: MailDelivery<Transport>
    let sweeper: RelaySweeper<Store>

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await store.deliver(delivery.handlers) }
                group.addTask { await sweeper.run() }
                // The one that ends first ends the other.
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        }
    }
}
