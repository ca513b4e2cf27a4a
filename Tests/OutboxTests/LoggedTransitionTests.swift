import Outbox
import OutboxCore
import OutboxTesting
import Testing
import Waiting

@Suite("The log of transitions", .timeLimit(.minutes(60)))
struct LoggedTransitionTests {
    private let fixture = OutboxFixture()

    /// The events of one state, as a log has them.
    private func logged(_ state: String) -> [[String: String]] {
        fixture.events.map { event in
            Dictionary(event.fields.map { ($0.name, $0.value) }) { first, _ in first }
        }.filter { $0["state"] == state }
    }

    /// Stores an operation that waits for `cause` for `wait`.
    private func wait(for cause: WaitCause, _ wait: Milliseconds) throws -> OperationID {
        let id = try fixture.outbox.enqueue(kind: "note", payload: [1])
        var envelope = try #require(try fixture.outbox.entry(for: id)?.envelope)
        envelope.waitCause = cause
        envelope.nextEligibleAt = fixture.clock.now.advanced(by: wait)
        try fixture.storage.settle(.reschedule(envelope), for: id)
        return id
    }

    @Test("a quarantine names the operation, its kind and the type of damage")
    func quarantine() async throws {
        let sealed = try fixture.outbox.seal(kind: "note", payload: [1])
        let short = Array(sealed.record.dropLast())
        let damaged = SealedOperation(envelope: sealed.envelope, record: short)
        try fixture.storage.insert([damaged])
        try await fixture.drainUntilIdle(fixture.handler())
        let id = "\(sealed.envelope.id)"
        let line = try #require(logged("quarantined").first)
        #expect(line["id"] == id)
        #expect(line["kind"] == "note")
        #expect(line["error"]?.hasPrefix("quarantine.") == true)
    }

    @Test("the network's return names each operation whose wait it ends, and no other one")
    func network() async throws {
        let waiting = try wait(for: .network, .seconds(60))
        _ = try wait(for: .server, .seconds(60))
        let drain = Task { [fixture] in
            try await fixture.outbox.drain(["note": fixture.handler()])
        }
        try await waitUntil { fixture.clock.sleeperCount != 0 }
        fixture.outbox.networkReturned()
        try await waitUntil { try fixture.outbox.entry(for: waiting) == nil }
        drain.cancel()
        try await drain.value
        #expect(logged("wait-ended").map { $0["id"] } == ["\(waiting)"])
        #expect(logged("wait-ended").first?["for"] == "network")
        #expect(logged("wait-ended").first?["kind"] == "note")
    }

    @Test("a person's retry of everything names the waits that it ends, at most 100 for each cause")
    func retryAll() throws {
        let first = try wait(for: .backoff, .seconds(60))
        try fixture.outbox.retryAll()
        #expect(logged("wait-ended").map { $0["id"] } == ["\(first)"])
        for _ in 0..<110 { _ = try wait(for: .server, .seconds(60)) }
        try fixture.outbox.retryAll()
        let ended = logged("wait-ended").filter { $0["for"] == "server" }
        #expect(ended.count == 101)
        #expect(ended.filter { $0["id"] == nil }.count == 1)
    }

    @Test("a wait that is cut, as after the clock was set back, is named with its new length")
    func cut() async throws {
        let id = try wait(for: .backoff, .seconds(86_400 * 365))
        try await fixture.drainUntilIdle(fixture.handler())
        let line = try #require(logged("wait-cut").first)
        #expect(line["id"] == "\(id)")
        #expect(line["kind"] == "note")
        #expect(line["for"] == "backoff")
        let milliseconds = try #require(line["milliseconds"].flatMap { Int64($0) })
        #expect(milliseconds > 0 && milliseconds <= 780_000)
    }

    @Test("the fields of a line are in the order of their names, and each stands once")
    func order() async throws {
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        try await fixture.drainUntilIdle(fixture.handler([.retry("failed"), .park("refused")]))
        let states = ["queued", "attempting", "waiting", "attempting", "parked"]
        #expect(fixture.events.compactMap { $0.fields.last?.value } == states)
        for event in fixture.events {
            let names = event.fields.map(\.name)
            #expect(names == Array(Set(names)).sorted())
        }
    }
}
