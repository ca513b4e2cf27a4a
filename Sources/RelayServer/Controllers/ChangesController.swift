import Hummingbird
import RelayAPI

/// The changes of an account over HTTP.
struct ChangesController<Store: RelayStore>: Sendable {
    let service: ChangesService<Store>
    let authenticator: Authenticator<Store>

    func addRoutes(to router: Router<RelayContext>) {
        router.on(.changes, use: changes)
    }

    @Sendable private func changes(
        _ request: Request,
        context: RelayContext
    ) async throws -> Response {
        let device = try await authenticator.device(of: request, in: context)
        let cursor = request.uri.queryParameters["after"].map(String.init)
        return .json(
            try RelayJSON.encode(try await service.changes(after: cursor, for: device))
        )
    }
}
