import ArgumentParser
import Essentials
import LibC
import MemoCore
import RelayServer

@main
struct MemoRelay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memo-relay",
        abstract: "Accepts memos and mails them to their owners.",
        version: "\(ProgramVersion.text)",
        subcommands: [
            Serve.self, CheckConfig.self, Statistics.self, QueueCommand.self, DeadLetters.self,
            Bounce.self, Mailbox.self, Invite.self, Backup.self, Copy.self, Migrate.self,
            RotateKey.self, DKIMKey.self, CheckDNS.self, EmbedWeb.self,
        ]
    )

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let isHelp = arguments.contains { argument in
            ["--help", "-h", "--version"].contains(argument) || argument.hasPrefix("--experi")
        }
        switch arguments.first {
        case _ where isHelp: await main(arguments)
        case "serve", "check-config": await runServing(arguments)
        case "copy": await DatabaseOptions.withPassword(arguments) { await main(arguments) }
        case "bounce":
            await DatabaseOptions.withPlace(arguments) { await Bounce.exitForMailServer($0) }
        case "stats", "backup", "rotate-key", "migrate",
            "queue" where arguments.count > 1, "dead-letters" where arguments.count > 1,
            "mailbox" where arguments.count > 1, "invite" where arguments.count > 1:
            await DatabaseOptions.withPlace(arguments) { await main($0) }
        default: await main(arguments)
        }
    }

    /// Runs a command that takes the settings, or ends the process with every mistake in them.
    private static func runServing(_ arguments: [String]) async {
        let settings = RelaySettings(
            arguments,
            environment: ProcessInfo.processInfo.environment,
            kinds: GivenSettings.kinds
        )
        await GivenSettings.$current.withValue(settings) {
            do {
                var command = try parseAsRoot(settings.arguments)
                let options = (command as? any ServingCommand)?.options
                let mistakes = settings.sentences(with: options?.mistakes ?? [])
                guard mistakes.isEmpty else { exit(withMistakes: mistakes) }
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
            } catch {
                if !(error is ExitCode) {
                    for mistake in settings.mistakes { _ = complain(mistake.sentence) }
                }
                exit(withError: error)
            }
        }
    }

    private static func exit(withMistakes mistakes: [String]) -> Never {
        for mistake in mistakes { _ = complain(mistake) }
        exit(withError: ExitCode(64))
    }
}

/// A command that takes the settings of `memo-relay serve`.
protocol ServingCommand {
    var options: ServeOptions { get }
}

/// Tells a person on standard error why the program ends; to be thrown.
func complain(_ sentence: String) -> ExitCode {
    // Bytes to the descriptor: C's stderr is a global that strict concurrency refuses.
    let line = Array("memo-relay: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    return ExitCode(1)
}
