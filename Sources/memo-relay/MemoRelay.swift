import ArgumentParser
import LibC

@main
struct MemoRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memo-relay",
        abstract: "Accepts memos and mails them to their owners.",
        subcommands: [Serve.self, EmbedWeb.self]
    )
}

/// Tells a person on standard error why the program ends; to be thrown.
func complain(_ sentence: String) -> ExitCode {
    // Bytes to the descriptor: C's stderr is a global that strict concurrency refuses.
    let line = Array("memo-relay: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    return ExitCode(1)
}
