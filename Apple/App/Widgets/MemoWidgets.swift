import AppIntents
import SwiftUI
import WidgetKit

/// The widgets and the control of the app: each opens the app with the field, and shows nothing of a memo.
@main
struct MemoWidgets: WidgetBundle {
    var body: some Widget {
        MemoWidget()
        MemoControl()
    }
}

/// The symbol that opens the app for typing, on home and lock screen.
struct MemoWidget: Widget {
    var body: some WidgetConfiguration {
        StaticConfiguration(kind: "simple-memo.widget", provider: Unchanging()) { _ in
            Image(systemName: "square.and.pencil")
                .accessibilityLabel("New memo")
                // The app has no other URL, and no scheme: no other app can open it so.
                .widgetURL(URL(string: "simple-memo:compose"))
                .containerBackground(.background, for: .widget)
        }
        .configurationDisplayName("New memo")
        .description("Opens the app for typing.")
        .supportedFamilies([.systemSmall, .accessoryCircular])
    }
}

/// The only state of the widget, for ever.
struct Unchanging: TimelineProvider {
    struct Entry: TimelineEntry {
        let date: Date
    }

    func placeholder(in context: Context) -> Entry { Entry(date: .now) }

    func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void) {
        completion(Entry(date: .now))
    }

    func getTimeline(
        in context: Context,
        completion: @escaping @Sendable (Timeline<Entry>) -> Void
    ) {
        completion(Timeline(entries: [Entry(date: .now)], policy: .never))
    }
}

/// The control for Control Center, the lock screen and the Action button.
struct MemoControl: ControlWidget {
    var body: some ControlWidgetConfiguration {
        StaticControlConfiguration(kind: "simple-memo.control") {
            ControlWidgetButton(action: ComposeMemoIntent()) {
                Label("New memo", systemImage: "square.and.pencil")
            }
        }
        .displayName("New memo")
    }
}
