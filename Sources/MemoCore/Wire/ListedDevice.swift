public import OutboxCore
import WireCore

/// A device of the person, as the relay lists it: a program that holds a token for the account.
public struct ListedDevice: Hashable, Sendable {
    /// The relay's opaque name of the device, in the path by which its token is revoked.
    public let id: [UInt8]
    /// The name that the device gave itself.
    public let name: [UInt8]
    /// The time at which the token was granted.
    public let createdAt: WallTime
    /// The time at which the token was last used, to the hour; `nil` for a token that was not used.
    public let usedAt: WallTime?
    /// Whether this device has asked.
    public let isCurrent: Bool

    private init?(_ told: JSON) {
        guard let id = told[string: "id"], let name = told[string: "name"] else { return nil }
        self.id = id
        self.name = name
        createdAt = WallTime(millisecondsSinceEpoch: told[number: "createdAt"] ?? 0)
        usedAt = told[number: "usedAt"].map { WallTime(millisecondsSinceEpoch: $0) }
        isCurrent = told[bool: "current"] ?? false
    }

    /// The devices of an answer to ``RelayRequest/devices(token:)``, the newest first. Passes over a
    /// device without identifier or name.
    ///
    /// - Returns: `nil` for an answer that is not the relay's list.
    public static func list(in answer: RelayAnswer) -> [ListedDevice]? {
        answer.success?["devices"]?.array?.compactMap { ListedDevice($0) }
    }
}
