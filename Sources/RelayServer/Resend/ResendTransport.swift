import Curl
import Outbox
public import OutboxCore
import RelayRules
import Synchronization

/// Hands mails to the provider Resend over HTTPS. Keeps connections open for further mails.
///
/// - Resend sends one mail for all attempts of 24 hours: they carry one key. A mail of which it stays
///   unknown for longer whether Resend has it is not handed over again, because it might arrive
///   twice: Resend gives each mail that it sends a `Message-ID` of its own.
/// - Requests keep the rate that Resend takes, those of all relays of the store together. A request that came too quickly all the same, because
///   another program uses the same account, is repeated after the wait that Resend asks for.
public struct ResendTransport<Store: RelayStore>: MailTransport {
    /// The number of requests for one attempt while Resend says that they come too quickly.
    private static var requests: Int { 5 }

    private let endpoint: ResendEndpoint
    private let store: Store
    private let clock: WallClock
    private let connections = IdleHandles()

    /// - Parameters:
    ///   - endpoint: The provider's API.
    ///   - store: Has the turns of requests.
    ///   - clock: Reads the wall clock.
    public init(endpoint: ResendEndpoint, store: Store, clock: @escaping WallClock) {
        self.endpoint = endpoint
        self.store = store
        self.clock = clock
    }

    /// An hour less than Resend promises.
    public var repetitionWindow: Milliseconds? { .seconds(23 * 3600) }

    public func isUnknown(_ reason: ReasonCode) -> Bool { ResendAnswer.isUnknown(reason) }

    public func deliver(_ mail: QueuedMail) async -> MailOutcome {
        // A newer build may have stored the mail in another form.
        guard let request = ResendRequest(mail) else { return .tryLater("resend.form") }
        for _ in 0..<Self.requests {
            do {
                try await waitForTurn()
            } catch is CancellationError {
                return .tryLater("resend.cancelled")
            } catch {
                return .tryLater(ReasonCode(failure: error))
            }
            switch await send(request) {
            case .unanswered(let outcome): return outcome
            case .answered(let answer):
                guard let pause = answer.pause else { return answer.outcome }
                // Where the store fails, the next turn fails as well.
                try? await store.rest(.resend, for: pause, at: clock())
            }
        }
        return .tryLater("resend.rate")
    }

    private func waitForTurn() async throws {
        let wait = try await store.takeTurn(of: .resend, pause: endpoint.pause, at: clock())
        try await Task.sleep(for: .milliseconds(wait.count))
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
