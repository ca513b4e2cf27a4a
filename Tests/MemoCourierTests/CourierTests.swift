import CourierTesting
import Foundation
import MemoCore
import MemoCourier
import MemoKit
import Outbox
import OutboxCore
import TemporaryFolders
import Testing

@Suite("A courier in a process of its own box")
struct CourierTests {
    private let temporary = try! TemporaryFolder()

    private func box(signedInAt server: ScriptedServer) throws -> MemoBox {
        let box = try MemoBox(folder: DataFolder(path: temporary.file("data")), keys: .file)
        try box.setAccount(Account(relay: server.url, address: "a@b.example", token: "token"))
        return box
    }

    @Test("delivers what is queued, and ends; no agent, no pipe and no lock of an agent is there")
    func delivers() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let box = try box(signedInAt: server)
        let ids = [try box.send("first"), try box.send("second")]
        try await Courier(box: box).deliver()
        #expect(Set(server.requests.map(\.id)) == Set(ids.map(\.description)))
        #expect(try ids.allSatisfy { try box.historyEntry($0)?.status == .sent })
        #expect(try box.outboxState().total == 0)
        for path in [box.folder.bell, box.folder.agentLock] {
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("queues parked memos again once for an account, and again for the next one")
    func resumes() async throws {
        let server = ScriptedServer(
            .answer { request in
                request.head.lowercased().contains("bearer second")
                    ? HTTP.accepted(request.id)
                    : HTTP.problem(401, code: "token-revoked", retryable: false)
            }
        )
        defer { server.stop() }
        let box = try box(signedInAt: server)
        let id = try box.send("memo")
        let courier = Courier(box: box)
        try await courier.deliver()
        #expect(try box.outboxItem(id).state == .parked)
        try await courier.deliver()
        #expect(server.requests.count == 1)
        try box.setAccount(Account(relay: server.url, address: "a@b.example", token: "second"))
        try await courier.deliver()
        #expect(try box.historyEntry(id)?.status == .sent)
    }
}
