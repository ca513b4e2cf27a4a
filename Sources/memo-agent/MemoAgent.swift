import ArgumentParser
import MemoCommandLine
import MemoCore
import MemoDelivery
import MemoKit

/// Delivers memos, synchronises, and signs in and out: the part of Simple Memo that uses the network. A
/// person calls it by `memo agent`, `memo login`, `memo sync` and others.
@main
struct MemoAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memo-agent",
        abstract: "Deliver memos in the background; sign in and out.",
        version: "\(ProgramVersion.text)",
        subcommands: [
            RunCommand.self, LoginCommand.self, LogoutCommand.self, SyncCommand.self,
            DevicesCommand.self, AccountCommand.self, InstallCommand.self, UninstallCommand.self,
            StatusCommand.self,
        ] + ofDesktop
    )

    #if os(Linux)
        private static let ofDesktop: [any ParsableCommand.Type] = [
            KeyringCommand.self, NotifyCommand.self,
        ]
    #else
        private static let ofDesktop: [any ParsableCommand.Type] = []
    #endif

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error) { _ in help }
        }
    }

    /// The command that explains the subcommand, as a person calls it.
    private static var help: String {
        let command = CommandLine.arguments.dropFirst().first
        return switch command {
        case "login", "logout", "sync", "devices", "account": "memo \(command ?? "") --help"
        case "install", "uninstall", "status": "memo agent \(command ?? "") --help"
        case "run": "memo agent --help"
        default: "memo-agent --help"
        }
    }
}

#if os(Linux)
    struct KeyringCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keyring",
            abstract: "Answer one question of memo about the key in the person's keyring.",
            discussion: "Standard input is a socket of the program that asks.",
            shouldDisplay: false
        )

        func run() throws {
            guard KeyringService.answer(on: 0) else { throw ExitCode(64) }
        }
    }
#endif
