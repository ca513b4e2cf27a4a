package import OutboxCore

/// The numbers of memos that one device may send, counted for its account. Further memos are refused until the limit's
/// window has passed.
public struct DeviceLimits: Hashable, Sendable {
    /// The number of memos within any 60 seconds.
    public var perMinute: Int
    /// The number of memos within any 24 hours.
    public var perDay: Int

    /// Limits for one device.
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

/// One limit: a number of memos within a window of time.
public struct DeviceLimit: Hashable, Sendable {
    /// The limit's name in the `RateLimit` fields.
    let name: String
    package let count: Int
    package let window: Milliseconds
}

/// The use that a device has made of one of its limits.
public struct LimitUsage: Hashable, Sendable {
    let limit: DeviceLimit
    /// The number of memos that the device may send at once.
    package let remaining: Int
    /// The time until the device may send one memo more than ``remaining``.
    let reset: Milliseconds

    package init(limit: DeviceLimit, remaining: Int, reset: Milliseconds) {
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
    }

    /// The use after one more memo.
    package var withOneMore: LimitUsage {
        LimitUsage(limit: limit, remaining: remaining - 1, reset: reset)
    }
}
