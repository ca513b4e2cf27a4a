import ArgumentParser
import RelayRules
import RelayServer

/// The limits on accepted memos, as options of `memo-relay serve`.
struct MemoLimitOptions: ParsableArguments {
    @Option(help: "Memos of all devices of one mailbox in a minute.")
    var deviceMinute = 30

    @Option(help: "Memos of all devices of one mailbox in a day.")
    var deviceDay = 200

    @Option(help: "Megabytes of mail of one mailbox in a day.")
    var accountDayMegabytes = 32

    @Option(
        help: """
            Mails of one mailbox that may wait for the mail server. By default five times \
            --device-day.
            """
    )
    var waiting: Int?

    @Option(help: "Megabytes of mail of one mailbox that may wait for the mail server.")
    var waitingMegabytes = 64

    @Option(
        help: """
            Memos from one IPv4 address or IPv6 network (/64) in an hour. By default 120, or \
            --device-minute where that is more.
            """
    )
    var networkHour: Int?

    @Option(
        help: "Memos from one IPv6 site (/48) in an hour. By default four times --network-hour."
    )
    var siteHour: Int?

    @Option(
        help: """
            Memos of all people together in a day. By default 300, or --device-day where that is \
            more.
            """
    )
    var serviceDay: Int?

    /// The mistakes in these options. Sizes that are no sizes are not compared with others.
    var mistakes: [String] {
        let sizes = [
            ("--account-day-megabytes", accountDayMegabytes),
            ("--waiting-megabytes", waitingMegabytes),
        ]
        let wrong = sizes.filter { !(0...1 << 30).contains($0.1) }.map { name, _ in
            "\(name) must be a number of megabytes."
        }
        return wrong.isEmpty ? limits.contradictions : wrong
    }

    /// The limits that these options state.
    var limits: MemoLimits {
        var limits = MemoLimits(
            device: DeviceLimits(perMinute: deviceMinute, perDay: deviceDay),
            servicePerDay: serviceDay
        )
        limits.network = NetworkLimits(
            perHour: networkHour ?? limits.network.perHour,
            perSiteHour: siteHour
        )
        limits.account.bytesPerDay = accountDayMegabytes << 20
        limits.account.waiting = waiting ?? limits.account.waiting
        limits.account.waitingBytes = waitingMegabytes << 20
        return limits
    }
}
