#if os(Linux)
    import ArgumentParser
    import LibC
    import MemoDelivery
    import MemoKit
    import MemoProcesses
    import MemoTexts

    /// Started by an agent; see ``MemoDelivery/FailureNotices``.
    struct NotifyCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "notify",
            abstract: "Tell, on the person's desktop, of memos that did not arrive.",
            discussion: "It ends when no notification with a button is left.",
            shouldDisplay: false
        )

        @Option(help: ArgumentHelp("The seconds for which a button is shown.", visibility: .hidden))
        var seconds = 3600

        mutating func run() async throws {
            let notices = FailureNotices(
                folder: try DataFolder.current(),
                language: .ofThisProcess,
                life: .seconds(max(0, min(seconds, 3600)))
            )
            _ = chdir("/")
            await untilTerminated { await notices.tell() }
        }
    }
#endif
