import ArgumentParser
import RelayServer

/// The settings with which this program was started, and their origins.
enum GivenSettings {
    @TaskLocal static var current = RelaySettings()

    /// The options of ``ServeOptions``, as a file and the environment may give them.
    static let kinds = options(of: ServeOptions()) { $0.unparsed }.map { name, option in
        RelaySettings.Kind(name: name, value: value(of: option))
    }

    /// The options and flags of parsed arguments, and of the groups in them, in their order.
    static func all(of arguments: ServeOptions) -> [(name: String, option: Any)] {
        options(of: arguments) { $0.parsed }
    }

    private static func value(of option: Any) -> RelaySettings.Kind.Value {
        switch option {
        case is Flag<Bool>: .flag
        case is Option<Int>, is Option<Int?>: .wholeNumber
        case is Option<Double>: .number
        default: .text
        }
    }

    private static func options(
        of arguments: any ParsableArguments,
        group: (any GroupOfOptions) -> any ParsableArguments
    ) -> [(name: String, option: Any)] {
        Mirror(reflecting: arguments).children.flatMap { child in
            if let inner = child.value as? any GroupOfOptions {
                return options(of: group(inner), group: group)
            }
            return child.label.map { [(name(of: $0), child.value)] } ?? []
        }
    }

    /// The option of a property: `_deviceDay` is of the option `device-day`.
    private static func name(of label: String) -> String {
        label.drop { $0 == "_" }.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }
            .joined()
    }
}

/// Any `OptionGroup`.
private protocol GroupOfOptions {
    /// The arguments as they are declared.
    var unparsed: any ParsableArguments { get }
    /// The arguments as they were given.
    var parsed: any ParsableArguments { get }
}

extension OptionGroup: GroupOfOptions {
    fileprivate var unparsed: any ParsableArguments { Value() }
    fileprivate var parsed: any ParsableArguments { wrappedValue }
}
