internal import ArgumentParser
internal import Foundation
internal import MemoDelivery
internal import MemoKit

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Deliver what is stored, then end.",
        discussion: """
            One agent runs per data folder; another one only calls it. It ends when nothing is left \
            that will be attempted. What it did is in agent.log in the data folder.
            """
    )

    @Flag(help: "Print how the run ended as JSON.")
    var json = false

    mutating func run() async throws {
        let report = Report(json: json)
        do {
            let agent = Agent(folder: try DataFolder.current())
            // Wherever the sender was, the agent does not keep that folder busy.
            _ = chdir("/")
            let end = try await untilTerminated { () async throws(MemoError) in
                try await agent.run()
            }
            if end == .noAccount {
                throw report.failure(MemoError.noAccount.description, .unavailable)
            }
            report.success(["end": end.rawValue])
        } catch let error as MemoError {
            throw report.failure(error.description, error.exitStatus)
        }
    }
}
