import ArgumentParser
import MemoKit

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

struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Deliver what is queued, in the foreground."
    )

    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() { AgentProgram.become(["run"] + arguments) }
}
