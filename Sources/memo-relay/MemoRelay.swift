import ArgumentParser

@main
struct MemoRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memo-relay",
        abstract: "Accepts memos and mails them to their owners.",
        subcommands: [Serve.self, EmbedWeb.self]
    )
}
