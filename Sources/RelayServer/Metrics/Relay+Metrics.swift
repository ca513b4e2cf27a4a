import HTTPTypes
import Hummingbird
import Logging
import MemoCore
import NIOCore
import Outbox
import OutboxCore
import RelayAPI
import ServiceLifecycle

/// Serves `/metrics` to programs of this machine.
///
/// The listener is on the loopback address and has a port of its own: a proxy in front of the relay
/// cannot pass it on by mistake. A request that names another host than this machine is refused, so
/// that no page that a browser of this machine shows can read the numbers under a name of its own
/// (DNS rebinding).
struct MetricsService<Store: ExaminedStore>: Service {
    static var host: String { "127.0.0.1" }

    let relay: Relay<Store>
    let port: Int
    let connections: OpenConnections
    /// Called once connections are accepted.
    var listening: @Sendable () -> Void = {}

    func run() async throws {
        do {
            try await application().run()
        } catch let error as IOError {
            throw RelayStartError.metricsAddress(code: error.errnoCode)
        }
    }

    func application() -> some ApplicationProtocol {
        let router = Router(context: RelayContext.self, options: .autoGenerateHeadEndpoints)
        router.addMiddleware {
            HeadMiddleware()
            ProblemMiddleware(metrics: relay.metrics)
        }
        let readiness = relay.readiness()
        router.get("\(RelayPath.metrics)") { [relay] request, _ in
            guard PublicURL.host(of: request.head.authority ?? "").isLoopbackHost else {
                return Response(status: .misdirectedRequest)
            }
            return Response(
                status: .ok,
                headers: [.contentType: PrometheusText.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(
                    byteBuffer: ByteBuffer(string: await relay.metricsPage(readiness))
                )
            )
        }
        let responder = router.buildResponder()
        return Application(
            responder: responder,
            server: relay.channel(connections, responder: responder, gate: nil).server,
            configuration: ApplicationConfiguration(address: .hostname(Self.host, port: port)),
            onServerRunning: { [relay, listening] channel in
                relay.logger.notice(
                    "serving metrics",
                    metadata: ["port": "\(channel.localAddress?.port ?? 0)"]
                )
                listening()
            },
            logger: relay.logger
        )
    }
}

extension Relay {
    /// All metrics. Those that need the database are missing while it cannot be read.
    func metricsPage(_ readiness: Readiness<Store>) async -> String {
        var page = PrometheusText()
        metrics.write(to: &page)
        activity.write(to: &page)
        let report = await readiness.report()
        page.family("memo_relay_ready", .gauge, "Whether all checks of /readyz are fine.")
        page.sample("memo_relay_ready", report.ready ? 1 : 0)
        if let space = configuration.store.folder.flatMap(configuration.space) {
            page.family("memo_relay_disk_free_bytes", .gauge, "Free space on the relay's disk.")
            page.sample("memo_relay_disk_free_bytes", space.free)
        }
        if let shards = store.ownShards {
            page.family(
                "memo_relay_own_shards",
                .gauge,
                "Of the 64 shards of accounts, those whose memos this relay hands over."
            )
            page.sample("memo_relay_own_shards", shards)
        }
        let now = clock()
        do {
            write(try await store.queueFigures(), at: now, to: &page)
            write(try await store.queueCondition(at: now), to: &page)
        } catch {
            logger.error("queue not counted", metadata: ["reason": "\(ReasonCode(failure: error))"])
        }
        return page.text
    }

    private func write(_ queue: QueueFigures, at now: WallTime, to page: inout PrometheusText) {
        let mails = "memo_relay_queued_mails"
        page.family(mails, .gauge, "Mails that will be attempted.")
        page.sample(mails, ["mail": "code"], queue.codes)
        page.sample(mails, ["mail": "memo"], queue.memos)
        let dead = "memo_relay_dead_letters"
        page.family(dead, .gauge, "Mails that the relay has given up.")
        page.sample(dead, queue.dead)
        let held = "memo_relay_held_mails"
        page.family(held, .gauge, "Mails that the operator holds.")
        page.sample(held, queue.held)
        let oldest = "memo_relay_oldest_mail_age_seconds"
        page.family(oldest, .gauge, "Age of the oldest mail that will be attempted; 0 for none.")
        page.sample(oldest, queue.oldest.map { max(0, now.since($0).count / 1000) } ?? 0)
    }

    private func write(_ condition: QueueCondition, to page: inout PrometheusText) {
        let waiting = "memo_relay_waiting_mails"
        page.family(waiting, .gauge, "Mails that wait, by their last failure; of at most 1000.")
        for (reason, count) in condition.waits.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            page.sample(waiting, ["reason": "\(reason)"], count)
        }
    }
}

/// Measures how long the acceptance of a memo takes.
struct AcceptTimeMiddleware: RouterMiddleware {
    let metrics: RelayMetrics

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        if response.status == .accepted, Self.isMemo(request) {
            metrics.accepted(in: start.duration(to: .now))
        }
        return response
    }

    /// Other requests that are answered with 202 are requests for codes.
    private static func isMemo(_ request: Request) -> Bool {
        request.method == .put || request.uri.path == "\(RelayPath.send)"
    }
}
