// What the sources use of AppIntents: the declaration of an intent, its parameter and its result. Nothing
// performs an intent here.

@_exported public import Foundation

// MARK: Intents

public protocol PersistentlyIdentifiable {}

public protocol AppIntent: PersistentlyIdentifiable, Sendable {
    associatedtype PerformResult: IntentResult

    static var title: LocalizedStringResource { get }
    static var description: IntentDescription? { get }
    static var openAppWhenRun: Bool { get }

    init()

    func perform() async throws -> PerformResult
}

extension AppIntent {
    public typealias Parameter = IntentParameter

    public static var description: IntentDescription? { nil }
    public static var openAppWhenRun: Bool { false }
}

public struct IntentDescription: ExpressibleByStringLiteral, Sendable {
    public init(stringLiteral value: String) {}
}

// MARK: Parameters

public protocol _IntentValue {
    associatedtype ValueType
    associatedtype UnwrappedType = Self
}

extension String: _IntentValue {
    public typealias ValueType = String

    public struct IntentInputOptions {
        public init(
            keyboardType: String.IntentInputOptions.KeyboardType = .default,
            capitalizationType: String.IntentInputOptions.CapitalizationType = .sentences,
            multiline: Bool = false,
            autocorrect: Bool = true,
            smartQuotes: Bool = true,
            smartDashes: Bool = true
        ) {}

        public enum KeyboardType: Sendable {
            case `default`
        }

        public enum CapitalizationType: Sendable {
            case sentences
        }
    }
}

public enum InputConnectionBehavior: Sendable {
    case `default`
}

@propertyWrapper
public final class IntentParameter<Value>: @unchecked Sendable where Value: _IntentValue {
    private var value: Value?

    fileprivate init(value: Value?) {
        self.value = value
    }

    public var wrappedValue: Value {
        get {
            guard let value else { fatalError("the system gives a parameter its value") }
            return value
        }
        set { value = newValue }
    }
}

extension IntentParameter where Value.ValueType == String {
    public convenience init(
        title: LocalizedStringResource,
        description: LocalizedStringResource? = nil,
        default defaultValue: Value.UnwrappedType? = nil,
        inputOptions: String.IntentInputOptions? = nil,
        requestValueDialog: IntentDialog? = nil,
        inputConnectionBehavior: InputConnectionBehavior = .default
    ) {
        self.init(value: nil)
    }
}

// MARK: Results

public protocol IntentResult: Sendable {
    associatedtype Dialog
}

public protocol ProvidesDialog: IntentResult where Dialog == IntentDialog {}

public struct IntentDialog: ExpressibleByStringLiteral, Sendable {
    public init(stringLiteral value: String) {}
}

public struct IntentResultContainer<Value, OpensAppIntent, Snippet, Dialog>: @unchecked Sendable
where Value: _IntentValue, OpensAppIntent: AppIntent {}

extension IntentResultContainer: IntentResult {}

extension IntentResultContainer: ProvidesDialog where Dialog == IntentDialog {}

extension IntentResult {
    public static func result() -> Self
    where Self == IntentResultContainer<Never, Never, Never, Never> {
        Self()
    }

    public static func result(
        dialog: IntentDialog
    ) -> Self where Self == IntentResultContainer<Never, Never, Never, IntentDialog> {
        Self()
    }
}

extension Never: IntentResult {
    public typealias Dialog = Never
}

extension Never: _IntentValue {
    public typealias ValueType = Never
}

extension Never: AppIntent {
    public init() { fatalError("nothing makes it") }

    public static var title: LocalizedStringResource { fatalError("nothing has it") }

    public func perform() async throws -> Never { fatalError("nothing performs it") }
}

// MARK: Shortcuts

public protocol AppShortcutsProvider {
    @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
}

@resultBuilder
public enum AppShortcutsBuilder {
    public static func buildExpression(_ component: AppShortcut) -> AppShortcut { component }

    public static func buildBlock(_ components: AppShortcut...) -> [AppShortcut] { components }
}

public struct AppShortcut: Sendable {
    public init<Intent>(
        intent: Intent,
        phrases: [AppShortcutPhrase<Intent>],
        shortTitle: LocalizedStringResource,
        systemImageName: String
    ) where Intent: AppIntent {}
}

public enum AppShortcutPhraseToken: Hashable, Sendable {
    case applicationName
}

public struct AppShortcutPhrase<Intent>: ExpressibleByStringInterpolation where Intent: AppIntent {
    public struct StringInterpolation: StringInterpolationProtocol {
        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) {}

        public mutating func appendInterpolation(_ token: AppShortcutPhraseToken) {}
    }

    public init(stringInterpolation: AppShortcutPhrase<Intent>.StringInterpolation) {}

    public init(stringLiteral value: String) {}
}

// MARK: Texts

/// Foundation has it, on Apple's systems.
public struct LocalizedStringResource: ExpressibleByStringLiteral, Hashable, Sendable {
    public init(stringLiteral value: String) {}
}

/// Foundation has it, on Apple's systems.
public protocol CustomLocalizedStringResourceConvertible {
    var localizedStringResource: LocalizedStringResource { get }
}
