import ArgumentParser
import OutboxCore
import RelayRules
import RelayServer

/// The limits on mailed codes, as options of `memo-relay serve`.
struct CodeLimitOptions: ParsableArguments {
    @Option(help: "Codes to one mailbox in an hour, from all networks.")
    var codesAddressHour = VerificationRules().perAddress

    @Option(help: "Codes to one mailbox in a day, from all networks.")
    var codesAddressDay = VerificationRules().perAddressDay

    @Option(help: "Codes that one network may ask for in an hour: an IPv4 address, an IPv6 /64.")
    var codesNetworkHour = VerificationRules().perSource

    @Option(help: "Codes that one site may ask for in an hour: an IPv4 /24, an IPv6 /48.")
    var codesSiteHour = VerificationRules().perSite

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
            ("--codes-address-hour", codesAddressHour), ("--codes-address-day", codesAddressDay),
            ("--codes-network-hour", codesNetworkHour), ("--codes-site-hour", codesSiteHour),
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
        if codesAddressHour > codesAddressDay {
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
        // One network leaves the half to others.
        rules.perPair = max(1, codesAddressHour / 2)
        rules.perAddress = codesAddressHour
        rules.perAddressDay = codesAddressDay
        rules.perSource = codesNetworkHour
        rules.perSite = codesSiteHour
        rules.perDomain = codesDomainMinute
        rules.perService = codesMinute
        return rules
    }
}
