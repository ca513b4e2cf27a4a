import Curl
public import OutboxCore
import Synchronization

/// Hands mails to the provider Resend over HTTPS. Keeps connections open for further mails.
///
/// - Resend sends one mail for all attempts of 24 hours: they carry one key. A mail of which it stays
///   unknown for longer whether Resend has it is not handed over again, because it might arrive
///   twice: Resend gives each mail that it sends a `Message-ID` of its own.
/// - Requests keep the rate that Resend takes. A request that came too quickly all the same, because
///   another program uses the same account, is repeated after the wait that Resend asks for.
public struct ResendTransport: MailTransport {
    /// The number of requests for one attempt while Resend says that they come too quickly.
    private static let requests = 5

    private let endpoint: ResendEndpoint
    private let pace: Pace
    private let connections = IdleHandles()

    public init(endpoint: ResendEndpoint) {
        self.endpoint = endpoint
        pace = Pace(pause: endpoint.pause)
    }

    /// An hour less than Resend promises.
    public var repetitionWindow: Milliseconds? { .seconds(23 * 3600) }

    public func isUnknown(_ reason: ReasonCode) -> Bool { ResendAnswer.isUnknown(reason) }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        // A newer build may have stored the mail in another form.
        guard let request = ResendRequest(mail) else { return .tryLater("resend.form") }
        for _ in 0..<Self.requests {
            do {
                try await pace.turn()
            } catch {
                return .tryLater("resend.cancelled")
            }
            switch await send(request) {
            case .unanswered(let outcome): return outcome
            case .answered(let answer):
                guard let pause = answer.pause else { return answer.outcome }
                await pace.rest(for: pause)
            }
        }
        return .tryLater("resend.rate")
    }

    private func send(_ request: ResendRequest) async -> ResendExchange.Result {
        let exchange = ResendExchange(request, endpoint)
        return await withTaskCancellationHandler {
            await BlockingQueue(label: "resend").run { [connections] in
                guard let handle = connections.take() else {
                    return .unanswered(.tryLater("resend.libcurl"))
                }
                defer { connections.giveBack(handle) }
                return exchange.run(on: handle)
            }
        } onCancel: {
            exchange.cancel()
        }
    }
}

/// The moments at which requests may begin.
private actor Pace {
    private let pause: Duration
    private var next = ContinuousClock.now

    init(pause: Duration) {
        self.pause = pause
    }

    /// Returns when a request may begin.
    func turn() async throws {
        let turn = max(next, .now)
        next = turn + pause
        try await Task.sleep(until: turn, clock: .continuous)
    }

    /// Lets no request begin for a while, but those that have their turn already.
    func rest(for time: Duration) {
        next = max(next, .now + time)
    }
}

/// Handles whose connections are open, and which no request uses.
private final class IdleHandles: Sendable {
    private static let most = 8
    private let handles = Mutex<[CurlHandle]>([])

    func take() -> CurlHandle? {
        handles.withLock { $0.popLast() } ?? CurlHandle()
    }

    func giveBack(_ handle: CurlHandle) {
        handles.withLock { if $0.count < Self.most { $0.append(handle) } }
    }
}
