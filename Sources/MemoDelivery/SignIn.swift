internal import Foundation
internal import OutboxCore
internal import RelayAPI

/// Signing a device in and out at a relay.
public struct SignIn: Sendable {
    private let client: RelayClient
    private let relay: RelayLocation

    public init(relay: RelayLocation, client: RelayClient = RelayClient()) {
        self.relay = relay
        self.client = client
    }

    /// Has the relay mail a code to `address`. The relay answers the same whether or not it knows
    /// the address.
    ///
    /// - Throws: ``SignInError``.
    public func requestCode(for address: String) async throws(SignInError) {
        let reply = try await post(RelayPath.verifications, VerificationRequest(address: address))
        guard reply.success(VerificationAcceptance.self) != nil else {
            throw SignInError(reply)
        }
    }

    /// Trades the mailed code for this device's token.
    ///
    /// - Parameter device: What the person calls this device; shown in the list of devices.
    /// - Throws: ``SignInError``; ``SignInError/codeRejected`` for a code that is wrong, expired or
    ///   used up.
    public func confirm(
        _ code: String,
        for address: String,
        device: String
    ) async throws(SignInError) -> String {
        let request = ConfirmationRequest(address: address, code: code, device: device)
        let reply = try await post(RelayPath.confirmations, request)
        guard let grant = reply.success(TokenGrant.self), Self.isUsable(grant.token) else {
            throw SignInError(reply)
        }
        return grant.token
    }

    /// Has the relay forget `token`.
    ///
    /// A token that the relay does not know, or knows as revoked, counts as revoked.
    ///
    /// - Throws: ``SignInError``; the token may still be valid.
    public func revoke(_ token: String) async throws(SignInError) {
        let reply = try await exchange("DELETE", RelayPath.currentDevice, token: token, body: nil)
        if reply.status == 204 || (reply.status == 401 && reply.problem != nil) { return }
        throw SignInError(reply)
    }

    private func post(
        _ path: String,
        _ body: some Encodable
    ) async throws(SignInError) -> RelayReply {
        guard let body = try? RelayJSON.encode(body) else { throw .notARelay }
        return try await exchange("POST", path, token: nil, body: body)
    }

    private func exchange(
        _ method: String,
        _ path: String,
        token: String?,
        body: [UInt8]?
    ) async throws(SignInError) -> RelayReply {
        do {
            return try await client.exchange(method, path, at: relay, token: token, body: body)
        } catch {
            switch error {
            case .unreachable, .timedOut, .connectionLost, .cancelled: throw .unreachable
            case .untrusted: throw .untrusted
            case .answerTooLong: throw .notARelay
            }
        }
    }

    /// A token goes into a header field.
    private static func isUsable(_ token: String) -> Bool {
        (1...4096).contains(token.utf8.count)
            && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// Why signing in or out did not work.
public enum SignInError: Error, Hashable, Sendable {
    /// The relay cannot be reached.
    case unreachable
    /// The relay's certificate is not to be trusted.
    case untrusted
    /// What answers there is not a relay: a captive portal, perhaps.
    case notARelay
    /// The address is not one that mail can be sent to.
    case invalidAddress
    /// The code is wrong, expired or used up.
    case codeRejected
    /// The relay asks to wait, for so many seconds if it says.
    case tooManyRequests(seconds: Int64?)
    /// The relay failed, with this status.
    case relayFailed(status: Int)

    init(_ reply: RelayReply) {
        let now = WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000))
        let wait = reply.retryAfter.flatMap {
            RetryAfter.parse($0, date: reply.date, now: now)
        }
        switch (reply.status, reply.problem?.code) {
        case (_, .invalidAddress?): self = .invalidAddress
        case (_, .codeRejected?): self = .codeRejected
        case (429, _), (503, _): self = .tooManyRequests(seconds: wait.map { $0.count / 1000 })
        case (500..., _), (_, .some): self = .relayFailed(status: reply.status)
        default: self = .notARelay
        }
    }
}

extension SignInError: CustomStringConvertible {
    /// What happened and what to do about it, without the address, the code or the token.
    public var description: String {
        switch self {
        case .unreachable:
            "The relay cannot be reached. Check the network and the relay's URL, and try again."
        case .untrusted:
            "The relay's certificate is not to be trusted, so nothing was sent."
        case .notARelay:
            "What answers at that URL is not a memo relay. Check the URL, or the network's sign-in page."
        case .invalidAddress:
            "The relay cannot send mail to that address. Check its spelling."
        case .codeRejected:
            "That code is wrong, expired or used up."
        case .tooManyRequests(let seconds?):
            "The relay asks to wait \(seconds) seconds before trying again."
        case .tooManyRequests(nil):
            "The relay asks to wait before trying again."
        case .relayFailed(let status):
            "The relay failed (HTTP \(status)). Try again later."
        }
    }
}
