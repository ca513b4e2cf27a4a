// What the sources use of SwiftUI: the declaration of widgets and controls. Nothing is drawn here.

public import AppIntents
@_exported public import Foundation

// MARK: Views

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View

    @ViewBuilder var body: Body { get }
}

/// What the system draws itself.
@MainActor @preconcurrency
public protocol _Drawn {}

extension _Drawn {
    public var body: Never { fatalError("the system draws it") }
}

extension Never: _Drawn {}

extension Never: View {
    public typealias Body = Never
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content>(_ content: Content) -> Content where Content: View {
        content
    }

    public static func buildBlock<Content>(_ content: Content) -> Content where Content: View {
        content
    }
}

public struct LocalizedStringKey: Equatable, ExpressibleByStringLiteral {
    public init(stringLiteral value: String) {}
}

public struct Text: View, _Drawn {
    public typealias Body = Never
}

public struct Image: View, _Drawn {
    public typealias Body = Never

    public nonisolated init(systemName: String) {}
}

public struct Label<Title, Icon>: View, _Drawn where Title: View, Icon: View {
    public typealias Body = Never
}

extension Label where Title == Text, Icon == Image {
    public nonisolated init(_ titleKey: LocalizedStringKey, systemImage name: String) {}
}

public protocol ShapeStyle: Sendable {}

public struct BackgroundStyle: ShapeStyle {}

extension ShapeStyle where Self == BackgroundStyle {
    public static var background: BackgroundStyle { BackgroundStyle() }
}

public struct ContainerBackgroundPlacement: Sendable {
    public static let widget = ContainerBackgroundPlacement()
}

extension View {
    public nonisolated func containerBackground<S>(
        _ style: S,
        for container: ContainerBackgroundPlacement
    ) -> some View where S: ShapeStyle { Image(systemName: "") }

    public nonisolated func widgetURL(_ url: URL?) -> some View { Image(systemName: "") }

    public nonisolated func accessibilityLabel(_ labelKey: LocalizedStringKey) -> some View {
        Image(systemName: "")
    }
}

// MARK: Widgets

@MainActor @preconcurrency
public protocol Widget {
    associatedtype Body: WidgetConfiguration

    init()

    var body: Body { get }
}

@MainActor @preconcurrency
public protocol WidgetConfiguration {
    associatedtype Body: WidgetConfiguration

    var body: Body { get }
}

extension Never: WidgetConfiguration {}

extension WidgetConfiguration {
    public nonisolated func configurationDisplayName(
        _ displayNameKey: LocalizedStringKey
    ) -> some WidgetConfiguration { Configured() }

    public nonisolated func description(
        _ descriptionKey: LocalizedStringKey
    ) -> some WidgetConfiguration { Configured() }
}

/// What a modifier makes.
struct Configured: WidgetConfiguration, ControlWidgetConfiguration, _Drawn {
    typealias Body = Never

    nonisolated init() {}
}

@MainActor @preconcurrency
public protocol WidgetBundle {
    associatedtype Body: Widget

    init()

    @WidgetBundleBuilder var body: Body { get }
}

/// Apple: the entry point of a widget extension.
extension WidgetBundle {
    @MainActor @preconcurrency public static func main() {
        fatalError("the system runs the extension")
    }
}

@resultBuilder
public struct WidgetBundleBuilder {
    public static func buildExpression<Content>(_ content: Content) -> Content
    where Content: Widget { content }

    @MainActor
    public static func buildExpression<Content>(_ content: Content) -> some Widget
    where Content: ControlWidget { Bundled() }

    @MainActor
    public static func buildBlock<each C>(_ c: repeat each C) -> some Widget
    where repeat each C: Widget { Bundled() }
}

/// The widgets of a bundle.
struct Bundled: Widget {
    var body: some WidgetConfiguration { Configured() }
}

// MARK: Controls

@MainActor @preconcurrency
public protocol ControlWidget {
    associatedtype Body: ControlWidgetConfiguration

    init()

    @ControlWidgetConfigurationBuilder var body: Body { get }
}

@MainActor @preconcurrency
public protocol ControlWidgetConfiguration {
    associatedtype Body: ControlWidgetConfiguration

    @ControlWidgetConfigurationBuilder var body: Body { get }
}

extension Never: ControlWidgetConfiguration {}

extension ControlWidgetConfiguration {
    public nonisolated func displayName(
        _ name: LocalizedStringResource
    ) -> some ControlWidgetConfiguration { Configured() }
}

@resultBuilder
public struct ControlWidgetConfigurationBuilder {
    public static func buildExpression<Content>(_ content: Content) -> Content
    where Content: ControlWidgetConfiguration { content }

    public static func buildBlock<Content>(_ content: Content) -> some ControlWidgetConfiguration
    where Content: ControlWidgetConfiguration { content }
}

@MainActor @preconcurrency
public protocol ControlWidgetTemplate {
    associatedtype Body: ControlWidgetTemplate

    @ControlWidgetTemplateBuilder var body: Body { get }
}

extension Never: ControlWidgetTemplate {}

@resultBuilder
public struct ControlWidgetTemplateBuilder {
    public static func buildExpression<Content>(_ content: Content) -> Content
    where Content: ControlWidgetTemplate { content }

    public static func buildBlock<Content>(_ content: Content) -> some ControlWidgetTemplate
    where Content: ControlWidgetTemplate { content }
}
