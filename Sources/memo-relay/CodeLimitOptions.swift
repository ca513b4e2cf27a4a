import ArgumentParser
import OutboxCore
import RelayRules
import RelayServer

/// The limits on mailed codes, as options of `memo-relay serve`.
struct CodeLimitOptions: ParsableArguments {
    @Option(
        help: """
            Codes to all mailboxes in a day. Networks that a mailbox does not know get two thirds of \
            them, a block of networks a third, a network a fifth.
            """
    )
    var codesDay = VerificationRules().perDay

    @Option(
        help: """
            Codes to one mailbox in an hour, from all networks. By default 8, or --codes-address-day \
            where that is less.
            """
    )
    var codesAddressHour: Int?

    @Option(
        help: """
            Codes to one mailbox in a day, from all networks. By default 30, or a fifth of \
            --codes-day where that is less.
            """
    )
    var codesAddressDay: Int?

    @Option(
        help: """
            Codes that one network may ask for in an hour: an IPv4 address, an IPv6 /64. By default \
            20, or a fifth of --codes-day where that is less.
            """
    )
    var codesNetworkHour: Int?

    @Option(
        help: """
            Codes that one site may ask for in an hour: an IPv4 /24, an IPv6 /48. By default 40, or \
            four fifteenths of --codes-day where that is less.
            """
    )
    var codesSiteHour: Int?

    @Option(help: "Codes to the mailboxes of one mail domain in a minute.")
    var codesDomainMinute = VerificationRules().perDomain

    @Option(help: "Codes to all mailboxes in a minute.")
    var codesMinute = VerificationRules().perService

    @Option(help: "Minutes during which a code can be used, from 3 to 10.")
    var codeMinutes = Int(VerificationRules().codeLifetime.count / 60_000)

    @Option(help: "How often a code can be tried, from 1 to 5.")
    var codeTries = VerificationRules().tries

    /// The mistakes in these options.
    var mistakes: [String] {
        let counts = [
            ("--codes-address-hour", rules.perAddress),
            ("--codes-address-day", rules.perAddressDay),
            ("--codes-network-hour", rules.perSource), ("--codes-site-hour", rules.perSite),
            ("--codes-domain-minute", codesDomainMinute), ("--codes-minute", codesMinute),
        ]
        var mistakes = counts.filter { $0.1 < 1 }.map { name, _ in
            "\(name) must be at least 1."
        }
        // Apps wait ten minutes for a code and try five times. The mail's sentence has a plural.
        if !(3...10).contains(codeMinutes) {
            mistakes.append("--code-minutes must be between 3 and 10.")
        }
        if !(1...5).contains(codeTries) {
            mistakes.append("--code-tries must be between 1 and 5.")
        }
        if codesDay < 3 {
            mistakes.append(
                "--codes-day must be at least 3: with less, one network could use up the codes of "
                    + "all networks that the mailboxes do not know."
            )
            return mistakes
        }
        let parts: [(name: String, count: Int, most: Int, part: String)] = [
            ("--codes-network-hour", rules.perSource, rules.perSourceDay, "a fifth"),
            ("--codes-site-hour", rules.perSite, rules.perSiteDay, "four fifteenths"),
            ("--codes-address-day", rules.perAddressDay, codesDay, "all"),
        ]
        mistakes += parts.filter { $0.count > $0.most }.map { name, _, most, part in
            "\(name) is more than \(part) of --codes-day, which is \(most): nobody would ever get as "
                + "many codes."
        }
        if rules.perAddress > rules.perAddressDay {
            mistakes.append(
                "--codes-address-hour is more than --codes-address-day: a mailbox would never get "
                    + "as many codes in an hour."
            )
        }
        return mistakes
    }

    /// The rules with these limits.
    var rules: VerificationRules {
        var rules = VerificationRules()
        rules.codeLifetime = .seconds(Int64(codeMinutes) * 60)
        rules.tries = codeTries
        rules.perDay = codesDay
        rules.perSource = codesNetworkHour ?? min(rules.perSource, rules.perSourceDay)
        rules.perSite = codesSiteHour ?? min(rules.perSite, rules.perSiteDay)
        rules.perAddressDay = codesAddressDay ?? min(rules.perAddressDay, rules.perSourceDay)
        rules.perAddress = codesAddressHour ?? min(rules.perAddress, rules.perAddressDay)
        // One network leaves the half to others.
        rules.perPair = max(1, rules.perAddress / 2)
        rules.perDomain = codesDomainMinute
        rules.perService = codesMinute
        return rules
    }
}
