import CourierTesting
import Foundation
import Logging
import MemoKit
import MemoProcesses

@testable import MemoCourier
@testable import MemoDelivery

extension Device {
    /// An agent within this process. It lingers briefly, so that a test does not wait for its end.
    var agent: Agent { Agent(folder: folder, linger: .milliseconds(100)) }

    /// The part of an agent that asks for news.
    var reader: StatusReader {
        let logger = Logger(label: "outbox") { AgentLog(label: $0, path: folder.log) }
        return StatusReader(box: box, client: RelayClient(), logger: logger)
    }

    /// The real agent, as a process of its own.
    func startAgentProcess() throws -> Process {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: AgentProgram.besideThisExecutable() ?? ""
        )
        process.arguments = ["run"]
        process.environment = ["MEMO_HOME": folder.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
