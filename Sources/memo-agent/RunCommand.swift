import ArgumentParser
import LibC
import MemoDelivery
import MemoKit
import MemoProcesses
import MemoTexts

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
            let agent = Agent(
                folder: try DataFolder.current(),
                notifier: Agent.notifierOfEnvironment
            )
            // The agent does not keep the sender's working folder busy.
            _ = chdir("/")
            let end = try await untilTerminated { () async throws(MemoError) in
                try await agent.run()
            }
            let words: CommandText
            switch end {
            case .idle: words = .agentIdle
            case .stopped: words = .agentStopped
            case .otherRuns: words = .agentRunsElsewhere
            case .noAccount: throw report.failure(MemoError.noAccount)
            }
            report.success(["end": end.rawValue]) { $0.string(words) }
        } catch let error as any EndingError {
            throw report.failure(error)
        }
    }
}
