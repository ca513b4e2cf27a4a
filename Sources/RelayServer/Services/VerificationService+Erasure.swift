import RelayAPI
import RelayRules

extension VerificationService {
    /// Erases the account of a device, for good.
    ///
    /// - Parameters:
    ///   - request: The code that was mailed to the account's address.
    ///   - device: A device of the account.
    ///   - source: The name of the network that the request comes from.
    /// - Throws: ``Refusal/codeRejected`` for a code that is wrong, expired, used, or tried too often,
    ///   and for a handle that is not the code's; ``Refusal/handleMissing``; the store's own errors.
    func erase(
        _ request: ErasureRequest,
        by device: AuthenticatedDevice,
        source: String
    ) async throws {
        let erasure = AccountErasure(
            account: device.account,
            code: try code(
                request.code,
                under: request.handle,
                for: device.address,
                source: source
            ),
            addressKey: secret.key(of: device.address),
            now: clock()
        )
        guard try await store.erase(erasure, rules: rules) else { throw Refusal.codeRejected }
    }
}
