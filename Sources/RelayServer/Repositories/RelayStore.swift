internal import Outbox
public import OutboxCore
public import RelayAPI

/// All that the relay remembers, its mail queue included: the only thing that relay processes
/// share.
///
/// Every method is one transaction, durable on return. What can be traced to a person is sealed, or
/// a keyed hash. A method that throws has changed nothing.
public protocol RelayStore: Sendable {
    /// Replaces the address's code and queues its mail, unless limits say otherwise.
    ///
    /// - Returns: `nil`, or how long to wait.
    func startVerification(_ new: NewVerification, rules: VerificationRules) async throws
        -> Milliseconds?

    /// Counts a try of the address's code. If it is right: uses the code up, makes the account if
    /// there is none, and adds the device.
    ///
    /// - Returns: Whether it was right.
    func confirm(_ confirmation: Confirmation, rules: VerificationRules) async throws -> Bool

    /// The device with this token, revoked or not.
    func device(tokenHash: [UInt8]) async throws -> AuthenticatedDevice?

    /// Takes a device's right away, for good.
    func revoke(_ device: DeviceID, at now: WallTime) async throws

    /// The devices of an account that are not revoked, the oldest first.
    func devices(of account: AccountID) async throws -> [DeviceRecord]

    /// Remembers the memo and queues its mail, unless it was accepted before or limits say
    /// otherwise. Of several calls for one memo at once, one accepts it.
    func accept(_ memo: NewMemo, limits: DeviceLimits) async throws -> MemoDecision

    /// What is remembered of an account's memo.
    func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord?

    /// Records what became of the memo whose mail was queued as `operation`.
    func recordFate(
        of operation: OperationID,
        _ status: DeliveryStatus,
        reason: ReasonCode?,
        at now: WallTime
    ) async throws
}

/// An account: one address, and the devices of whoever reads its inbox.
public struct AccountID: Hashable, Sendable {
    let bits: OperationID
}

/// A device of an account.
public struct DeviceID: Hashable, Sendable {
    let bits: OperationID
}

/// A device that showed its token.
public struct AuthenticatedDevice: Sendable {
    let id: DeviceID
    let account: AccountID
    let address: MailAddress
    let isRevoked: Bool
}

/// A device as its owner sees it.
public struct DeviceRecord: Hashable, Sendable {
    let id: DeviceID
    let name: String
    let createdAt: WallTime
}

/// A code to be mailed.
public struct NewVerification: Sendable {
    /// Names the address, in a way that cannot be reversed.
    let address: [UInt8]
    /// Names the network that asks, in a way that cannot be reversed.
    let source: [UInt8]
    /// What the right code, and no other, will show again.
    let code: [UInt8]
    let now: WallTime
    let mail: QueuedMail
}

/// A code that somebody typed.
public struct Confirmation: Sendable {
    /// The ``NewVerification/address`` that it belongs to.
    let limitKey: [UInt8]
    let code: [UInt8]
    /// Names the account's address, in a way that cannot be reversed.
    let addressKey: [UInt8]
    let address: MailAddress
    let tokenHash: [UInt8]
    let deviceName: String
    let now: WallTime
}

/// A memo to be accepted.
public struct NewMemo: Sendable {
    let id: OperationID
    let account: AccountID
    let device: DeviceID
    /// Tells whether another request carries the same memo.
    let contentCode: [UInt8]
    /// The body of the answer, also for every repetition of the request.
    let response: [UInt8]
    let acceptedAt: WallTime
    let mail: QueuedMail
}

/// What is remembered of a memo, long after its text is gone.
public struct MemoRecord: Hashable, Sendable {
    let contentCode: [UInt8]
    let response: [UInt8]
    let status: DeliveryStatus
    let reason: String?
}

/// What a store makes of a ``NewMemo``.
public enum MemoDecision: Hashable, Sendable {
    case accepted
    case acceptedBefore(MemoRecord)
    /// The device must wait this long.
    case overLimit(Milliseconds)
}
