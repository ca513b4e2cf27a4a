import Hummingbird
import MemoCore
import RelayRules

/// Identifies the device that sends a request.
struct Authenticator<Store: RelayStore>: Sendable {
    let store: Store
    let clock: WallClock

    /// The device whose token the request carries. It is noted in the context, and its use
    /// in the store.
    ///
    /// - Throws: ``Refusal/unauthorized``, ``Refusal/tokenRevoked``; the store's own errors.
    func device(
        of request: Request,
        in context: RelayContext
    ) async throws -> AuthenticatedDevice {
        let device = try await identify(request, in: context)
        await noteUse(of: device)
        return device
    }

    /// Like ``device(of:in:)``, for a request that writes by itself: the use is noted while `body` runs, in one
    /// transaction with what it writes where the store has common ones. Returns when both have ended.
    ///
    /// - Throws: As ``device(of:in:)``; the error of `body`.
    func withDevice<Answer>(
        of request: Request,
        in context: RelayContext,
        _ body: (AuthenticatedDevice) async throws -> Answer
    ) async throws -> Answer {
        let device = try await identify(request, in: context)
        async let noted: Void = noteUse(of: device)
        let answer: Result<Answer, any Error>
        do {
            answer = .success(try await body(device))
        } catch {
            answer = .failure(error)
        }
        await noted
        return try answer.get()
    }

    private func identify(
        _ request: Request,
        in context: RelayContext
    ) async throws -> AuthenticatedDevice {
        guard let token = request.bearerToken,
            let device = try await store.device(tokenHash: token.hash)
        else { throw Refusal.unauthorized }
        guard !device.isRevoked else { throw Refusal.tokenRevoked }
        context.limits.note(device)
        return device
    }

    private func noteUse(of device: AuthenticatedDevice) async {
        guard let use = DeviceUse(of: device.id, notedAt: device.usedAt, at: clock()) else {
            return
        }
        // The request does not fail where this does, on a full disk for example.
        try? await store.note(use)
    }
}

extension Request {
    /// The token of an `Authorization: Bearer` field.
    var bearerToken: DeviceToken? {
        guard let field = headers[.authorization] else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "\(RelayHeader.bearer)".lowercased(),
            parts[1].utf8.count <= RelayLimits.tokenLength
        else { return nil }
        return DeviceToken(text: String(parts[1]))
    }
}
