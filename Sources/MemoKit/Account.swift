/// Who this device sends as: the relay, the person's verified address, and the device's token.
///
/// Sealed at rest. The token can mail nobody but its owner.
public struct Account: Hashable, Sendable {
    /// The relay's base URL, such as `https://relay.example.org`.
    public var relay: String
    /// The verified address.
    public var address: String
    /// The device token. Never printed, logged or put on a command line.
    public var token: String

    public init(relay: String, address: String, token: String) {
        self.relay = relay
        self.address = address
        self.token = token
    }
}

extension Account: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names the type only, so that an account in a log line gives nothing away.
    public var description: String { "Account" }
    public var debugDescription: String { "Account" }
}
