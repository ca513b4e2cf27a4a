public import MemoCore
public import MemoKit
import Outbox
import OutboxCore
import RelayAPI

/// Asks a relay for a device's token, and has the relay revoke it.
public struct TokenClient: Sendable {
    /// Why a relay gave no token, or revoked none.
    public enum Failure: ExplainedError, Hashable, Sendable {
        /// The relay cannot be reached.
        case unreachable
        /// The relay's certificate is not to be trusted.
        case untrusted
        /// The answer is not from a relay, but perhaps from a captive portal.
        case notARelay
        /// Mail cannot be sent to the address.
        case invalidAddress
        /// The code is wrong, expired or used up.
        case codeRejected
        /// The relay asks to wait. The number of seconds is `nil` where the relay names none.
        case tooManyRequests(seconds: Int64?)
        /// The relay failed, with this status.
        case relayFailed(status: Int)
    }

    private let client: RelayClient
    private let relay: RelayLocation

    public init(relay: RelayLocation, client: RelayClient = RelayClient()) {
        self.relay = relay
        self.client = client
    }

    /// Has the relay mail a code to `address`. The relay's answer does not tell whether the relay
    /// knows the address.
    ///
    /// - Parameter language: The language of the mail.
    /// - Throws: ``Failure``.
    public func requestCode(
        for address: String,
        in language: Language
    ) async throws(Failure) {
        let request = VerificationRequest(address: address, language: language.tag.description)
        let reply = try await post(RelayPath.verifications, request)
        guard reply.success(VerificationAcceptance.self) != nil else {
            throw Failure(reply)
        }
    }

    /// Trades the mailed code for this device's token.
    ///
    /// - Parameter device: The device's name, for the list of devices.
    /// - Throws: ``Failure``; ``Failure/codeRejected`` for a code that is wrong, expired or
    ///   used up.
    public func confirm(
        _ code: String,
        for address: String,
        device: String
    ) async throws(Failure) -> String {
        let request = ConfirmationRequest(address: address, code: code, device: device)
        let reply = try await post(RelayPath.confirmations, request)
        guard let grant = reply.success(TokenGrant.self), Self.isUsable(grant.token) else {
            throw Failure(reply)
        }
        return grant.token
    }

    /// Has the relay revoke `token`.
    ///
    /// A token that the relay does not know, or knows as revoked, counts as revoked.
    ///
    /// - Throws: ``Failure``; the token may still be valid.
    public func revoke(_ token: String) async throws(Failure) {
        let reply = try await exchange("DELETE", RelayPath.currentDevice, token: token, body: nil)
        if reply.status == 204 || (reply.status == 401 && reply.problem != nil) { return }
        throw Failure(reply)
    }

    private func post(
        _ path: String,
        _ body: some Encodable
    ) async throws(Failure) -> RelayReply {
        guard let body = try? RelayJSON.encode(body) else { throw .notARelay }
        return try await exchange("POST", path, token: nil, body: body)
    }

    private func exchange(
        _ method: String,
        _ path: String,
        token: String?,
        body: [UInt8]?
    ) async throws(Failure) -> RelayReply {
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

extension TokenClient.Failure {
    init(_ reply: RelayReply) {
        let wait = reply.wait(now: OutboxClock.system.wallTime())
        switch (reply.status, reply.problem?.code) {
        case (_, .invalidAddress?): self = .invalidAddress
        case (_, .codeRejected?): self = .codeRejected
        case (429, _): self = .tooManyRequests(seconds: wait.map { $0.count / 1000 })
        case (500..., _), (_, .some): self = .relayFailed(status: reply.status)
        default: self = .notARelay
        }
    }

    public func sentence(in language: Language) -> String {
        switch self {
        case .unreachable: language.string(CommandText.relayUnreachable)
        case .untrusted: language.string(.relayUntrusted)
        case .notARelay: language.string(CommandText.notARelay)
        case .invalidAddress: language.string(.addressInvalid)
        case .codeRejected: language.string(CommandText.codeRejected)
        case .tooManyRequests(let seconds?): language.string(.tooManyRequests, "\(seconds)")
        case .tooManyRequests(nil): language.string(.tooManyRequestsLater)
        case .relayFailed(let status): language.string(CommandText.relayFailed, "\(status)")
        }
    }

    public var exitStatus: ExitStatus {
        switch self {
        case .invalidAddress, .codeRejected: .badInput
        case .tooManyRequests: .temporaryFailure
        case .unreachable, .untrusted, .notARelay, .relayFailed: .unavailable
        }
    }
}
