import MemoCore
package import OutboxCore

/// All limits on accepted memos. Settable, so that an operator chooses them, and a test need not
/// send hundreds of memos.
public struct MemoLimits: Hashable, Sendable {
    /// The numbers of memos of one person.
    public var device: DeviceLimits
    /// The sizes of one person's mails, and the mails that wait.
    public var account: AccountLimits
    /// The numbers of memos from one network.
    public var network: NetworkLimits
    /// The number of memos of all people together within any 24 hours.
    public var servicePerDay: Int
    /// Whether young accounts (``AccountAge``) share a part of ``servicePerDay``. Of no use where
    /// strangers get no account.
    public var boundsYoungAccounts = true

    /// Limits, of which one that is not given follows the others: a relay that grants a person more
    /// grants a network, and all people together, at least as much.
    ///
    /// - Parameters:
    ///   - account: 32 MiB a day, and as many mails wait as five days bring, at most 64 MiB.
    ///   - network: 120 an hour, or a person's memos in a minute where these are more.
    ///   - servicePerDay: 300, or a person's memos in a day where these are more.
    public init(
        device: DeviceLimits = DeviceLimits(),
        account: AccountLimits? = nil,
        network: NetworkLimits? = nil,
        servicePerDay: Int? = nil
    ) {
        self.device = device
        self.account = account ?? AccountLimits(waiting: 5 * min(max(device.perDay, 1), .max / 5))
        self.network = network ?? NetworkLimits(perHour: max(120, device.perMinute))
        self.servicePerDay = servicePerDay ?? max(300, device.perDay)
    }
}

/// The numbers of memos that one device may send, counted for its account: signing in once more
/// gives nobody more memos.
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
}

/// The space that the mails of one account may take on the relay's disk.
public struct AccountLimits: Hashable, Sendable {
    /// The bytes of the mails of memos accepted within any 24 hours.
    public var bytesPerDay: Int
    /// The number of mails that wait to be handed over.
    public var waiting: Int
    /// The bytes of the mails that wait to be handed over.
    public var waitingBytes: Int

    /// Limits for one account.
    public init(
        bytesPerDay: Int = 32 << 20,
        waiting: Int,
        waitingBytes: Int = 64 << 20
    ) {
        self.bytesPerDay = bytesPerDay
        self.waiting = waiting
        self.waitingBytes = waitingBytes
    }
}

/// The numbers of memos that are accepted from one network, whoever sends them.
public struct NetworkLimits: Hashable, Sendable {
    /// The number of memos from one IPv4 address, or from the first 64 bits of an IPv6 address,
    /// within any hour.
    public var perHour: Int
    /// The number of memos from the first 48 bits of an IPv6 address within any hour: whoever has a
    /// whole site has 65,536 networks.
    public var perSiteHour: Int

    /// Limits for one network.
    ///
    /// - Parameter perSiteHour: `nil` for four times `perHour`.
    public init(perHour: Int, perSiteHour: Int? = nil) {
        self.perHour = perHour
        self.perSiteHour = perSiteHour ?? 4 * min(max(perHour, 1), .max / 4)
    }
}

extension MemoLimits {
    /// The most bytes of a memo's mail: the longest text in base64, in lines, and a header.
    package static let longestMail = 3 * MemoRule.longest / 2 + 64 * 1024

    /// The sentences that say why a relay cannot keep these limits, with the options of
    /// `memo-relay serve`; empty if it can.
    public var contradictions: [String] {
        let limits = [
            ("--device-minute", device.perMinute), ("--device-day", device.perDay),
            ("--waiting", account.waiting), ("--network-hour", network.perHour),
            ("--site-hour", network.perSiteHour), ("--service-day", servicePerDay),
        ]
        let empty = limits.filter { $0.1 < 1 }.map(\.0)
        if !empty.isEmpty {
            return empty.map { "\($0) must be at least 1: with less, no memo would be accepted." }
        }
        let longest = Self.longestMail
        let sizes = [
            ("--account-day-megabytes", account.bytesPerDay),
            ("--waiting-megabytes", account.waitingBytes),
        ]
        let small = sizes.filter { $0.1 < longest }.map { name, _ in
            "\(name) must be at least \((longest - 1) >> 20 + 1): with less, the longest memo would "
                + "never be accepted."
        }
        let pairs: [(String, Int, isLessThan: String, Int, because: String)] = [
            (
                "--device-day", device.perDay, "--device-minute", device.perMinute,
                "nobody could ever send as many memos in a minute"
            ),
            (
                "--network-hour", network.perHour, "--device-minute", device.perMinute,
                "nobody could ever send as many memos in a minute"
            ),
            (
                "--site-hour", network.perSiteHour, "--network-hour", network.perHour,
                "no IPv6 network could ever send as many memos in an hour"
            ),
            (
                "--service-day", servicePerDay, "--device-day", device.perDay,
                "nobody could ever send as many memos in a day"
            ),
        ]
        return small
            + pairs.filter { $0.1 < $0.3 }.map { name, limit, other, otherLimit, reason in
                "\(name) \(limit) is less than \(other) \(otherLimit): \(reason)."
            }
    }

    /// The sentence that an operator reads when the relay starts with limits that contradict their
    /// purpose; `nil` if they do not.
    public var warning: String? {
        guard servicePerDay < 2 * min(max(device.perDay, 1), .max / 2) else { return nil }
        return """
            two people can use up the limit of all people: --service-day \(servicePerDay) is less \
            than twice --device-day \(device.perDay)
            """
    }

    /// The policies that every caller is told: those that concern one person or one network. The
    /// use of the whole service is nobody's business until it is used up.
    package var published: [MemoLimit] { accountLimits + networkLimits }

    var accountLimits: [MemoLimit] {
        [
            MemoLimit("device-minute", device.perMinute, window: .seconds(60)),
            MemoLimit("device-day", device.perDay, window: .seconds(86_400)),
            MemoLimit("account-day", account.bytesPerDay, .bytes, window: .seconds(86_400)),
            MemoLimit("waiting", account.waiting, window: nil),
            MemoLimit("waiting-bytes", account.waitingBytes, .bytes, window: nil),
        ]
    }

    /// The narrowest network first.
    var networkLimits: [MemoLimit] {
        [
            MemoLimit("network-hour", network.perHour, window: .seconds(3600)),
            MemoLimit("site-hour", network.perSiteHour, window: .seconds(3600)),
        ]
    }

    /// The limit of all young accounts together: a third of the service's.
    package var youngLimit: MemoLimit {
        MemoLimit(
            "young-day",
            max(1, servicePerDay / 3),
            window: .seconds(86_400),
            isOfService: true
        )
    }

    package var serviceLimit: MemoLimit {
        MemoLimit("service-day", servicePerDay, window: .seconds(86_400), isOfService: true)
    }
}

/// One limit: a quota of memos or of bytes.
public struct MemoLimit: Hashable, Sendable {
    /// The unit of a quota.
    package enum Unit: Hashable, Sendable {
        case memos
        case bytes
    }

    /// The limit's name in the `RateLimit` fields and in problems.
    package let name: String
    package let quota: Int
    package let unit: Unit
    /// The window in which accepted memos count; `nil` where the mails count that wait.
    package let window: Milliseconds?
    /// Whether the limit is that of all people together.
    package let isOfService: Bool

    init(
        _ name: String,
        _ quota: Int,
        _ unit: Unit = .memos,
        window: Milliseconds?,
        isOfService: Bool = false
    ) {
        self.name = name
        self.quota = quota
        self.unit = unit
        self.window = window
        self.isOfService = isOfService
    }
}

/// The use that was made of one limit.
public struct LimitUsage: Hashable, Sendable {
    package let limit: MemoLimit
    /// The rest of the quota, in its unit.
    package let remaining: Int
    /// The time until more than ``remaining`` is left; `nil` where the mail server decides it.
    package let reset: Milliseconds?

    package init(limit: MemoLimit, remaining: Int, reset: Milliseconds?) {
        self.limit = limit
        self.remaining = remaining
        self.reset = reset
    }

    /// Whether the rest is too little for a memo whose mail has this many bytes.
    package func isExceeded(by bytes: Int) -> Bool { remaining < cost(of: bytes) }

    /// The use after one more memo.
    package func after(_ bytes: Int) -> LimitUsage {
        LimitUsage(limit: limit, remaining: remaining - cost(of: bytes), reset: reset)
    }

    private func cost(of bytes: Int) -> Int {
        switch limit.unit {
        case .memos: 1
        case .bytes: bytes
        }
    }
}
