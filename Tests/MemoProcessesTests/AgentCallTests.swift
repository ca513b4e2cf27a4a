import Foundation
import MemoKit
import MemoProcesses
import Outbox
import TemporaryFolders
import Testing
import Waiting

@Suite("Calling the agent")
struct AgentCallTests {
    private let temporary = try! TemporaryFolder()
    private var folder: DataFolder { DataFolder(path: temporary.file("data")) }

    @Test("without an account no agent is started")
    func noAccount() throws {
        let box = try MemoBox(folder: folder, keys: .file)
        try box.send("text")
        #expect(try box.summonAgent(from: "/nonexistent") == .noAccount)
        try box.setAccount(Account(relay: "https://r.example", address: "a@b.example", token: "t"))
        #expect(throws: MemoError.agentNotStarted(code: ENOENT)) {
            try box.summonAgent(from: "/nonexistent")
        }
        #expect(try box.outboxState().queued == 1)
    }

    @Test(
        "an agent that has ended leaves nothing in the system's table, though this process goes on",
        .enabled(
            if: FileManager.default.fileExists(atPath: "/proc/self/stat"),
            "needs the table of processes in /proc"
        )
    )
    func endedAgent() async throws {
        // The table has 15 letters of a name.
        let name = "agent-\(String(UInt32.random(in: 0...(.max)), radix: 36))"
        let agent = temporary.file(name)
        try Data("#!/bin/sh\n: > \"$MEMO_HOME/ended\"\n".utf8)
            .write(to: URL(fileURLWithPath: agent))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: agent)
        let box = try MemoBox(folder: folder, keys: .file)
        try box.setAccount(Account(relay: "https://r.example", address: "a@b.example", token: "t"))
        #expect(try box.summonAgent(from: agent) == .started)
        try await waitUntil {
            FileManager.default.fileExists(atPath: folder.path + "/ended")
        }
        try await waitUntil { try !isInTable(name) }
    }

    private func isInTable(_ name: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").contains { process in
            let path = "/proc/\(process)/comm"
            return (try? String(contentsOfFile: path, encoding: .utf8)) == name + "\n"
        }
    }
}
