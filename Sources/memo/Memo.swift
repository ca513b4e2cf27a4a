import ArgumentParser
import MemoCommandLine
import MemoCore
import MemoKit
import MemoProcesses
import MemoTerminal
import MemoTexts

/// The command `memo`, which parses arguments and does nothing else.
@main
struct Memo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memo",
        abstract: "Write a memo, send it, and find it in your own inbox.",
        usage: """
            memo                    compose in the terminal (Ctrl-D sends, Ctrl-C leaves)
            memo TEXT ...           send the words, joined by spaces
            memo -- TEXT ...        send the words, whatever they look like
            … | memo                send standard input, also: memo -
            memo --json …           print the memo's identifier as JSON
            memo --discard-draft    throw away the draft that the next memo would open
            memo <subcommand>
            """,
        discussion: """
            Sending returns when the memo is stored durably on this device; memo-agent delivers it \
            in the background. A text from standard input loses one newline at its end.

            Exit codes: 0 done (the memo is stored), 64 the command line was not understood, \
            65 the memo or identifier is not acceptable (empty, not UTF-8, over 1 MiB, unknown), \
            69 nobody is signed in or the agent cannot be started, 70 internal error, \
            73 the data folder cannot be made or written, 74 the disk is full, or the database or \
            an entry of it is damaged or failed, 75 busy, try again, 77 the key does not let us.

            Environment: MEMO_HOME is the data folder, else $XDG_DATA_HOME/simple-memo, else \
            ~/.local/share/simple-memo. LC_ALL, LC_MESSAGES and LANG choose the language, unless \
            memo settings has: ja, en, es, fr, de, it, pt, ko, zh-Hans, ar. MEMO_KEY_STORE, file or \
            secret-service, is where the key of a new data folder is kept. SSL_CERT_FILE is the \
            absolute path of a file of certificates in PEM by which a relay is trusted besides those \
            of the system: those of a company's own authority, for example.
            """,
        version: "\(ProgramVersion.text)",
        subcommands: [
            SendCommand.self, HistoryCommand.self, OutboxCommand.self, SettingsCommand.self,
            DoctorCommand.self, LoginCommand.self, LogoutCommand.self, SyncCommand.self,
            DevicesCommand.self, AccountCommand.self, AgentCommand.self,
        ],
        defaultSubcommand: SendCommand.self
    )

    static func main() {
        let clock = TerminalClock()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            switch PlainCommandLine(arguments, isCommand: isCommand) {
            case .version: StandardOutput.write("\(ProgramVersion.text)\n")
            case .words(let words, let isJSON):
                try SendCommand.run(words, isJSON: isJSON, clock: clock)
            case .text(let words): try SendCommand.send(words: words, isJSON: false)
            case nil:
                var command = try parseAsRoot(arguments)
                try command.run()
            }
        } catch {
            end(with: error) { Self.advice(in: $0, about: arguments) }
        }
    }

    /// Whether the parser takes an argument for the name of a command.
    static func isCommand(_ argument: String) -> Bool {
        argument == "help" || configuration.subcommands.contains { $0._commandName == argument }
    }

    /// The commands that a person may name, each with its own.
    static var commands: [(name: String, subcommands: [String])] {
        var commands: [(name: String, subcommands: [String])] = []
        for command in configuration.subcommands where command.configuration.shouldDisplay {
            var names: [String] = []
            for subcommand in command.configuration.subcommands {
                names.append(subcommand._commandName)
            }
            commands.append((command._commandName, names))
        }
        return commands
    }

    /// The lines behind the complaint about a command line: the command that explains it, and the way
    /// to send its words, where the words may be a memo.
    private static func advice(in language: Language, about arguments: [String]) -> String {
        guard let command = commands.first(where: { $0.name == arguments.first }) else {
            return language.string(.usageHint) + "\nmemo --help"
        }
        guard let second = arguments.dropFirst().first else { return "memo \(command.name) --help" }
        if command.subcommands.contains(second) { return "memo \(command.name) \(second) --help" }
        let help = "memo \(command.name) --help"
        return second.hasPrefix("-") ? help : language.string(.usageHint) + "\n" + help
    }
}
