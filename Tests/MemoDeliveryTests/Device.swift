import Foundation
import Logging
import MemoCore
import MemoKit
import MemoProcesses
import Outbox
import OutboxCore
import TemporaryFolders
import Testing

@testable import MemoCourier
@testable import MemoDelivery

/// A device of a test's own: a data folder, signed in at a server. Removed with this object.
final class Device: Sendable {
    private let place: TemporaryFolder
    let folder: DataFolder
    let box: MemoBox

    /// - Parameter url: `nil` for a device where nobody is signed in.
    init(signedInAt url: String?) throws {
        place = try TemporaryFolder()
        folder = DataFolder(path: place.file("data"))
        box = try MemoBox(folder: folder)
        if let url {
            try box.setAccount(Account(relay: url, address: "a@b.example", token: "first"))
        }
    }

    /// Stores an account in place of the former one, and does nothing else that signing in does.
    func signIn(at url: String, token: String) {
        do {
            try box.setAccount(Account(relay: url, address: "a@b.example", token: token))
        } catch {
            Issue.record(error)
        }
    }

    /// Parks what is queued, as a refused token does.
    func parkAll() async throws {
        try await box.outbox.drain([.memo: { _ in .park(.unauthorized) }], until: .idle)
    }

    /// An agent within this process. It lingers briefly, so that a test does not wait for its end.
    var agent: Agent { Agent(folder: folder, linger: .milliseconds(100)) }

    /// The agent's log.
    var logger: Logger { Logger(label: "outbox") { AgentLog(label: $0, path: folder.log) } }

    /// The part of an agent that asks for news.
    var reader: StatusReader { StatusReader(box: box, client: RelayClient(), logger: logger) }

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

    /// All files of the folder, in one.
    func everything() throws -> Data {
        var everything = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name != "bell" {
            everything += try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
        }
        return everything
    }
}
