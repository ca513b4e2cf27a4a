public import MemoCore
import Outbox
import OutboxCore

/// Asks a relay for a device's token, and has the relay revoke it.
public struct TokenClient: Sendable {
    private let client: RelayClient
    private let relay: RelayLocation

    /// - Parameter client: The client that talks to the relay.
    public init(relay: RelayLocation, client: RelayClient) {
        self.relay = relay
        self.client = client
    }

    /// Has the relay mail a code to `address`. The relay's answer does not tell whether the relay
    /// knows the address.
    ///
    /// - Parameter language: The language of the mail.
    /// - Returns: The relay's answer about the code.
    /// - Throws: ``/MemoCore/RelayTrouble``.
    public func requestCode(
        for address: String,
        in language: Language
    ) async throws(RelayTrouble) -> MailedCode {
        let answer = try await exchange(
            .askCode(address: Array(address.utf8), language: language.tag.bytes)
        )
        guard let code = answer.mailedCode else { throw Self.trouble(answer) }
        return code
    }

    /// Trades the mailed code for this device's token.
    ///
    /// - Parameters:
    ///   - handle: The handle of the code.
    ///   - device: The device's name, for the list of devices.
    /// - Throws: ``/MemoCore/RelayTrouble``; ``/MemoCore/RelayTrouble/codeRejected`` for a code that
    ///   is wrong, expired or used up.
    public func confirm(
        _ code: String,
        for address: String,
        handle: [UInt8],
        device: String
    ) async throws(RelayTrouble) -> String {
        let answer = try await exchange(
            .confirm(
                address: Array(address.utf8),
                code: Array(code.utf8),
                handle: handle,
                device: Array(device.utf8)
            )
        )
        guard let token = answer.grantedToken else { throw Self.trouble(answer) }
        return String(decoding: token, as: UTF8.self)
    }

    /// Has the relay revoke `token`.
    ///
    /// A token that the relay does not know, or knows as revoked, counts as revoked.
    ///
    /// - Throws: ``/MemoCore/RelayTrouble``; the token may still be valid.
    public func revoke(_ token: String) async throws(RelayTrouble) {
        let answer = try await exchange(.signOut(token: Array(token.utf8)))
        guard answer.confirmsRevocation else { throw Self.trouble(answer) }
    }

    private func exchange(_ request: RelayRequest) async throws(RelayTrouble) -> RelayAnswer {
        do {
            return try await client.exchange(request, at: relay)
        } catch {
            throw RelayTrouble(error)
        }
    }

    private static func trouble(_ answer: RelayAnswer) -> RelayTrouble {
        RelayTrouble(answer, now: OutboxClock.system.wallTime())
    }
}
