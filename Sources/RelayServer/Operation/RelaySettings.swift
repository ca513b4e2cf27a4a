import DurableFiles

/// The settings of a relay as a person gives them: by option, in the environment, or in a file, in
/// this order of precedence.
///
/// Settings of the environment and of the file become options, in front of those of the command
/// line: the parser checks all alike, and of an option that is given twice takes the last one.
package struct RelaySettings: Sendable {
    /// The place where a setting is given.
    package enum Origin: Hashable, Sendable {
        case option
        case environment(variable: String)
        case file(path: String, line: Int)

        /// The place as a person reads it.
        package var description: String {
            switch self {
            case .option: "option"
            case .environment(let variable): "environment, \(variable)"
            case .file(let path, let line): "file \(path), line \(line)"
            }
        }
    }

    /// A setting that can be given.
    package struct Kind: Hashable, Sendable {
        /// The name of the option, without its hyphens.
        package let name: String
        /// Whether the option has no value: in environment and file, the value is `true` or `false`.
        let isFlag: Bool

        package init(name: String, isFlag: Bool) {
            self.name = name
            self.isFlag = isFlag
        }
    }

    /// The settings that are never options, because other programs of the machine see an option.
    package static let secretNames = [
        "smtp-user", "smtp-password", "resend-key", "resend-webhook-secret",
    ]
    private static let prefix = "MEMO_RELAY_"

    /// The arguments for the parser, without the name of the program.
    package private(set) var arguments: [String] = []
    /// The place of each given setting, by its name.
    package private(set) var origins: [String: Origin] = [:]
    /// The secrets that are given, by their names.
    package private(set) var secrets: [String: String] = [:]

    /// Settings of nothing but options.
    package init() {}

    /// - Parameters:
    ///   - arguments: The arguments of the program. The first is the command.
    ///   - environment: The variables of the process.
    ///   - kinds: The options of the command.
    /// - Throws: ``SettingsError``.
    package init(
        _ arguments: [String],
        environment: [String: String],
        kinds: [Kind]
    ) throws(SettingsError) {
        let options = arguments.dropFirst()
        var given: [String: (value: String, origin: Origin)] = [:]
        let path = Self.file(in: Array(options)) ?? environment[Self.variable("config")]
        if let path {
            guard let file = FileContent(path: path, limit: 64 * 1024),
                let text = String(validating: file.bytes, as: UTF8.self)
            else { throw .unreadable(path: path) }
            given = try Self.settings(in: text, path: path, kinds: kinds)
            let hasSecret = Self.secretNames.contains { given[$0] != nil }
            if hasSecret, file.isOpenToOthers, !Self.isCredential(path, environment) {
                throw .openToOthers(path: path)
            }
        }
        for name in kinds.map(\.name) + Self.secretNames {
            let variable = Self.variable(name)
            if let value = environment[variable], !value.isEmpty {
                given[name] = (value, .environment(variable: variable))
            }
        }
        for name in Self.secretNames { secrets[name] = given[name]?.value }
        origins = given.mapValues(\.origin)
        self.arguments = Array(arguments.prefix(1))
        for kind in kinds {
            let isOption = options.contains {
                $0 == "--\(kind.name)" || $0.hasPrefix("--\(kind.name)=")
            }
            if isOption {
                origins[kind.name] = .option
            } else if let setting = given[kind.name] {
                self.arguments += try Self.option(kind, setting.value, setting.origin)
            }
        }
        self.arguments += options
    }

    /// Whether a file is a credential that systemd hands to this process alone. An access control
    /// list may then protect the file, which makes its mode look as if a group could read it
    /// (<https://systemd.io/CREDENTIALS/>).
    private static func isCredential(_ path: String, _ environment: [String: String]) -> Bool {
        guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else {
            return false
        }
        return path.hasPrefix(folder + "/")
    }

    /// The variable of the environment that gives a setting.
    private static func variable(_ name: String) -> String {
        prefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    private static func option(
        _ kind: Kind,
        _ value: String,
        _ origin: Origin
    ) throws(SettingsError) -> [String] {
        guard kind.isFlag else { return ["--\(kind.name)=\(value)"] }
        switch value {
        case "true": return ["--\(kind.name)"]
        case "false": return []
        default: throw .notBoolean(name: kind.name, origin)
        }
    }

    /// The file that the options name.
    private static func file(in options: [String]) -> String? {
        for (index, option) in options.enumerated().reversed() {
            if option.hasPrefix("--config=") { return String(option.dropFirst("--config=".count)) }
            if option == "--config", index + 1 < options.count { return options[index + 1] }
        }
        return nil
    }

    /// Reads lines of the form `name = value`. A line that begins with `#` is a remark.
    private static func settings(
        in text: String,
        path: String,
        kinds: [Kind]
    ) throws(SettingsError) -> [String: (value: String, origin: Origin)] {
        let names = Set(kinds.map(\.name) + secretNames).subtracting(["config"])
        var found: [String: (value: String, origin: Origin)] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = Self.trimmed(line)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let origin = Origin.file(path: path, line: index + 1)
            guard let equals = line.firstIndex(of: "=") else { throw .noSetting(origin) }
            let name = String(Self.trimmed(line[..<equals]))
            let value = String(Self.trimmed(line[line.index(after: equals)...]))
            guard names.contains(name) else { throw .noSetting(origin) }
            guard !value.isEmpty else { throw .noValue(name: name, origin) }
            guard found[name] == nil else { throw .repeated(name: name, origin) }
            found[name] = (value, origin)
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

/// A mistake in the environment or in the file of the settings. Quotes no value.
package enum SettingsError: Error, Hashable {
    case unreadable(path: String)
    case openToOthers(path: String)
    case noSetting(RelaySettings.Origin)
    case noValue(name: String, RelaySettings.Origin)
    case repeated(name: String, RelaySettings.Origin)
    case notBoolean(name: String, RelaySettings.Origin)

    /// The mistake as a person reads it.
    package var sentence: String {
        switch self {
        case .unreadable(let path):
            "the settings in \(path) cannot be read: a file of text, of at most 64 KiB, is needed."
        case .openToOthers(let path):
            "the settings in \(path) have a password, and others than their owner may read them. "
                + "Run: chmod 600 \(path)"
        case .noSetting(let origin):
            "\(origin.description): there is no such setting. A line is \"name = value\"; the names "
                + "are those of the options of \"memo-relay serve --help\"."
        case .noValue(let name, let origin):
            "\(origin.description): \(name) has no value."
        case .repeated(let name, let origin):
            "\(origin.description): \(name) is given a second time."
        case .notBoolean(let name, let origin):
            "\(origin.description): \(name) must be true or false."
        }
    }
}
