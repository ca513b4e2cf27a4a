import Outbox
public import OutboxCore
public import RelayAPI

/// All that the relay remembers, its mail queue included: the only thing that relay processes
/// share.
///
/// Every method is one transaction, durable on return. What can be traced to a person is sealed, or
/// a keyed hash. A method that throws has changed nothing.
public protocol RelayStore: MemoStore {
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

    /// Takes the right of an account's device away, for good.
    ///
    /// - Returns: Whether the account has, or had, such a device.
    func revoke(_ device: DeviceID, of account: AccountID, at now: WallTime) async throws -> Bool

    /// The devices of an account that are not revoked, the oldest first.
    func devices(of account: AccountID) async throws -> [DeviceRecord]
}

/// What the relay remembers of memos, and the queue of their mails: a part of ``RelayStore``, and
/// under its rules.
public protocol MemoStore: Sendable {
    /// Remembers the memo and queues its mail, unless it was accepted before or limits say
    /// otherwise. Of several calls for one memo at once, one accepts it.
    func accept(_ memo: NewMemo, limits: DeviceLimits) async throws -> MemoDecision

    /// What is remembered of an account's memo.
    func memo(_ id: OperationID, of account: AccountID) async throws -> MemoRecord?

    /// What changed of an account's memos after a change with this number, the earliest first.
    func changes(of account: AccountID, after number: Int64, limit: Int) async throws
        -> MemoChangeList

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
    package let bits: OperationID

    package init(bits: OperationID) {
        self.bits = bits
    }
}

/// A device of an account.
public struct DeviceID: Hashable, Sendable {
    package let bits: OperationID

    package init(bits: OperationID) {
        self.bits = bits
    }
}

/// A device that showed its token.
public struct AuthenticatedDevice: Sendable {
    let id: DeviceID
    let account: AccountID
    let address: MailAddress
    let isRevoked: Bool

    package init(id: DeviceID, account: AccountID, address: MailAddress, isRevoked: Bool) {
        self.id = id
        self.account = account
        self.address = address
        self.isRevoked = isRevoked
    }
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
    package let id: OperationID
    package let account: AccountID
    package let device: DeviceID
    /// Tells whether another request carries the same memo.
    package let contentCode: [UInt8]
    /// The body of the answer, also for every repetition of the request.
    package let response: [UInt8]
    package let acceptedAt: WallTime
    package let mail: QueuedMail
}

/// What is remembered of a memo, long after its text is gone.
public struct MemoRecord: Hashable, Sendable {
    let contentCode: [UInt8]
    let response: [UInt8]
    package let status: DeliveryStatus
    package let reason: String?

    package init(
        contentCode: [UInt8],
        response: [UInt8],
        status: DeliveryStatus,
        reason: String?
    ) {
        self.contentCode = contentCode
        self.response = response
        self.status = status
        self.reason = reason
    }
}

/// What a store makes of a ``NewMemo``.
public enum MemoDecision: Hashable, Sendable {
    /// With what the device has left.
    case accepted([LimitUsage])
    case acceptedBefore(MemoRecord)
    /// With what the device has left: of one limit, nothing.
    case overLimit([LimitUsage])
}

/// A device's standing with one of its limits.
public struct LimitUsage: Hashable, Sendable {
    let limit: DeviceLimit
    /// How many memos it may send at once.
    package let remaining: Int
    /// How long until it may send one more than that.
    let reset: Milliseconds

    package init(limit: DeviceLimit, remaining: Int, reset: Milliseconds) {
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
    }

    /// After one more memo.
    package var withOneMore: LimitUsage {
        LimitUsage(limit: limit, remaining: remaining - 1, reset: reset)
    }
}

/// A memo's latest change.
public struct MemoChange: Hashable, Sendable {
    let number: Int64
    let id: OperationID
    let status: DeliveryStatus
    let reason: String?

    package init(number: Int64, id: OperationID, status: DeliveryStatus, reason: String?) {
        self.number = number
        self.id = id
        self.status = status
        self.reason = reason
    }
}

/// Changes of an account's memos, as far as they were asked for.
public struct MemoChangeList: Hashable, Sendable {
    let changes: [MemoChange]
    /// The number of the account's latest change; 0 when there is none.
    let latest: Int64

    package init(changes: [MemoChange], latest: Int64) {
        self.changes = changes
        self.latest = latest
    }
}
