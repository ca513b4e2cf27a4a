import ArgumentParser
import Essentials
import LibC
import RelayServer

@main
struct MemoRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memo-relay",
        abstract: "Accepts memos and mails them to their owners.",
        subcommands: [
            Serve.self, CheckConfig.self, Statistics.self, DeadLetters.self, Bounce.self,
            Backup.self, EmbedWeb.self,
        ]
    )

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let command = arguments.first
        if command == "bounce" { Bounce.exitForMailServer(arguments) }
        guard command == "serve" || command == "check-config",
            !arguments.contains(where: { $0 == "--help" || $0 == "-h" || $0.hasPrefix("--experi") })
        else { return await main(arguments) }
        do {
            let settings = try RelaySettings(
                arguments,
                environment: ProcessInfo.processInfo.environment,
                kinds: GivenSettings.kinds
            )
            await GivenSettings.$current.withValue(settings) { await main(settings.arguments) }
        } catch {
            exit(withError: complain(error.sentence))
        }
    }
}

/// Tells a person on standard error why the program ends; to be thrown.
func complain(_ sentence: String) -> ExitCode {
    // Bytes to the descriptor: C's stderr is a global that strict concurrency refuses.
    let line = Array("memo-relay: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    return ExitCode(1)
}
