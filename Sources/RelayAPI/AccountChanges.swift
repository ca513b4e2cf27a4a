/// One page of the changes of an account: of its memos, its devices and its settings.
///
/// A page names a row once, by the row's latest change; a later page names the row again after another
/// change. A client that follows the cursors misses no change.
public struct AccountChanges: Codable, Hashable, Sendable {
    /// The changed rows, the earliest first; at most ``/MemoCore/RelayLimits/changesPage``.
    public var rows: [ChangedRow]
    /// The opaque cursor that asks for the changes after these.
    public var cursor: String
    /// Whether there are more changes already.
    public var more: Bool
    /// The identifier of the device that asks.
    public var device: String

    /// Makes a page.
    public init(rows: [ChangedRow], cursor: String, more: Bool, device: String) {
        self.rows = rows
        self.cursor = cursor
        self.more = more
        self.device = device
    }
}

/// A row of an account, as it is after its latest change. A client skips a kind that it does not know.
public struct ChangedRow: Codable, Hashable, Sendable {
    /// The kind of a row. Later relays may have more.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The status of a memo.
        public static let memo = Kind(rawValue: "memo")
        /// A device of the person.
        public static let device = Kind(rawValue: "device")
        /// The settings.
        public static let settings = Kind(rawValue: "settings")
    }

    /// The kind of the row.
    public var kind: Kind
    /// The number of the latest change, among all changes of the account. Never given twice.
    public var version: Int64
    /// The identifier of the memo or of the device.
    public var id: String?
    /// The status of the memo.
    public var status: DeliveryStatus?
    /// A short stable code such as `smtp.550`, of a memo with which something went wrong.
    public var reason: String?
    /// The identifier of the device that wrote the memo.
    public var device: String?
    /// The time at which the relay accepted the memo: milliseconds since 1970-01-01T00:00:00Z.
    public var acceptedAt: Int64?
    /// The name of the device; without one the device is revoked.
    public var name: String?
    /// The time at which the device was signed in: milliseconds since 1970-01-01T00:00:00Z.
    public var createdAt: Int64?
    /// The time at which the device was revoked: milliseconds since 1970-01-01T00:00:00Z.
    public var revokedAt: Int64?
    /// The settings by their names.
    public var fields: [String: SharedField]?

    /// Makes a row without content.
    public init(_ kind: Kind, version: Int64, id: String? = nil) {
        self.kind = kind
        self.version = version
        self.id = id
    }
}
