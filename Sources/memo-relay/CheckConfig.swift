import ArgumentParser
import Logging
import RelayRules
import RelayServer

/// `memo-relay check-config`: the settings with which the relay would serve.
struct CheckConfig: ParsableCommand, ServingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Show each setting and where it comes from, and refuse what \"serve\" refuses.",
        discussion: """
            Takes the options of "memo-relay serve", and reads the same environment and file. \
            Opens no port and changes nothing. User and password of the mail server are not shown. \
            A setting that is not given is shown as the relay would have it. What "serve" warns \
            of goes to standard error; the last line is "fine" if "serve" would take the settings.

            Exit codes: 0 if "serve" would take the settings; 1 if the web app cannot be used; 64 \
            for mistakes, or for settings that contradict each other, all of which are named with \
            their origins.
            """
    )

    @OptionGroup var options: ServeOptions

    func run() throws {
        guard let configuration = options.relayConfiguration() else { throw ExitCode(64) }
        let settings = GivenSettings.current
        let web: WebBundle?
        do throws(WebBundleError) {
            web =
                if let folder = options.web {
                    try WebBundle(folder: folder)
                } else {
                    try WebBundle.embedded(logger: Logger(label: "check-config"))
                }
        } catch {
            throw complain(error.sentence(folder: options.web))
        }
        let effective = options.effective(in: configuration, web: web)
        for (name, option) in GivenSettings.all(of: options) {
            guard let setting = option as? any ShownSetting else { continue }
            let origin = settings.origins[name]?.description ?? "default"
            print("\(name) = \(effective[name] ?? setting.shown)  (\(origin))")
        }
        for name in RelaySettings.secretNames {
            let origin = settings.origins[name]?.description ?? "default"
            print("\(name) = \(settings.secrets[name] == nil ? "none" : "not shown")  (\(origin))")
        }
        print("fine")
        for warning in configuration.warnings { _ = complain("warning: \(warning)") }
    }
}

extension ServeOptions {
    /// The values of settings that follow from others where they are not given.
    fileprivate func effective(
        in configuration: RelayConfiguration,
        web bundle: WebBundle?
    ) -> [String: String] {
        let limits = configuration.memoLimits
        let codes = configuration.verificationRules
        var values = [
            "waiting": "\(limits.account.waiting)",
            "network-hour": "\(limits.network.perHour)",
            "site-hour": "\(limits.network.perSiteHour)",
            "service-day": "\(limits.servicePerDay)",
            "codes-address-hour": "\(codes.perAddress)",
            "codes-address-day": "\(codes.perAddressDay)",
            "codes-network-hour": "\(codes.perSource)",
            "codes-site-hour": "\(codes.perSite)",
        ]
        if case .smtp(let endpoint) = configuration.mail, endpoint.security != .implicit {
            values["smtp-starttls"] = endpoint.security.rawValue
            values["bounce-address"] = bounceAddress ?? from
        }
        if web == nil, bundle != nil { values["web"] = "in this program" }
        return values
    }
}

/// A setting whose value can be shown: every option. Secrets are no options.
private protocol ShownSetting {
    var shown: String { get }
}

extension Option: ShownSetting {
    fileprivate var shown: String { text(of: wrappedValue) }
}

extension Flag: ShownSetting {
    fileprivate var shown: String { text(of: wrappedValue) }
}

private func text(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return "\(value)" }
    return mirror.children.first.map { "\($0.value)" } ?? "none"
}
