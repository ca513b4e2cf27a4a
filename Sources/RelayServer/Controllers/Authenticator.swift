import Hummingbird

/// Finds out which device a request comes from.
struct Authenticator<Store: RelayStore>: Sendable {
    let store: Store

    /// - Throws: ``Refusal/unauthorized``, ``Refusal/tokenRevoked``; whatever the store throws.
    func device(of request: Request) async throws -> AuthenticatedDevice {
        guard let token = request.bearerToken,
            let device = try await store.device(tokenHash: token.hash)
        else { throw Refusal.unauthorized }
        guard !device.isRevoked else { throw Refusal.tokenRevoked }
        return device
    }
}
