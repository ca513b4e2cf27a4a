public import OutboxCore

/// How often codes are mailed and how long one can be tried. Settable, so that a test need not
/// wait.
public struct VerificationRules: Hashable, Sendable {
    /// How long a code is good for.
    public var codeLifetime: Milliseconds = .seconds(600)
    /// How often a code can be tried.
    public var tries = 5
    /// The wait after the first code to an address; it doubles with each further one, until a code
    /// is confirmed or ``forgetAfter`` has passed.
    public var firstCooldown: Milliseconds = .seconds(30)
    /// The longest such wait.
    public var longestCooldown: Milliseconds = .seconds(3600)
    /// After this time without a code an address starts anew.
    public var forgetAfter: Milliseconds = .seconds(86_400)
    /// Codes to one address in an hour.
    public var perAddress = 6
    /// Codes asked for from one network in an hour.
    public var perSource = 60
    /// The hour.
    public var window: Milliseconds = .seconds(3600)

    public init() {}

    /// The wait after the `sent`-th code in a row.
    func cooldown(afterSending sent: Int64) -> Milliseconds {
        guard sent > 0 else { return Milliseconds(0) }
        var wait = firstCooldown
        var doublings = sent - 1
        while doublings > 0, wait < longestCooldown {
            wait = Milliseconds(wait.count * 2)
            doublings -= 1
        }
        return min(wait, longestCooldown)
    }
}

/// How many memos one device may send.
public struct DeviceLimits: Hashable, Sendable {
    public var perMinute: Int
    public var perDay: Int

    public init(perMinute: Int = 30, perDay: Int = 200) {
        self.perMinute = perMinute
        self.perDay = perDay
    }

    package var all: [DeviceLimit] {
        [
            DeviceLimit(name: "device-minute", count: perMinute, window: .seconds(60)),
            DeviceLimit(name: "device-day", count: perDay, window: .seconds(86_400)),
        ]
    }
}

/// So many memos in such a time.
public struct DeviceLimit: Hashable, Sendable {
    /// As devices are told it.
    let name: String
    package let count: Int
    package let window: Milliseconds
}
