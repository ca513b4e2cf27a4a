import CourierTesting
import Foundation
import MemoCore
import MemoKit
import MemoProcesses
import Outbox
import OutboxCore
import OutboxSQLite
import SQLite
import TemporaryFolders
import Testing
import Waiting

@testable import MemoCourier
@testable import MemoDelivery

@Suite("The agent", .serialized)
struct AgentTests {
    @Test("delivers what is stored, marks it sent, and ends when nothing is left")
    func delivers() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let ids = try (1...5).map { try device.box.send("memo \($0)") }
        #expect(try await device.agent.run() == .idle)
        #expect(Set(server.requests.map(\.id)) == Set(ids.map(\.description)))
        #expect(server.requests.count == 5)
        #expect(try device.box.outboxState().total == 0)
        #expect(try device.box.history().allSatisfy { $0.status == .sent })
    }

    @Test("an agent that neither answers nor ends is named as what is in the way")
    func silent() async throws {
        let device = try Device(signedInAt: "http://127.0.0.1:1")
        let lock = try #require(try FileLock(path: device.folder.agentLock))
        // However long the patience: the lock is held until the agent has ended.
        let agent = Agent(folder: device.folder, patience: .milliseconds(50))
        await #expect(throws: MemoError.agentSilent) { try await agent.run() }
        withExtendedLifetime(lock) {}
        #expect(device.folder.agentFailure == "agent.silent")
        let log = try String(contentsOfFile: device.folder.log, encoding: .utf8)
        #expect(log.contains("error=agent.silent"), "\(log)")
    }

    @Test("does nothing where nobody is signed in")
    func noAccount() async throws {
        let device = try Device(signedInAt: nil)
        try device.box.send("memo")
        #expect(try await device.agent.run() == .noAccount)
        #expect(try device.box.outboxState().queued == 1)
    }

    @Test(
        "ends although an entry cannot be removed, and attempts it once a run",
        .timeLimit(.minutes(60))
    )
    func irremovableEntry() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        // A damaged page does the same: the row is there, and no statement removes it.
        try device.box.outbox.storage.base.write { connection in
            _ = try connection.run(
                """
                CREATE TRIGGER kept BEFORE DELETE ON outbox_operation
                BEGIN SELECT RAISE(IGNORE); END
                """
            )
        }
        #expect(try await device.agent.run() == .idle)
        #expect(server.requests.map(\.id) == [id.description])
        #expect(try device.box.outboxState().total == 1)
    }

    @Test("tries again after a failure, under the same identifier")
    func retries() async throws {
        let server = ScriptedServer(
            .answer { _ in HTTP.problem(500, code: "internal-error", retryable: true) },
            .cutAfterRequest,
            .answer { HTTP.accepted($0.id) }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        #expect(try await device.agent.run() == .idle)
        #expect(server.requests.map(\.id) == [String](repeating: id.description, count: 3))
        #expect(Set(server.requests.map(\.body)).count == 1)
        #expect(try device.box.historyEntry(id)?.status == .sent)
    }

    @Test("parks what the relay refuses for good, says so in the history, and delivers the rest")
    func refused() async throws {
        let server = ScriptedServer(
            .answer { request in
                String(decoding: request.body, as: UTF8.self).contains("poison")
                    ? HTTP.problem(422, code: "idempotency-key-reused", retryable: false)
                    : HTTP.accepted(request.id)
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let poison = try device.box.send("poison")
        let good = try device.box.send("good")
        #expect(try await device.agent.run() == .idle)
        let reason: ReasonCode = "relay.idempotency-key-reused"
        #expect(try device.box.historyEntry(poison)?.status == .refused(reason))
        #expect(try device.box.outboxItem(poison).state == .parked)
        #expect(try device.box.historyEntry(good)?.status == .sent)
        try device.box.retry(poison)
        #expect(try device.box.historyEntry(poison)?.status == .queued)
    }

    @Test("a revoked token parks memos until somebody signs in; they stay queued in the history")
    func revoked() async throws {
        let server = ScriptedServer(
            .answer { request in
                request.head.lowercased().contains("bearer first")
                    ? HTTP.problem(401, code: "token-revoked", retryable: false)
                    : HTTP.accepted(request.id)
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.outboxItem(id).state == .parked)
        #expect(try device.box.historyEntry(id)?.status == .queued)
        try device.box.setAccount(
            Account(relay: server.url, address: "a@b.example", token: "second")
        )
        try device.box.outbox.retryParked(reason: .unauthorized)
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.historyEntry(id)?.status == .sent)
    }

    @Test("a 401 for a token that was replaced meanwhile leads to an attempt with the new token")
    func replacedToken() async throws {
        let device = try Device(signedInAt: nil)
        let server = ScriptedServer(
            .answer { request in
                guard request.head.lowercased().contains("bearer first") else {
                    return HTTP.accepted(request.id)
                }
                device.signIn(at: request.relay, token: "second")
                return HTTP.problem(401, code: "token-revoked", retryable: false)
            }
        )
        defer { server.stop() }
        device.signIn(at: server.url, token: "first")
        let id = try device.box.send("memo")
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.historyEntry(id)?.status == .sent)
        #expect(server.requests.count == 2)
    }

    @Test("an agent that starts with an account tries again the memos that waited for one")
    func startsWithAccount() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        try await device.parkAll()
        #expect(try device.box.outboxItem(id).state == .parked)
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.historyEntry(id)?.status == .sent)
    }

    @Test("an agent that is called after somebody signed in tries parked memos again")
    func signedInWhileLingering() async throws {
        let server = ScriptedServer(
            .answer { request in
                request.head.lowercased().contains("bearer first")
                    ? HTTP.problem(401, code: "token-revoked", retryable: false)
                    : HTTP.accepted(request.id)
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        // The agent lingers until the test ends it.
        let agent = Agent(folder: device.folder, linger: .seconds(3600))
        let run = Task { try await agent.run() }
        try await waitUntil { try device.box.outboxItem(id).state == .parked }
        device.signIn(at: server.url, token: "second")
        #expect(Bell.ring(device.folder.bell))
        try await waitUntil { try device.box.historyEntry(id)?.status == .sent }
        run.cancel()
        _ = try await run.value
    }

    @Test("hears the bell while it lingers, and a ring without an agent is not heard")
    func bell() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        #expect(!Bell.ring(device.folder.bell))
        let first = try device.box.send("before")
        // Longer than any test: the ring comes while the agent lingers, however slow the machine.
        let agent = Agent(folder: device.folder, linger: .seconds(3600))
        let run = Task { try await agent.run() }
        try await waitUntil { try device.box.historyEntry(first)?.status == .sent }
        try await waitUntil { try device.box.outboxState().total == 0 }
        let id = try device.box.send("while lingering")
        #expect(try device.box.summonAgent() == .heard)
        try await waitUntil { try device.box.historyEntry(id)?.status == .sent }
        run.cancel()
        #expect(try await run.value == .stopped)
        #expect(!Bell.ring(device.folder.bell))
    }

    /// A file of the pipe's name keeps the folder from taking a pipe.
    private func withoutPipe(_ device: Device) throws {
        try Data().write(to: URL(fileURLWithPath: device.folder.bell))
    }

    @Test("a folder that takes no pipe has one in the runtime folder, and the agent hears it")
    func runtimePipe() async throws {
        let server = ScriptedServer(.answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        try withoutPipe(device)
        let runtime = try TemporaryFolder()
        let bells = BellPaths(folder: device.folder, runtimeFolder: runtime.path)
        #expect(!bells.ring())
        let first = try device.box.send("first")
        let agent = Agent(
            folder: device.folder,
            linger: .seconds(3600),
            bells: bells,
            look: .seconds(3600)
        )
        let run = Task { try await agent.run() }
        try await waitUntil { try device.box.historyEntry(first)?.status == .sent }
        let second = try device.box.send("second")
        #expect(bells.ring())
        try await waitUntil { try device.box.historyEntry(second)?.status == .sent }
        run.cancel()
        _ = try await run.value
        #expect(!bells.ring())
    }

    @Test(
        "where no folder takes a pipe, the agent looks for memos by itself, and a second one ends"
    )
    func noPipe() async throws {
        let server = ScriptedServer(
            .answer { _ in
                HTTP.problem(
                    503,
                    code: "unavailable",
                    retryable: true,
                    fields: "Retry-After: 3600\r\n"
                )
            },
            .answer { HTTP.accepted($0.id) }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        try withoutPipe(device)
        let agent = Agent(
            folder: device.folder,
            bells: BellPaths(folder: device.folder, runtimeFolder: nil),
            look: .milliseconds(20)
        )
        // It waits with this memo for an hour.
        let waiting = try device.box.send("waiting")
        let run = Task { try await agent.run() }
        try await waitUntil { try device.box.outboxItem(waiting).nextEligibleAt != nil }
        let second = try device.box.send("second")
        try await waitUntil { try device.box.historyEntry(second)?.status == .sent }
        #expect(try await agent.run() == .otherRuns)
        run.cancel()
        #expect(try await run.value == .stopped)
    }

    @Test("of two agents started at once one delivers, each memo once")
    func two() async throws {
        let server = ScriptedServer(
            .answer { request in
                // The agents run beside each other for longer; without this the test holds, too.
                Thread.sleep(forTimeInterval: 0.02)
                return HTTP.accepted(request.id)
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        for number in 0..<20 { try device.box.send("memo \(number)") }
        let agents = try (0..<3).map { _ in try device.startAgentProcess() }
        try await waitUntil { try device.box.outboxState().total == 0 }
        try await waitUntil { agents.allSatisfy { !$0.isRunning } }
        #expect(server.requests.count == 20)
        #expect(Set(server.requests.map(\.id)).count == 20)
        #expect(agents.map(\.terminationStatus) == [0, 0, 0])
    }

    @Test("a killed agent's role and work are taken over")
    func killed() async throws {
        let server = ScriptedServer(.hang, .answer { HTTP.accepted($0.id) })
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        let first = try device.startAgentProcess()
        try await waitUntil { server.requests.count == 1 }
        kill(first.processIdentifier, SIGKILL)
        let second = try device.startAgentProcess()
        try await waitUntil { try device.box.historyEntry(id)?.status == .sent }
        try await waitUntil { !second.isRunning }
    }

    @Test("ends when it is told to, and an attempt that was cut short does not count")
    func terminated() async throws {
        let server = ScriptedServer(.hang)
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        let agent = try device.startAgentProcess()
        try await waitUntil { server.requests.count == 1 }
        kill(agent.processIdentifier, SIGTERM)
        try await waitUntil { !agent.isRunning }
        #expect(agent.terminationReason == .exit && agent.terminationStatus == 0)
        #expect(try device.box.outboxItem(id).attempts == 0)
        #expect(try device.box.outboxItem(id).state == .queued)
    }

    #if os(Linux)
        @Test("needs no more of Foundation than its essentials: the rest is 40 MB of tables")
        func foundation() throws {
            let path = try #require(AgentProgram.besideThisExecutable())
            let program = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
            for library in ["libFoundation.so", "libFoundationInternationalization.so"] {
                #expect(program.range(of: Data(library.utf8)) == nil, "\(library)")
            }
        }
    #endif

    @Test("leaves no memo, address or token readable, in no file and not in its log")
    func canary() async throws {
        let server = ScriptedServer(
            .answer { _ in HTTP.problem(500, code: "internal-error", retryable: true) },
            .cutAfterRequest,
            .answer { HTTP.accepted($0.id) }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: nil)
        let canary = "canary-77aa"
        try device.box.setAccount(
            Account(relay: server.url, address: "\(canary)@b.example", token: "t-\(canary)")
        )
        try device.box.send("\(canary) memo")
        try device.box.send("\(canary) another")
        let agent = try device.startAgentProcess()
        try await waitUntil { !agent.isRunning }
        #expect(try device.box.outboxState().total == 0)
        let log = try String(contentsOfFile: device.folder.log, encoding: .utf8)
        #expect(log.contains("state=delivered"), "\(log)")
        #expect(log.contains("error=relay.http.500"), "\(log)")
        #expect(try device.everything().range(of: Data(canary.utf8)) == nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: device.folder.log)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}
