public import OutboxCore

/// The longest time of an exchange between a device and the relay, by the length of the request's
/// body: a long memo over a slow uplink needs minutes, and a short one does not wait that long for a
/// silent server.
public struct ExchangeTime: Hashable, Sendable {
    /// The time beside the transfer of the body.
    public var base: Milliseconds
    /// The slowest uplink over which a body arrives in time, in bytes a millisecond.
    public var slowestUplink: Int

    /// Makes a rule; the defaults are those of all devices and of the relay.
    public init(base: Milliseconds = .seconds(60), slowestUplink: Int = 4) {
        self.base = base
        self.slowestUplink = slowestUplink
    }

    /// The time for the transfer of `length` bytes.
    public func transfer(of length: Int) -> Milliseconds {
        Milliseconds(Int64(length / slowestUplink))
    }

    /// The time for a whole exchange with a body of `length` bytes.
    public func total(for length: Int) -> Milliseconds {
        Milliseconds(base.count + transfer(of: length).count)
    }
}
