import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore
import RelayRules
import WireCore

/// Tells every caller of the API the relay's time, and its limits
/// ([draft-ietf-httpapi-ratelimit-headers-10](https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10)),
/// whatever the answer: a device that knows its limits need not be refused.
///
/// `RateLimit-Policy` is the same in all answers. `RateLimit` tells the use of the limits of the
/// account and of its networks, to a request that carries the account's token. Others are told no
/// use: who shares a network, a café's, could read when its other people write memos
/// (section 8.2 of the draft), and a request without a token costs no look at the database. The use
/// of the whole service is told only once it is used up.
struct LimitsMiddleware<Store: RelayStore>: RouterMiddleware {
    let store: Store
    let secret: RelaySecret
    let limits: MemoLimits
    let source: RequestSource
    let clock: WallClock
    private let published: String

    init(
        store: Store,
        secret: RelaySecret,
        limits: MemoLimits,
        source: RequestSource,
        clock: @escaping WallClock
    ) {
        self.store = store
        self.secret = secret
        self.limits = limits
        self.source = source
        self.clock = clock
        published = limits.policies
    }

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.isOfAPI,
            let policy = HTTPField.Name("\(RelayHeader.rateLimitPolicy)"),
            let state = HTTPField.Name("\(RelayHeader.rateLimit)"),
            let time = HTTPField.Name("\(RelayHeader.relayTime)")
        else { return response }
        response.headers[policy] = published
        response.headers[time] = "\(clock().millisecondsSinceEpoch)"
        guard let device = await device(of: request, context, response.status) else {
            return response
        }
        let usages = await usages(of: device, request, context)
        response.headers[state] =
            usages.filter { !$0.limit.isOfService || $0.remaining == 0 }
            .map(\.stateItem).joined(separator: ", ")
        return response
    }

    /// The device whose token the request carries, as far as the answer may tell its limits.
    private func device(
        of request: Request,
        _ context: RelayContext,
        _ status: HTTPResponse.Status
    ) async -> AuthenticatedDevice? {
        if let known = context.limits.device { return known }
        // Nobody else looks at the token of a request for another host.
        guard status == .misdirectedRequest, let token = request.bearerToken else { return nil }
        // Where nothing can be read, the answer is whole without the use.
        guard let device = try? await store.device(tokenHash: token.hash), !device.isRevoked else {
            return nil
        }
        return device
    }

    private func usages(
        of device: AuthenticatedDevice,
        _ request: Request,
        _ context: RelayContext
    ) async -> [LimitUsage] {
        if let known = context.limits.usages { return known }
        let now = clock()
        let sender = MemoSender(
            device,
            networks: source.names(of: request, peer: context.peer),
            secret: secret
        )
        do {
            return try await store.usages(of: sender, limits: limits, at: now)
        } catch {
            // Where nothing can be read, nothing can be accepted.
            return MemoQuota(limits, for: sender, at: now)
                .unknownUsages(for: Refusal.unavailable.retryAfter ?? .seconds(30))
        }
    }
}

extension MemoLimits {
    /// The value of `RateLimit-Policy`.
    var policies: String { published.map(\.policyItem).joined(separator: ", ") }
}

extension MemoLimit {
    /// An item of `RateLimit-Policy` (section 3.1 of the draft).
    var policyItem: String {
        var item = "\"\(name)\";q=\(quota)"
        switch unit {
        case .memos: break
        case .bytes: item += ";qu=\"content-bytes\""
        }
        if let window { item += ";w=\(window.count / 1000)" }
        return item
    }
}

extension LimitUsage {
    /// An item of `RateLimit` (section 4.1 of the draft).
    var stateItem: String {
        let item = "\"\(limit.name)\";r=\(remaining)"
        guard let reset else { return item }
        return item + ";t=\(RetryAfter.seconds(of: reset))"
    }
}
