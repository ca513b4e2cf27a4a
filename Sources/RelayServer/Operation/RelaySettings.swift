import DurableFiles
import LibC

/// The settings of a relay as a person gives them: by option, in the environment, or in a file, in
/// this order of precedence.
///
/// All settings become options of one form, `--name=value`, which the parser reads. A setting with a
/// mistake becomes none: the mistakes are collected, so that a person mends them all at once.
package struct RelaySettings: Sendable {
    /// Where a setting is given.
    package enum Origin: Hashable, Sendable {
        case option
        case environment(variable: String)
        case file(path: String, line: Int)

        /// The origin as a person reads it.
        package var description: String {
            switch self {
            case .option: "option"
            case .environment(let variable): "environment, \(variable)"
            case .file(let path, let line): "file \(path), line \(line)"
            }
        }

        /// The origin of a setting as a mistake has it.
        func description(of name: String) -> String {
            self == .option ? "option --\(name)" : description
        }
    }

    /// A setting that can be given.
    package struct Kind: Hashable, Sendable {
        /// The form of a value.
        package enum Value: Hashable, Sendable {
            /// No value on the command line; `true` or `false` in environment and file.
            case flag
            case text
            case wholeNumber
            case number
        }

        /// The name of the option, without its hyphens.
        package let name: String
        let value: Value

        package init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The settings that are never options, because other programs of the machine see an option.
    package static let secretNames = [
        "smtp-user", "smtp-password", "imap-user", "imap-password", "resend-key",
        "resend-webhook-secret", "database-password",
    ]
    /// The value of the secrets in the example of a file.
    private static let exampleSecret = "replace-me"
    private static let longestFile = 64 * 1024
    private static let prefix = "MEMO_RELAY_"

    /// The arguments for the parser, without the name of the program.
    package private(set) var arguments: [String] = []
    /// The origin of each given setting, by its name.
    package private(set) var origins: [String: Origin] = [:]
    /// The secrets that are given, by their names.
    package private(set) var secrets: [String: String] = [:]
    /// The mistakes, in the order in which a person finds them: file, environment, options.
    package private(set) var mistakes: [SettingsMistake] = []

    /// Settings of nothing but options.
    package init() {}

    /// - Parameters:
    ///   - arguments: The arguments of the program. The first is the command.
    ///   - environment: The variables of the process.
    ///   - kinds: The options of the command.
    package init(_ arguments: [String], environment: [String: String], kinds: [Kind]) {
        let line = GivenOptions(arguments.dropFirst(), kinds: kinds)
        var given: [String: (value: String, origin: Origin)] = [:]
        if let path = line.values["config"] ?? environment[Self.variable("config")], !path.isEmpty {
            given = readFile(path, environment, kinds)
        }
        readEnvironment(environment, kinds, into: &given)
        for (name, value) in line.values { given[name] = (value, .option) }
        for name in Self.secretNames { takeSecret(name, given[name]) }
        origins = given.mapValues(\.origin)
        self.arguments = Array(arguments.prefix(1))
        for kind in kinds {
            guard let setting = given[kind.name] else { continue }
            if let mistake = Self.mistake(in: setting.value, of: kind, at: setting.origin) {
                mistakes.append(mistake)
            } else if kind.value != .flag {
                self.arguments.append("--\(kind.name)=\(setting.value)")
            } else if setting.value == "true" {
                self.arguments.append("--\(kind.name)")
            }
        }
        self.arguments += line.rest
    }

    /// All mistakes as a person reads them.
    ///
    /// - Parameter sentences: Sentences on what the settings say together, which name the settings as
    ///   `--device-day`. One on a setting that has a mistake of its own is left out: it speaks of a
    ///   value that nobody has given. They quote no secret.
    package func sentences(with sentences: [String]) -> [String] {
        let mistaken = Set(mistakes.compactMap(\.name))
        return mistakes.map(\.sentence)
            + sentences.filter { mistaken.isDisjoint(with: Self.names(in: $0)) }.map(withOrigins)
    }

    /// A sentence with the origins of the settings that it names in front.
    func withOrigins(_ sentence: String) -> String {
        var found: [String] = []
        for name in Self.names(in: sentence) {
            guard let words = origins[name]?.description(of: name), !found.contains(words) else {
                continue
            }
            found.append(words)
        }
        return found.isEmpty ? sentence : found.joined(separator: "; ") + ": " + sentence
    }

    private static func names(in sentence: String) -> [String] {
        sentence.split { !($0.isLetter || $0.isNumber || $0 == "-") }.compactMap { word in
            if word.hasPrefix("--") { return String(word.dropFirst(2)) }
            return secretNames.contains(String(word)) ? String(word) : nil
        }
    }

    private mutating func takeSecret(_ name: String, _ setting: (value: String, origin: Origin)?) {
        guard let setting else { return }
        secrets[name] = setting.value
        if setting.value == Self.exampleSecret {
            mistakes.append(.exampleSecret(name: name, setting.origin))
        }
    }

    private static func mistake(
        in value: String,
        of kind: Kind,
        at origin: Origin
    ) -> SettingsMistake? {
        if value.isEmpty { return .noValue(name: kind.name, origin) }
        return switch kind.value {
        case .text: nil
        case .flag:
            value == "true" || value == "false" ? nil : .notBoolean(name: kind.name, origin)
        case .wholeNumber: Int(value) == nil ? .notWholeNumber(name: kind.name, origin) : nil
        case .number: Double(value) == nil ? .notNumber(name: kind.name, origin) : nil
        }
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

    /// Takes the variables of the environment. An empty one gives nothing.
    private mutating func readEnvironment(
        _ environment: [String: String],
        _ kinds: [Kind],
        into given: inout [String: (value: String, origin: Origin)]
    ) {
        let names = kinds.map(\.name) + Self.secretNames
        let known = Dictionary(uniqueKeysWithValues: names.map { (Self.variable($0), $0) })
        for (variable, value) in environment.sorted(by: { $0.key < $1.key }) {
            guard variable.hasPrefix(Self.prefix), !value.isEmpty else { continue }
            let origin = Origin.environment(variable: variable)
            if let name = known[variable] {
                given[name] = (value, origin)
            } else {
                mistakes.append(.noVariable(origin))
            }
        }
    }

    private mutating func readFile(
        _ path: String,
        _ environment: [String: String],
        _ kinds: [Kind]
    ) -> [String: (value: String, origin: Origin)] {
        guard let file = FileContent(path: path, limit: Self.longestFile),
            let text = String(validating: file.bytes, as: UTF8.self)
        else {
            mistakes.append(.unreadable(path: path, .ofFile(at: path)))
            return [:]
        }
        let settings = readLines(of: text, path: path, kinds: kinds)
        let hasSecret = Self.secretNames.contains { settings[$0] != nil }
        if hasSecret, file.isOpenToOthers, !Self.isCredential(path, environment) {
            mistakes.append(.openToOthers(path: path))
        }
        return settings
    }

    /// Reads lines of the form `name = value`, ended by LF or CR LF. A line that begins with `#` is a
    /// remark.
    private mutating func readLines(
        of text: String,
        path: String,
        kinds: [Kind]
    ) -> [String: (value: String, origin: Origin)] {
        let names = Set(kinds.map(\.name) + Self.secretNames).subtracting(["config"])
        var found: [String: (value: String, origin: Origin)] = [:]
        // The mark that some editors put at the beginning of a file in UTF-8.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            let line = Self.trimmed(line)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let origin = Origin.file(path: path, line: index + 1)
            let equals = line.firstIndex(of: "=") ?? line.endIndex
            let name = String(Self.trimmed(line[..<equals]))
            let value = String(Self.trimmed(line[equals...].dropFirst()))
            if equals == line.endIndex || !names.contains(name) {
                mistakes.append(.noSetting(origin))
            } else if value.isEmpty {
                mistakes.append(.noValue(name: name, origin))
            } else if found[name] != nil {
                mistakes.append(.repeated(name: name, origin))
            } else {
                found[name] = (value, origin)
            }
        }
        return found
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}

/// The options of a command line, as far as they are settings.
private struct GivenOptions {
    /// The last value of each setting; `true` for a flag.
    private(set) var values: [String: String] = [:]
    /// The arguments that are no settings, in their order.
    private(set) var rest: [String] = []

    init(_ arguments: ArraySlice<String>, kinds: [RelaySettings.Kind]) {
        let kinds = Dictionary(uniqueKeysWithValues: kinds.map { ("--" + $0.name, $0) })
        var arguments = arguments
        while let argument = arguments.popFirst() {
            guard argument != "--" else {
                rest += [argument] + arguments
                return
            }
            let equals = argument.firstIndex(of: "=") ?? argument.endIndex
            if let kind = kinds[String(argument[..<equals])] {
                if kind.value == .flag, equals == argument.endIndex {
                    values[kind.name] = "true"
                    continue
                } else if kind.value != .flag, equals < argument.endIndex {
                    values[kind.name] = String(argument[equals...].dropFirst())
                    continue
                } else if kind.value != .flag, let next = arguments.first, !next.hasPrefix("--") {
                    values[kind.name] = next
                    arguments.removeFirst()
                    continue
                }
            }
            // The parser explains it.
            rest.append(argument)
        }
    }
}

/// A mistake in the settings. Quotes no value.
package enum SettingsMistake: Hashable, Sendable {
    /// The reason why a file of settings cannot be read.
    package enum Cause: Hashable, Sendable {
        case missing
        case forbidden
        case noText

        static func ofFile(at path: String) -> Cause {
            if access(path, R_OK) == 0 { return .noText }
            return errno == EACCES ? .forbidden : .missing
        }
    }

    case unreadable(path: String, Cause)
    case openToOthers(path: String)
    case noSetting(RelaySettings.Origin)
    case noVariable(RelaySettings.Origin)
    case noValue(name: String, RelaySettings.Origin)
    case repeated(name: String, RelaySettings.Origin)
    case notBoolean(name: String, RelaySettings.Origin)
    case notWholeNumber(name: String, RelaySettings.Origin)
    case notNumber(name: String, RelaySettings.Origin)
    case exampleSecret(name: String, RelaySettings.Origin)

    /// The setting with the mistake; `nil` where none can be named.
    var name: String? {
        switch self {
        case .unreadable, .openToOthers, .noSetting, .noVariable, .repeated: nil
        case .noValue(let name, _), .notBoolean(let name, _), .notWholeNumber(let name, _),
            .notNumber(let name, _), .exampleSecret(let name, _):
            name
        }
    }

    /// The mistake as a person reads it.
    package var sentence: String {
        switch self {
        case .unreadable(let path, .missing):
            "the file of settings \(path) does not exist. Name another one with --config."
        case .unreadable(let path, .forbidden):
            "this user may not read the file of settings \(path). Run this as its owner."
        case .unreadable(let path, .noText):
            "the settings in \(path) cannot be read: a file of text, of at most 64 KiB, is needed."
        case .openToOthers(let path):
            "the settings in \(path) have a password, and others than their owner may read them. "
                + "Run: chmod 600 \(path)"
        case .noSetting(let origin):
            "\(origin.description): there is no such setting. A line is \"name = value\"; the names "
                + "are those of the options of \"memo-relay serve --help\"."
        case .noVariable(let origin):
            "\(origin.description): there is no such variable. The names are those of the options "
                + "of \"memo-relay serve --help\": MEMO_RELAY_DEVICE_DAY gives --device-day."
        case .noValue(let name, let origin):
            "\(origin.description(of: name)): \(name) has no value."
        case .repeated(let name, let origin):
            "\(origin.description(of: name)): \(name) is given a second time. Delete one of both lines."
        case .notBoolean(let name, let origin):
            "\(origin.description(of: name)): \(name) must be true or false."
        case .notWholeNumber(let name, let origin):
            "\(origin.description(of: name)): \(name) must be a whole number."
        case .notNumber(let name, let origin):
            "\(origin.description(of: name)): \(name) must be a number."
        case .exampleSecret(let name, let origin):
            "\(origin.description(of: name)): \(name) is still that of the example. Write your own."
        }
    }
}
