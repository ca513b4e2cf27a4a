import AppIntents

/// What Siri and Shortcuts offer of the app without being set up.
struct MemoShortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
        AppShortcut(
            intent: SendMemoIntent(),
            phrases: ["Send a memo with \(.applicationName)"],
            shortTitle: "Send memo",
            systemImageName: "paperplane"
        )
        AppShortcut(
            intent: ComposeMemoIntent(),
            phrases: ["Write a memo in \(.applicationName)"],
            shortTitle: "New memo",
            systemImageName: "square.and.pencil"
        )
    }
}
