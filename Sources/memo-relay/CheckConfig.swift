import ArgumentParser
import RelayServer

/// `memo-relay check-config`: the settings with which the relay would serve.
struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Show each setting and where it comes from, and refuse what \"serve\" refuses.",
        discussion: """
            Takes the options of "memo-relay serve", and reads the same environment and file. \
            Opens no port and changes nothing. User and password of the mail server are not shown.

            Exit codes: 0 if "serve" would take the settings; 1 if the file of the settings, or \
            the web app, cannot be used; 64 for a mistake, or for settings that contradict each \
            other.
            """
    )

    @OptionGroup var options: ServeOptions

    func run() throws {
        let settings = GivenSettings.current
        if let web = options.web {
            do {
                _ = try WebBundle(folder: web)
            } catch {
                throw complain(error.sentence(folder: web))
            }
        }
        for (name, option) in GivenSettings.all(of: options) {
            guard let setting = option as? any ShownSetting else { continue }
            let origin = settings.origins[name]?.description ?? "default"
            print("\(name) = \(setting.shown)  (\(origin))")
        }
        for name in RelaySettings.secretNames {
            let origin = settings.origins[name]?.description ?? "default"
            print("\(name) = \(settings.secrets[name] == nil ? "none" : "not shown")  (\(origin))")
        }
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
