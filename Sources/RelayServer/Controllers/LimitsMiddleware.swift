import HTTPTypes
import Hummingbird
import MemoCore
import OutboxCore

/// Tells every caller of the API its limits
/// ([draft-ietf-httpapi-ratelimit-headers-10](https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10)),
/// whatever the answer: a device that knows its limits need not be refused.
///
/// `RateLimit-Policy` is the same in all answers. `RateLimit` has the limits of the account, if the
/// request carries its token, and those of the networks. The use of the whole service is told only
/// once it is used up, and only to accounts. The answers of ``WebMiddleware`` do not come here.
struct LimitsMiddleware<Store: RelayStore>: RouterMiddleware {
    let store: Store
    let secret: RelaySecret
    let limits: MemoLimits
    let source: RequestSource
    let clock: WallClock

    func handle(
        _ request: Request,
        context: RelayContext,
        next: (Request, RelayContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.isOfAPI,
            let policy = HTTPField.Name("\(RelayHeader.rateLimitPolicy)"),
            let state = HTTPField.Name("\(RelayHeader.rateLimit)")
        else { return response }
        let usages = await usages(of: request, context)
        response.headers[policy] = limits.published.map(\.policyItem).joined(separator: ", ")
        response.headers[state] =
            usages.filter { !$0.limit.isOfService || $0.remaining == 0 }
            .map(\.stateItem).joined(separator: ", ")
        return response
    }

    private func usages(of request: Request, _ context: RelayContext) async -> [LimitUsage] {
        if let known = context.limits.usages { return known }
        let now = clock()
        let sender = MemoSender(
            account: context.limits.account,
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
