import ArgumentParser
import MemoKit
import MemoProcesses

struct LoginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Verify your address, so that memos can leave: memo login ADDRESS."
    )

    @Argument(parsing: .captureForPassthrough, help: "The address, and --relay URL.")
    var arguments: [String] = []

    func run() { AgentProgram.become(["login"] + arguments) }
}

struct LogoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Revoke this device's token. History, draft and outbox stay."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() { AgentProgram.become(["logout"] + arguments) }
}

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Bring settings, statuses and devices up to date with your other devices."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() { AgentProgram.become(["sync"] + arguments) }
}

struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List your devices, or sign one out: memo devices revoke ID."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() { AgentProgram.become(["devices"] + arguments) }
}

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Erase your account at the server: memo account delete."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() { AgentProgram.become(["account"] + arguments) }
}

struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Deliver what is queued, in the foreground or as a service.",
        subcommands: [Run.self, Install.self, Uninstall.self, Status.self],
        defaultSubcommand: Run.self
    )

    struct Run: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Deliver what is stored, then end."
        )

        @Argument(parsing: .captureForPassthrough, help: .hidden)
        var arguments: [String] = []

        func run() { AgentProgram.become(["run"] + arguments) }
    }

    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install",
            abstract:
                "Have the agent deliver without a call of memo: as a service of systemd or launchd."
        )

        @Argument(parsing: .captureForPassthrough, help: .hidden)
        var arguments: [String] = []

        func run() { AgentProgram.become(["install"] + arguments) }
    }

    struct Uninstall: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "uninstall",
            abstract: "Remove the service; memos stay stored."
        )

        @Argument(parsing: .captureForPassthrough, help: .hidden)
        var arguments: [String] = []

        func run() { AgentProgram.become(["uninstall"] + arguments) }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show whether the service is installed and runs, and what to do."
        )

        @Argument(parsing: .captureForPassthrough, help: .hidden)
        var arguments: [String] = []

        func run() { AgentProgram.become(["status"] + arguments) }
    }
}
