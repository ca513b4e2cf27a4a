import CourierTesting
import Foundation
import MemoCore
import MemoKit
import MemoProcesses
import Outbox
import OutboxCore
import Synchronization
import Testing
import Waiting

@testable import MemoCourier
@testable import MemoDelivery

@Suite("News of sent memos", .serialized)
struct StatusTests {
    /// A device whose one memo the relay holds.
    private func device(_ server: ScriptedServer) throws -> (Device, OperationID) {
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        let item = try device.box.outboxItem(id)
        try device.box.record(.accepted, of: id)
        try device.box.outbox.delete(EntryID(rawValue: item.number))
        return (device, id)
    }

    @Test(
        "what the relay says became of a memo is in the history, with its reason",
        arguments: [
            ("bounced", "smtp.550", HistoryStatus.bounced("smtp.550")),
            ("expired", "smtp.450", .expired("smtp.450")),
            ("delivered", nil, .delivered), ("archived", nil, .unknown(Array("archived".utf8))),
        ] as [(String, String?, HistoryStatus)]
    )
    func told(name: String, reason: String?, status: HistoryStatus) async throws {
        let accepted = Mutex<String?>(nil)
        let server = ScriptedServer(
            .answer { request in
                accepted.withLock { $0 = request.id }
                return HTTP.accepted(request.id)
            },
            changes: { _ in
                let id = accepted.withLock { $0 } ?? ""
                return HTTP.changes([(id, name, reason)], cursor: "c1")
            }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        let id = try device.box.send("memo")
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.historyEntry(id)?.status == status)
    }

    @Test("nothing is asked where no sent memo waits for news")
    func nothingToLearn() async throws {
        let server = ScriptedServer(
            .answer { _ in HTTP.problem(422, code: "idempotency-key-reused", retryable: false) }
        )
        defer { server.stop() }
        let device = try Device(signedInAt: server.url)
        #expect(try await device.agent.run() == .idle)
        try device.box.send("refused")
        #expect(try await device.agent.run() == .idle)
        #expect(server.questions.isEmpty)
        #expect(try !device.box.awaitsNews())
    }

    @Test("a memo that was delivered and then bounces is bounced in the history, by the next run")
    func bouncedLater() async throws {
        let told = Mutex("delivered")
        let sent = Mutex("")
        let server = ScriptedServer(
            .cutBefore,
            changes: { _ in
                let (id, status) = (sent.withLock { $0 }, told.withLock { $0 })
                return HTTP.changes([(id, status, nil)], cursor: status)
            }
        )
        defer { server.stop() }
        let (device, id) = try device(server)
        sent.withLock { $0 = id.description }
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.historyEntry(id)?.status == .delivered)
        told.withLock { $0 = "bounced" }
        let before = server.questions.count
        #expect(try await device.agent.run() == .idle)
        #expect(server.questions.count == before + 1)
        #expect(try device.box.historyEntry(id)?.status == .bounced(ReasonCode(utf8: [])))
        #expect(try !device.box.awaitsNews())
    }

    @Test("an agent that stays asks about delivered memos after a call, and else hardly ever")
    func calledForNews() async throws {
        let server = ScriptedServer(.cutBefore, changes: { _ in HTTP.changes([], cursor: "c1") })
        defer { server.stop() }
        let (device, id) = try device(server)
        let delivered = MemoChange(id: id, status: .delivered)
        #expect(try device.box.store([delivered], cursor: "c1", after: nil))
        let reader = device.reader
        let following = Task { await reader.follow(from: Milliseconds(1)) }
        for count in 0..<2 {
            // Six readings would be due.
            try await Task.sleep(for: .milliseconds(100))
            #expect(server.questions.count == count)
            if count == 0 { reader.calls.raise() }
            try await waitUntil { server.questions.count == 1 }
        }
        following.cancel()
        await following.value
    }

    @Test("a sent memo is asked about for thirty days, a delivered one for fourteen after sending")
    func open() async throws {
        let told = Mutex("accepted")
        let sent = Mutex("")
        let server = ScriptedServer(
            .cutBefore,
            changes: { _ in
                let (id, status) = (sent.withLock { $0 }, told.withLock { $0 })
                return HTTP.changes([(id, status, nil)], cursor: status)
            }
        )
        defer { server.stop() }
        let (device, id) = try device(server)
        sent.withLock { $0 = id.description }
        #expect(try await device.agent.run() == .idle)
        #expect(try device.box.awaitsNews())
        let later = OutboxClock.system.wallTime().advanced(by: .seconds(31 * 86_400))
        #expect(try !device.box.awaitsNews(now: later))
        told.withLock { $0 = "delivered" }
        #expect(try await device.agent.run() == .idle)
        #expect(try !device.box.awaitsNews(of: [.sent]))
        func isAsked(afterDays days: Int64) throws -> Bool {
            let now = OutboxClock.system.wallTime().advanced(by: .seconds(days * 86_400))
            return try device.box.awaitsNews(now: now)
        }
        #expect(try isAsked(afterDays: 13))
        #expect(try !isAsked(afterDays: 15))
    }

    @Test("the pages are followed by the cursor, which the next run goes on from")
    func pages() async throws {
        let server = ScriptedServer(
            .cutBefore,
            changes: { request in
                let target = String(request.head.split(separator: " ")[1])
                switch target.split(separator: "=").last {
                case "c1": return HTTP.changes([], cursor: "c2", more: true)
                case "c2", "c3": return HTTP.changes([], cursor: "c3")
                default: return HTTP.changes([], cursor: "c1", more: true)
                }
            }
        )
        defer { server.stop() }
        let (device, _) = try device(server)
        await device.reader.read()
        let path = "/v1/memos/changes"
        #expect(server.questions == [path, path + "?after=c1", path + "?after=c2"])
        await device.reader.read()
        #expect(server.questions.last == path + "?after=c3")
        #expect(server.questions.count == 4)
    }

    @Test("a relay without end is asked for 64 pages at a time")
    func bounded() async throws {
        let page = Mutex(0)
        let server = ScriptedServer(
            .cutBefore,
            changes: { _ in
                let number = page.withLock { page in
                    page += 1
                    return page
                }
                return HTTP.changes([], cursor: "c\(number)", more: true)
            }
        )
        defer { server.stop() }
        let (device, _) = try device(server)
        await device.reader.read()
        #expect(server.questions.count == 64)
        #expect(try device.box.changesCursor() == "c64")
    }

    @Test(
        "a cursor that the relay does not accept, or that fits into no URL, is forgotten",
        arguments: ["old", "with space", String(repeating: "x", count: 600)]
    )
    func badCursor(cursor: String) async throws {
        let sent = Mutex("")
        let server = ScriptedServer(
            .cutBefore,
            changes: { request in
                guard !request.head.contains("after=") else {
                    return HTTP.problem(400, code: "malformed-body", retryable: false)
                }
                return HTTP.changes([(sent.withLock { $0 }, "delivered", nil)], cursor: "c1")
            }
        )
        defer { server.stop() }
        let (device, id) = try device(server)
        sent.withLock { $0 = id.description }
        #expect(try device.box.store([], cursor: cursor, after: nil))
        await device.reader.read()
        #expect(try device.box.historyEntry(id)?.status == .delivered)
        #expect(try device.box.changesCursor() == "c1")
    }

    @Test(
        "an answer that is not the relay's changes nothing, and costs no delivery",
        arguments: [
            HTTP.response("200 OK", type: "text/html", body: "<html>log in</html>"),
            HTTP.response("200 OK", body: "{}"), HTTP.changes([], cursor: "a b"),
            HTTP.problem(401, code: "token-revoked", retryable: false), "",
        ]
    )
    func foreign(answer: String) async throws {
        let server = ScriptedServer(
            .answer { HTTP.accepted($0.id) },
            changes: { _ in answer }
        )
        defer { server.stop() }
        let (device, id) = try device(server)
        let new = try device.box.send("another")
        #expect(try await device.agent.run() == .idle)
        #expect(!server.questions.isEmpty)
        #expect(try device.box.historyEntry(id)?.status == .sent)
        #expect(try device.box.historyEntry(new)?.status == .sent)
        #expect(try device.box.changesCursor() == nil)
    }

    @Test("a question that is never answered holds no delivery back", .timeLimit(.minutes(60)))
    func silent() async throws {
        let release = DispatchSemaphore(value: 0)
        let server = ScriptedServer(
            .answer { HTTP.accepted($0.id) },
            changes: { _ in
                release.wait()
                return ""
            }
        )
        defer { server.stop() }
        let (device, _) = try device(server)
        let agent = Agent(folder: device.folder, linger: .milliseconds(10))
        let run = Task { try await agent.run() }
        try await waitUntil { !server.questions.isEmpty }
        // The agent now waits for an answer; a sender's call comes first.
        let new = try device.box.send("meanwhile")
        #expect(try device.box.summonAgent() == .heard)
        try await waitUntil { try device.box.historyEntry(new)?.status == .sent }
        run.cancel()
        for _ in 0..<8 { release.signal() }
        #expect(try await run.value == .stopped)
    }

    @Test("news come also while an agent does not end, as when senders call all the time")
    func followed() async throws {
        let sent = Mutex("")
        let server = ScriptedServer(
            .cutBefore,
            changes: { request in
                let isFirst = !request.head.contains("after=")
                let status = isFirst ? "accepted" : "delivered"
                return HTTP.changes([(sent.withLock { $0 }, status, nil)], cursor: status)
            }
        )
        defer { server.stop() }
        let (device, id) = try device(server)
        sent.withLock { $0 = id.description }
        let reader = device.reader
        let following = Task { await reader.follow(from: Milliseconds(1)) }
        try await waitUntil { try device.box.historyEntry(id)?.status == .delivered }
        following.cancel()
        await following.value
    }

    @Test("statuses and cursor are stored together, and only behind the cursor that was asked with")
    func together() throws {
        let device = try Device(signedInAt: nil)
        let id = try device.box.send("memo")
        try device.box.record(.accepted, of: id)
        let box = device.box
        let bounced = MemoChange(id: id, status: .bounced("smtp.550"))
        #expect(try box.store([bounced], cursor: "c1", after: nil))
        #expect(try box.historyEntry(id)?.status == .bounced("smtp.550"))
        // An answer to an earlier question.
        let earlier = MemoChange(id: id, status: .delivered)
        #expect(try !box.store([earlier], cursor: "c0", after: nil))
        #expect(try box.historyEntry(id)?.status == .bounced("smtp.550"))
        #expect(try box.changesCursor() == "c1")
    }

    @Test("a change of a memo that another device sent is passed over")
    func foreignMemo() throws {
        let device = try Device(signedInAt: nil)
        let foreign = MemoChange(id: .random(at: .distantPast), status: .delivered)
        #expect(try device.box.store([foreign], cursor: "c1", after: nil))
        #expect(try device.box.history().isEmpty)
        #expect(try device.box.changesCursor() == "c1")
    }
}

@Suite("The wait for a ring")
struct RingFlagTests {
    @Test("ends with the work, also with work that ends at once")
    func ends() async {
        let flag = RingFlag()
        for _ in 0..<1000 { #expect(await !flag.wait {}) }
    }

    @Test("a ring ends the wait and the work, and an earlier ring counts once")
    func rings() async {
        let flag = RingFlag()
        flag.raise()
        #expect(await flag.wait { try? await Task.sleep(for: .seconds(3600)) })
        #expect(await !flag.wait {})
    }

    @Test("a ring that comes during the wait ends it")
    func ringsMeanwhile() async {
        let flag = RingFlag()
        for _ in 0..<100 {
            let isEnded = await flag.wait {
                // Most of the waits have begun by then.
                await Task.yield()
                flag.raise()
                // Cancelled by the ring.
                try? await Task.sleep(for: .seconds(20))
            }
            #expect(isEnded)
            if !isEnded { break }
        }
    }
}
