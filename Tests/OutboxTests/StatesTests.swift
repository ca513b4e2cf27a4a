import Outbox
import OutboxCore
import OutboxTesting
import Testing
import Waiting

/// What ``Outbox/states(patience:recheck:)`` says, and when. A test waits for a state that must
/// come, and lets time pass only while the sequence sleeps.
@Suite(.timeLimit(.minutes(60))) struct StatesTests {
    private let fixture = OutboxFixture()

    private func enqueue(_ count: Int = 1) throws {
        for number in 0..<count {
            try fixture.outbox.enqueue(kind: "note", payload: [UInt8(number)])
        }
    }

    @Test("the current state comes first, without a change")
    func first() async throws {
        try enqueue(2)
        var states = fixture.outbox.states().makeAsyncIterator()
        let state = try #require(await states.next())
        #expect(state.queued == 2)
        #expect(state.total == 2)
        #expect(state.oldestAge == Milliseconds(0))
        #expect(state.isOnline == nil)
        #expect(!state.needsAttention)
    }

    @Test("an enqueue, an attempt, a refusal and a deletion each are a state of their own")
    func transitions() async throws {
        var states = fixture.outbox.states().makeAsyncIterator()
        #expect(await states.next() == OutboxState())

        try enqueue()
        #expect(await states.next()?.queued == 1)

        let (reached, arrive) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let handler = fixture.handler([.park("refused")])
        let outbox = fixture.outbox
        let drain = Task {
            try await outbox.drain(
                [
                    "note": { operation in
                        arrive.yield()
                        for await _ in released { break }
                        return await handler(operation)
                    }
                ],
                until: .idle
            )
        }
        for await _ in reached { break }
        let attempting = await states.next()
        #expect(attempting?.inFlight == 1)
        #expect(attempting?.queued == 1)

        release.yield()
        try await drain.value
        let parked = await states.next()
        #expect(parked?.parked == 1)
        #expect(parked?.inFlight == 0)
        #expect(parked?.needsAttention == true)

        let entry = try #require(try outbox.entries(in: .parked).first)
        try outbox.delete(entry.entryID)
        #expect(await states.next() == OutboxState())
        #expect(fixture.events.contains { $0.change == .deleted && $0.id == entry.id })
    }

    @Test("what waits for an hour needs attention, once the hour is over and not before")
    func late() async throws {
        try enqueue()
        // No recheck within the test: only the end of the hour gives the state.
        let states = fixture.outbox.states(recheck: .seconds(100_000))
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next()?.needsAttention == false)
        let clock = fixture.clock
        let passing = Task {
            var passed = Milliseconds(0)
            while !Task.isCancelled {
                if clock.sleeperCount > 0 {
                    clock.advance(by: .seconds(60))
                    passed.count += 60_000
                }
                await Task.yield()
            }
            return passed
        }
        let late = try #require(await iterator.next())
        passing.cancel()
        #expect(late.needsAttention)
        #expect(late.oldestAge.map { $0 >= .seconds(3600) } == true)
        #expect(await passing.value >= .seconds(3600))
    }

    @Test("what another object enqueues in the same storage is noticed after the recheck")
    func otherProcess() async throws {
        var states = fixture.outbox.states(recheck: .seconds(5)).makeAsyncIterator()
        #expect(await states.next()?.total == 0)
        let other = Outbox(storage: fixture.storage, keys: fixture.keys, clock: fixture.clock.clock)
        try await other.enqueue(kind: "note", payload: [1])
        let clock = fixture.clock
        let passing = Task {
            while !Task.isCancelled {
                if clock.sleeperCount > 0 { clock.advance(by: .seconds(1)) }
                await Task.yield()
            }
        }
        #expect(await states.next()?.queued == 1)
        passing.cancel()
    }

    @Test("the network's coming and going is part of the state, and stops no attempt")
    func network() async throws {
        var states = fixture.outbox.states().makeAsyncIterator()
        _ = await states.next()
        fixture.outbox.networkLost()
        #expect(await states.next()?.isOnline == false)
        try enqueue()
        try await fixture.outbox.drain(["note": fixture.handler()], until: .idle)
        #expect(fixture.attempts.count == 1)
        fixture.outbox.networkReturned()
        var last = await states.next()
        while let state = last, state.isOnline == false { last = await states.next() }
        #expect(last?.isOnline == true)
        #expect(last?.total == 0)
    }

    @Test("a drain that is stopped leaves nothing in flight")
    func stopped() async throws {
        try enqueue()
        let (reached, arrive) = AsyncStream<Void>.makeStream()
        let outbox = fixture.outbox
        let drain = Task {
            try await outbox.drain([
                "note": { _ in
                    arrive.yield()
                    while !Task.isCancelled { await Task.yield() }
                    return .retry("stopped")
                }
            ])
        }
        for await _ in reached { break }
        #expect(try outbox.state().inFlight == 1)
        drain.cancel()
        try await drain.value
        #expect(try outbox.state() == fixture.outbox.state())
        #expect(try outbox.state().inFlight == 0)
        #expect(try outbox.state().queued == 1)
    }

    @Test("cancelling the task ends the sequence")
    func cancellation() async {
        let outbox = fixture.outbox
        let watching = Task {
            var count = 0
            for await _ in outbox.states() { count += 1 }
            return count
        }
        watching.cancel()
        #expect(await watching.value <= 1)
    }

    @Test("while the storage cannot be read there is no state, and afterwards there is")
    func unreadable() async throws {
        fixture.storage.failNext(.max, .reading, with: .busy)
        let clock = fixture.clock
        let outbox = fixture.outbox
        let watching = Task { () -> OutboxState? in
            for await state in outbox.states(recheck: .seconds(1)) { return state }
            return nil
        }
        try await waitUntil { clock.sleeperCount != 0 }
        fixture.storage.recover()
        try enqueue()
        clock.advance(by: .seconds(10))
        #expect(await watching.value?.queued == 1)
    }

    @Test("an entry that cannot be read can be taken out, byte for byte, and deleted")
    func export() async throws {
        let sealed = try fixture.outbox.seal(kind: "note", payload: [1, 2, 3])
        var record = sealed.record
        record[record.count - 1] ^= 1
        try fixture.storage.insert([SealedOperation(envelope: sealed.envelope, record: record)])
        try await fixture.drainUntilIdle(fixture.handler())
        let entry = try #require(try fixture.outbox.entries(in: .quarantined).first)
        let exported = try #require(try fixture.outbox.export(entry.entryID))
        #expect(exported.record == record)
        #expect(exported.envelope == sealed.envelope.encoded())
        #expect(exported.quarantineReason == .notAuthentic)
        try fixture.outbox.delete(entry.entryID)
        #expect(try fixture.outbox.export(entry.entryID) == nil)
        #expect(try fixture.outbox.state() == OutboxState())
    }
}
