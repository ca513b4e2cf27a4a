import ArgumentParser
import RelayServer

/// The limits on accepted memos, as options of `memo-relay serve`.
struct MemoLimitOptions: ParsableArguments {
    @Option(help: "Memos that one device may send in a minute.")
    var deviceMinute = 30

    @Option(help: "Memos that one device may send in a day.")
    var deviceDay = 200

    @Option(help: "Megabytes of mail that one person may send in a day.")
    var accountDayMegabytes = 32

    @Option(
        help: """
            Mails of one person that may wait for the mail server. By default five times \
            --device-day.
            """
    )
    var waiting: Int?

    @Option(help: "Megabytes of mail of one person that may wait for the mail server.")
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

    func validate() throws {
        guard (0...1 << 30).contains(accountDayMegabytes), (0...1 << 30).contains(waitingMegabytes)
        else {
            throw ValidationError(
                "--account-day-megabytes and --waiting-megabytes must be numbers of megabytes."
            )
        }
        if let contradiction = limits.contradiction { throw ValidationError(contradiction) }
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
