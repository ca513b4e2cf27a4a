// What the sources use of WidgetKit: the timeline of a widget that never changes, and a control.

public import AppIntents
@_exported public import SwiftUI

public protocol TimelineEntry {
    var date: Date { get }
}

public protocol TimelineProvider {
    associatedtype Entry: TimelineEntry

    typealias Context = TimelineProviderContext

    func placeholder(in context: Context) -> Entry

    @preconcurrency
    func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)

    @preconcurrency
    func getTimeline(
        in context: Context,
        completion: @escaping @Sendable (Timeline<Entry>) -> Void
    )
}

public struct TimelineProviderContext {}

public struct Timeline<EntryType> where EntryType: TimelineEntry {
    public init(entries: [EntryType], policy: TimelineReloadPolicy) {}
}

public struct TimelineReloadPolicy: Equatable, Sendable {
    public static let never = TimelineReloadPolicy()
}

public enum WidgetFamily: Sendable {
    case systemSmall
    case accessoryCircular
}

extension WidgetConfiguration {
    public nonisolated func supportedFamilies(
        _ families: [WidgetFamily]
    ) -> some WidgetConfiguration { self }
}

@MainActor @preconcurrency
public struct StaticConfiguration<Content>: WidgetConfiguration, _Drawn where Content: View {
    public typealias Body = Never

    public init<Provider>(
        kind: String,
        provider: Provider,
        @ViewBuilder content: @escaping (Provider.Entry) -> Content
    ) where Provider: TimelineProvider {}
}

@MainActor @preconcurrency
public struct StaticControlConfiguration<Content>: ControlWidgetConfiguration, _Drawn
where Content: ControlWidgetTemplate {
    public typealias Body = Never

    public init(
        kind: String,
        @ControlWidgetTemplateBuilder content: @escaping () -> Content
    ) {}
}

@MainActor @preconcurrency
public struct ControlWidgetButton<Label, ActionLabel, Action>: ControlWidgetTemplate, _Drawn
where Label: View, ActionLabel: View {
    public typealias Body = Never
}

extension ControlWidgetButton
where ActionLabel == ControlWidgetButtonDefaultActionLabel, Action: AppIntent {
    public init(action: Action, @ViewBuilder label: @escaping () -> Label) {}
}

@MainActor @preconcurrency
public struct ControlWidgetButtonDefaultActionLabel: View, _Drawn {
    public typealias Body = Never
}
