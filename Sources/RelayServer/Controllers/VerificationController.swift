import Hummingbird
import MemoCore
import RelayAPI
import WireCore

/// Signing in over HTTP.
struct VerificationController<Store: RelayStore>: Sendable {
    let service: VerificationService<Store>
    let source: RequestSource
    /// `nil` where no proxy vouches for anybody.
    let proxy: VouchingProxy?
    let bodyTime: ExchangeTime
    let authenticator: Authenticator<Store>

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.requestCode, use: request)
        router.on(.confirmCode, use: confirm)
        router.on(.eraseAccount, use: erase)
    }

    @Sendable private func request(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let asked = try await request.json(
            VerificationRequest.self,
            limit: RelayLimits.bodyLength,
            within: bodyTime,
            isHere: context.hasWholeBody
        )
        let acceptance = try await service.request(
            asked,
            source: source.name(of: request, peer: context.peer),
            vouched: proxy?.address(in: request.headers, peer: context.peer)
        )
        return .json(try RelayJSON.encode(acceptance), status: .accepted)
    }

    @Sendable private func confirm(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let confirmation = try await request.json(
            ConfirmationRequest.self,
            limit: RelayLimits.bodyLength,
            within: bodyTime,
            isHere: context.hasWholeBody
        )
        let grant = try await service.confirm(
            confirmation,
            source: source.name(of: request, peer: context.peer),
            vouched: proxy?.address(in: request.headers, peer: context.peer)
        )
        return .json(try RelayJSON.encode(grant))
    }

    @Sendable private func erase(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
        let erasure = try await request.json(
            ErasureRequest.self,
            limit: RelayLimits.bodyLength,
            within: bodyTime,
            isHere: context.hasWholeBody
        )
        try await service.erase(
            erasure,
            by: device,
            source: source.name(of: request, peer: context.peer)
        )
        return Response(status: .noContent)
    }
}
