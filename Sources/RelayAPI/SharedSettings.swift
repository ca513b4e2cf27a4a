/// A person's settings, which all devices of the person share.
public struct SharedSettings: Codable, Hashable, Sendable {
    /// The number of the latest change, among all changes of the account. Never given twice.
    public var version: Int64
    /// The settings by their names. A device keeps a setting that it does not know.
    public var fields: [String: SharedField]

    /// The name of the setting that is the person's language, a BCP 47 tag: the only one that the relay reads.
    public static let language = "language"

    /// Makes settings.
    public init(version: Int64, fields: [String: SharedField]) {
        self.version = version
        self.fields = fields
    }
}

/// One setting, with the stamp of the change that wrote it.
public struct SharedField: Codable, Hashable, Sendable {
    /// The value; empty for a setting that was reset.
    public var value: String
    /// The time of the change: milliseconds since 1970-01-01T00:00:00Z, as the relay gave it.
    public var time: Int64
    /// The number of the change at its node.
    public var number: Int64
    /// The node that made the change: 32 hexadecimal digits.
    public var node: String

    /// Makes a setting.
    public init(value: String, time: Int64, number: Int64, node: String) {
        self.value = value
        self.time = time
        self.number = number
        self.node = node
    }
}

/// A change of the settings. The header field `If-Match` or `If-None-Match` says on which version it was
/// made.
public struct SettingsRequest: Codable, Hashable, Sendable {
    /// The identity of the change.
    public var change: ChangeIdentity
    /// The time of the change by the device's clock: milliseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// The number through which all changes of the node are settled: the relay may forget its answers.
    public var settledThrough: Int64
    /// The values to write, by the names of the settings.
    public var fields: [String: String]

    /// Makes a request.
    public init(
        change: ChangeIdentity,
        time: Int64,
        settledThrough: Int64,
        fields: [String: String]
    ) {
        self.change = change
        self.time = time
        self.settledThrough = settledThrough
        self.fields = fields
    }
}

/// The identity of a change, by which a repetition is told from another change. Alone, the question for
/// the answer to a change.
public struct ChangeIdentity: Codable, Hashable, Sendable {
    /// The node that made the change: 32 lower-case hexadecimal digits.
    public var node: String
    /// The number of the change at its node, from 1 on.
    public var number: Int64
    /// The attempt: another attempt has another content, made after a conflict.
    public var attempt: Int64
    /// The device's checksum of the content: 16 lower-case hexadecimal digits.
    public var digest: String

    /// Makes an identity.
    public init(node: String, number: Int64, attempt: Int64, digest: String) {
        self.node = node
        self.number = number
        self.attempt = attempt
        self.digest = digest
    }
}

/// The answer to a change of the settings.
public struct SettingsAnswer: Codable, Hashable, Sendable {
    /// The kind of the answer.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// The change is applied.
        case accepted
        /// Nothing is applied: the settings are not those that the change was made on.
        case conflict
        /// Nothing is applied, and this content never will be on these settings.
        case refused
        /// Nothing is applied: the number belongs to another content. The device takes a new node.
        case newNode = "new-node"
    }

    /// The kind of the answer.
    public var answer: Kind
    /// The version of the settings after an accepted change.
    public var version: Int64?
    /// The time of the change as the relay gives it back: that of the device, unless it is ahead of the
    /// relay's. With ``Kind/accepted`` and ``Kind/conflict``.
    public var time: Int64?
    /// A short stable code; with ``Kind/refused``.
    public var reason: String?
    /// The settings that the relay has; with ``Kind/conflict`` and ``Kind/refused``, if it has any.
    public var settings: SharedSettings?

    /// Makes an answer.
    public init(
        _ answer: Kind,
        version: Int64? = nil,
        time: Int64? = nil,
        reason: String? = nil,
        settings: SharedSettings? = nil
    ) {
        self.answer = answer
        self.version = version
        self.time = time
        self.reason = reason
        self.settings = settings
    }
}
