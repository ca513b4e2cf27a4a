import Hummingbird
import Logging
import Outbox
public import OutboxCore
import RelayAPI
import ServiceLifecycle

/// A relay: accepts memos over HTTP, remembers them, and mails them.
struct Relay<Store: RelayStore>: Sendable {
    let store: Store
    let secret: RelaySecret
    let configuration: RelayConfiguration
    let clock: WallClock
    let logger: Logger

    /// The routes, with their controllers and middleware.
    func router() -> Router<RelayContext> {
        let router = Router(context: RelayContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            HeadMiddleware()
            WebHeaders(isBehindHTTPS: configuration.isBehindHTTPS)
            WebMiddleware(bundle: configuration.web)
            ProblemMiddleware()
            OriginMiddleware()
            RequestedBodyMiddleware()
        }
        router.get("\(RelayPath.health)") { _, _ in "ok\n" }
        let reviewPage = configuration.reviewPage
        router.get("\(RelayPath.review)") { _, _ in Response.redirect(to: reviewPage ?? "/") }
        router.get("\(RelayPath.reviewOffer)") { _, _ in
            Response.json(try RelayJSON.encode(ReviewOffer(page: reviewPage != nil)))
        }
        let renderer = MailRenderer(from: configuration.from)
        let source = RequestSource(trustedProxies: configuration.trustedProxies)
        let authenticator = Authenticator(store: store)
        MemoController(
            service: MemoService(
                store: store,
                secret: secret,
                renderer: renderer,
                limits: configuration.deviceLimits,
                clock: clock
            ),
            authenticator: authenticator,
            source: source,
            bodyTime: configuration.connectionBounds.body
        ).addRoutes(to: router)
        VerificationController(
            service: VerificationService(
                store: store,
                secret: secret,
                renderer: renderer,
                rules: configuration.verificationRules,
                clock: clock
            ),
            source: source,
            bodyTime: configuration.connectionBounds.body
        ).addRoutes(to: router)
        DeviceController(store: store, authenticator: authenticator, clock: clock)
            .addRoutes(to: router)
        return router
    }

    /// The HTTP side, bounded in connections, header sizes and idle time.
    ///
    /// - Parameter listening: Called with the port once connections are accepted.
    func application(
        listening: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let connections = OpenConnections(
            maximum: OpenFiles.connections(atMost: configuration.maximumConnections)
        )
        return Application(
            router: router(),
            server: server(connections),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                // Some more than the maximum, because closing the idlest one takes a moment.
                availableConnectionsDelegate: .maximum(connections.maximum + 16, logger: logger)
            ),
            onServerRunning: { channel in
                do {
                    try await connections.guardAccepting(on: channel)
                } catch {
                    logger.error("not accepting", metadata: ["error": "\(type(of: error))"])
                }
                listening(channel.localAddress?.port ?? 0)
            },
            logger: logger
        )
    }

    /// The delivery that the mail queue calls for each mail.
    func delivery<Transport: MailTransport>(
        by transport: Transport
    ) -> MailDelivery<Store, Transport> {
        MailDelivery(
            store: store,
            transport: transport,
            expiry: MailExpiry(policy: configuration.mailPolicy),
            rules: configuration.verificationRules,
            clock: clock,
            logger: logger
        )
    }
}

/// Reads the wall clock. A test passes a clock of its own.
public typealias WallClock = @Sendable () -> WallTime
