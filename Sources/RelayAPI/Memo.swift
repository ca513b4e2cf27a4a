import MemoCore

/// A memo on its way to its owner's inbox. It names no recipient: the token does.
public struct MemoRequest: Codable, Hashable, Sendable {
    /// The memo: not empty, at most ``/MemoCore/MemoRule/longest`` bytes of UTF-8. The relay delivers
    /// the text unchanged, to the byte.
    public var text: String
    /// The mail's subject; `nil` for the memo's first line.
    public var subject: String?

    public init(text: String, subject: String? = nil) {
        self.text = text
        self.subject = subject
    }
}

/// The answer to a memo that the relay has stored durably and will deliver. The device may forget
/// the memo.
public struct MemoAcceptance: Codable, Hashable, Sendable {
    /// The memo's UUID in canonical lower-case form.
    public var id: String
    /// Always ``DeliveryStatus/accepted``, also in an answer to a repeated request.
    public var status: DeliveryStatus

    public init(id: String, status: DeliveryStatus) {
        self.id = id
        self.status = status
    }
}

/// The status of one memo.
public struct MemoStatus: Codable, Hashable, Sendable {
    /// The memo's UUID in canonical lower-case form.
    public var id: String
    public var status: DeliveryStatus
    /// A short stable code such as `smtp.550`; `nil` while nothing went wrong.
    public var reason: String?

    public init(id: String, status: DeliveryStatus, reason: String? = nil) {
        self.id = id
        self.status = status
        self.reason = reason
    }
}

/// One page of the changes of a person's memos, of all the person's devices.
///
/// A page names a memo once, by the memo's latest change; a later page names the memo again after
/// another change. A client that follows the cursors misses no change.
public struct MemoChanges: Codable, Hashable, Sendable {
    /// The changes, the earliest first; at most ``/MemoCore/RelayLimits/changesPage``.
    public var changes: [MemoStatus]
    /// The opaque cursor that asks for the changes after these. Valid for as long as the relay
    /// keeps its data.
    public var cursor: String
    /// Whether there are more changes already.
    public var more: Bool
    /// Whether the relay did not know the request's cursor, and began with the oldest change.
    public var restarted: Bool

    public init(changes: [MemoStatus], cursor: String, more: Bool, restarted: Bool) {
        self.changes = changes
        self.cursor = cursor
        self.more = more
        self.restarted = restarted
    }
}

/// The status of a memo at the relay. Later versions may add values: a device keeps a value that it
/// does not know.
public struct DeliveryStatus: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    private init(_ name: StaticString) {
        rawValue = name.description
    }

    /// The relay holds the memo and goes on trying.
    public static let accepted = DeliveryStatus(StatusName.accepted)
    /// The mail server accepted the mail.
    public static let delivered = DeliveryStatus(StatusName.delivered)
    /// The mail server refused the mail for good.
    public static let bounced = DeliveryStatus(StatusName.bounced)
    /// The relay could not deliver the mail in five days.
    public static let expired = DeliveryStatus(StatusName.expired)
    /// The relay refused the memo for good.
    public static let refused = DeliveryStatus(StatusName.refused)
}
