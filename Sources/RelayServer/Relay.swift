import Hummingbird
import Logging
import Outbox
public import OutboxCore
import RelayAPI
import RelayRules
import ServiceLifecycle

/// A relay: accepts memos over HTTP, remembers them, and mails them.
struct Relay<Store: ExaminedStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    let configuration: RelayConfiguration
    let clock: WallClock
    let logger: Logger
    let activity: MailActivity
    let metrics = RelayMetrics()

    init(
        store: Store,
        secret: RelaySecret,
        configuration: RelayConfiguration,
        clock: @escaping WallClock,
        logger: Logger
    ) {
        self.store = store
        self.secret = secret
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        activity = MailActivity(since: clock())
    }

    /// The routes, with their controllers and middleware.
    func router() -> Router<RelayContext> {
        let router = Router(context: RelayContext.self, options: .autoGenerateHeadEndpoints)
        let source = source
        router.addMiddleware {
            HeadMiddleware()
            LimitsMiddleware(
                store: store,
                secret: secret,
                limits: configuration.heldMemoLimits,
                source: source,
                clock: clock
            )
            HostMiddleware(hosts: configuration.admittedHosts)
            WebHeaders(isBehindHTTPS: configuration.isBehindHTTPS)
            WebMiddleware(bundle: configuration.web)
            ProblemMiddleware(metrics: metrics)
            AcceptTimeMiddleware(metrics: metrics)
            OriginMiddleware()
            MethodMiddleware()
        }
        router.on(.health) { _, _ in "ok\n" }
        let readiness = readiness()
        router.on(.readiness) { _, _ in
            let report = await readiness.report()
            return Response.json(
                try RelayJSON.encode(report),
                status: report.ready ? .ok : .serviceUnavailable
            )
        }
        let reviewPage = configuration.reviewPage
        router.on(.review) { _, _ in Response.redirect(to: reviewPage ?? "/") }
        router.on(.reviewOffer) { _, _ in
            Response.json(try RelayJSON.encode(ReviewOffer(page: reviewPage != nil)))
        }
        let description = OpenAPIDocument.bytes
        router.on(.description) { _, _ in Response.json(description) }
        let renderer = MailRenderer(from: configuration.from, signer: configuration.signer)
        let authenticator = Authenticator(store: store, clock: clock)
        MemoController(
            service: MemoService(
                store: store,
                secret: secret,
                renderer: renderer,
                limits: configuration.heldMemoLimits,
                reserve: reserve,
                clock: clock
            ),
            authenticator: authenticator,
            source: source,
            bodyTime: configuration.connectionBounds.body,
            work: MemoWork(
                underWay: MemosUnderWay(patience: configuration.repetitionPatience)
            )
        ).addRoutes(to: router)
        VerificationController(
            service: VerificationService(
                store: store,
                secret: secret,
                renderer: renderer,
                rules: configuration.verificationRules,
                publicURL: configuration.publicURL,
                reserve: reserve,
                metrics: metrics,
                clock: clock
            ),
            source: source,
            proxy: configuration.vouchingProxy,
            bodyTime: configuration.connectionBounds.body,
            authenticator: authenticator
        ).addRoutes(to: router)
        ChangesController(
            service: ChangesService(store: store, secret: secret),
            authenticator: authenticator
        ).addRoutes(to: router)
        SettingsController(
            service: SettingsService(
                store: store,
                secret: secret,
                reserve: reserve,
                clock: clock
            ),
            authenticator: authenticator,
            bodyTime: configuration.connectionBounds.body
        ).addRoutes(to: router)
        DeviceController(store: store, authenticator: authenticator, clock: clock)
            .addRoutes(to: router)
        ResendController(
            store: store,
            secret: secret,
            webhookSecret: webhookSecret,
            bodyTime: configuration.connectionBounds.body,
            clock: clock,
            logger: logger
        ).addRoutes(to: router)
        RevocationController(store: store, secret: secret, clock: clock).addRoutes(to: router)
        return router
    }

    /// The HTTP side, bounded in connections, header sizes and idle time.
    ///
    /// - Parameters:
    ///   - connections: The open connections; by default those of this application alone.
    ///   - listening: Called with the port once connections are accepted.
    func application(
        _ connections: OpenConnections? = nil,
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let connections = connections ?? openConnections()
        let responder = router().buildResponder()
        let channel = channel(
            connections,
            responder: responder,
            gate: RequestGate(
                rates: RequestRates(
                    perSecond: configuration.requestsPerNetwork,
                    now: configuration.requestClock()
                ),
                clock: configuration.requestClock,
                wallClock: clock,
                source: source,
                metrics: metrics,
                policy: configuration.memoLimits.policies
            )
        )
        return Application(
            responder: responder,
            server: channel.server,
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                backlog: configuration.connectionBounds.unaccepted,
                // Some more than the maximum, because closing the idlest one takes a moment.
                availableConnectionsDelegate: .maximum(connections.maximum + 16, logger: logger)
            ),
            onServerRunning: { server in
                do {
                    try await configuration.connectionBounds.boundUnread(of: server)
                    try await connections.guardAccepting(on: server)
                    try await channel.lead(from: server)
                } catch {
                    logger.error("not accepting", metadata: ["error": "\(type(of: error))"])
                }
                listening(server.localAddress?.port ?? 0)
            },
            logger: logger
        )
    }

    var source: RequestSource {
        RequestSource(trustedProxies: configuration.trustedProxies, proxies: configuration.proxies)
    }

    func openConnections() -> OpenConnections {
        OpenConnections(
            maximum: OpenFiles.connections(atMost: configuration.maximumConnections)
        )
    }

    /// The space on the disk that new memos and codes may not use.
    var reserve: DiskReserve { configuration.reserve(reusable: store.reusableSpace) }

    func readiness() -> Readiness<Store> {
        Readiness(
            store: store,
            reserve: reserve,
            activity: activity,
            clock: clock,
            logger: logger,
            patience: configuration.readinessPatience
        )
    }

    /// Nothing bounces from a Maildir, or from a mailbox.
    private var bounces: BounceRoute? {
        switch configuration.mail {
        case .maildir, .imap: nil
        case .smtp:
            configuration.bounceMailbox.map {
                .returnPath(ReturnPath(mailbox: $0, secret: secret))
            }
        // Also without webhooks: a mail's request stays the same when they are set up.
        case .resend: .tag(secret)
        }
    }

    private var webhookSecret: ResendWebhookSecret? {
        guard case .resend(let endpoint) = configuration.mail else { return nil }
        return endpoint.webhookSecret
    }

    /// The delivery that the mail queue calls for each mail.
    func delivery<Transport: MailTransport>(
        by transport: Transport
    ) -> MailDelivery<Transport> {
        MailDelivery(
            transport: transport,
            bounces: bounces,
            expiry: MailExpiry(policy: configuration.mailPolicy),
            rules: configuration.verificationRules,
            activity: activity,
            noteMovement: { [store] time in try await store.noteMovement(at: time) },
            clock: clock,
            logger: logger
        )
    }
}

/// Reads the wall clock. A test passes a clock of its own.
public typealias WallClock = @Sendable () -> WallTime
