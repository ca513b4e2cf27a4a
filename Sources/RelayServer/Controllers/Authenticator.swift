import Hummingbird

/// Identifies the device that sends a request.
struct Authenticator<Store: RelayStore>: Sendable {
    let store: Store

    /// The device whose token the request carries.
    ///
    /// - Throws: ``Refusal/unauthorized``, ``Refusal/tokenRevoked``; the store's own errors.
    func device(of request: Request) async throws -> AuthenticatedDevice {
        guard let token = request.bearerToken,
            let device = try await store.device(tokenHash: token.hash)
        else { throw Refusal.unauthorized }
        guard !device.isRevoked else { throw Refusal.tokenRevoked }
        return device
    }
}

extension Request {
    /// The token of an `Authorization: Bearer` field.
    var bearerToken: DeviceToken? {
        guard let field = headers[.authorization] else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 256
        else { return nil }
        return DeviceToken(text: String(parts[1]))
    }
}
