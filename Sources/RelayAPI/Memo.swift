/// A memo on its way to its owner's inbox. It names no recipient: the token does.
public struct MemoRequest: Codable, Hashable, Sendable {
    /// What the person wrote: not empty, at most ``RelayLimits/textLength`` bytes. Delivered as it
    /// is, to the byte.
    public var text: String
    /// The mail's subject. Without one, the memo's first line is used.
    public var subject: String?

    public init(text: String, subject: String? = nil) {
        self.text = text
        self.subject = subject
    }
}

/// The relay holds the memo durably and will deliver it. The device may forget it.
public struct MemoAcceptance: Codable, Hashable, Sendable {
    /// The memo's UUID in canonical lower-case form.
    public var id: String
    /// Always ``DeliveryStatus/accepted``, in a replay too.
    public var status: DeliveryStatus

    public init(id: String, status: DeliveryStatus) {
        self.id = id
        self.status = status
    }
}

/// What became of a memo.
public struct MemoStatus: Codable, Hashable, Sendable {
    /// The memo's UUID in canonical lower-case form.
    public var id: String
    public var status: DeliveryStatus
    /// A short stable code such as `smtp.550`, once something went wrong.
    public var reason: String?

    public init(id: String, status: DeliveryStatus, reason: String? = nil) {
        self.id = id
        self.status = status
        self.reason = reason
    }
}

/// What became of a person's memos, whichever device sent them: one page of it.
///
/// A memo is named once, by its latest change, and comes again on a later page when it changes
/// again. Following the cursors misses no change.
public struct MemoChanges: Codable, Hashable, Sendable {
    /// The earliest change first; at most ``RelayLimits/changesPage``.
    public var changes: [MemoStatus]
    /// Asks for what comes after these. Opaque, and good for as long as the relay keeps its data.
    public var cursor: String
    /// Whether there is another page already.
    public var more: Bool
    /// The relay does not know the cursor that it was given, and began anew: with the oldest.
    public var restarted: Bool

    public init(changes: [MemoStatus], cursor: String, more: Bool, restarted: Bool) {
        self.changes = changes
        self.cursor = cursor
        self.more = more
        self.restarted = restarted
    }
}

/// Where a memo is. A string that can grow: a device keeps what it does not know.
public struct DeliveryStatus: RawRepresentable, Codable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The relay holds it and goes on trying.
    public static let accepted = DeliveryStatus(rawValue: "accepted")
    /// The mail server took it.
    public static let delivered = DeliveryStatus(rawValue: "delivered")
    /// The mail server refused it for good.
    public static let bounced = DeliveryStatus(rawValue: "bounced")
    /// It could not be delivered in five days.
    public static let expired = DeliveryStatus(rawValue: "expired")
    /// The relay itself refused it for good.
    public static let refused = DeliveryStatus(rawValue: "refused")
}
