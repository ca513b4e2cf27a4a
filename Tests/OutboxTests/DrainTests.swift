import Dispatch
import Outbox
import OutboxCore
import OutboxTesting
import Synchronization
import Testing
import Waiting

@Suite(.timeLimit(.minutes(60))) struct DrainTests {
    @Test("every operation is handled once, whatever wakes the drain meanwhile")
    func once() async throws {
        let fixture = OutboxFixture()
        let ids = try (0..<50).map {
            try fixture.outbox.enqueue(kind: "note", payload: [UInt8($0)])
        }
        let handler = fixture.handler()
        try await fixture.drainUntilIdle { operation in
            fixture.outbox.wake()
            fixture.outbox.networkReturned()
            await Task.yield()
            return await handler(operation)
        }
        #expect(fixture.attempts.map(\.id).sorted() == ids.sorted())
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("no more than three handlers run at once")
    func concurrency() async throws {
        let fixture = OutboxFixture()
        for number in 0..<30 {
            try await fixture.outbox.enqueue(kind: "note", payload: [UInt8(number)])
        }
        let running = Mutex((now: 0, most: 0))
        try await fixture.drainUntilIdle { _ in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            for _ in 0..<20 { await Task.yield() }
            running.withLock { $0.now -= 1 }
            return .done
        }
        #expect(running.withLock { $0.most } == 3)
    }

    @Test("a drain and its handlers run on the executor that the outbox is given")
    func executor() async throws {
        let executor = QueueExecutor()
        let outbox = Outbox(
            storage: MemoryStorage(),
            keys: MemoryKeyStore(),
            drainExecutor: executor
        )
        for number: UInt8 in 0..<9 { try await outbox.enqueue(kind: "note", payload: [number]) }
        let elsewhere = Mutex(0)
        let handler: OperationHandler = { _ in
            if !executor.isCurrent { elsewhere.withLock { $0 += 1 } }
            // Also after the handler waited for another thread.
            try? await Task.sleep(for: .milliseconds(1))
            if !executor.isCurrent { elsewhere.withLock { $0 += 1 } }
            return .done
        }
        try await outbox.drain(["note": handler], until: .idle)
        #expect(elsewhere.withLock { $0 } == 0)
        #expect(try outbox.counts() == OutboxCounts())
    }

    @Test("a handler goes on after a look that took long, also when the next look is wanted")
    func turnOfHandlers() async throws {
        let clock = ManualClock()
        let storage = SlowStorage(clock: clock)
        let outbox = Outbox(
            storage: storage,
            keys: MemoryKeyStore(),
            drainExecutor: QueueExecutor(),
            clock: clock.clock
        )
        storage.looked = { [unowned outbox] in outbox.wake() }
        try await outbox.enqueue(kind: "note", payload: [1])
        let meanwhile = Mutex<[Int]>([])
        let handler: OperationHandler = { _ in
            for _ in 0..<5 {
                let told = await storage.nextLook()
                meanwhile.withLock { $0.append(storage.looks - told) }
            }
            return .done
        }
        let drain = Task { try await outbox.drain(["note": handler]) }
        try await waitUntil { try outbox.counts() == OutboxCounts() }
        drain.cancel()
        try await drain.value
        #expect(meanwhile.withLock { $0 } == [0, 0, 0, 0, 0])
    }

    @Test("what is enqueued while draining is handled without a further trigger")
    func enqueueWhileDraining() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [0])
        let handler = fixture.handler()
        try await fixture.drainUntilIdle { operation in
            if operation.payload[0] < 20 {
                _ = try? await fixture.outbox.enqueue(
                    kind: "note",
                    payload: [operation.payload[0] + 1]
                )
            }
            return await handler(operation)
        }
        #expect(fixture.attempts.count == 21)
    }

    @Test("a poison operation does not hold up the others")
    func poison() async throws {
        let fixture = OutboxFixture(policy: .mail)
        for number in 0..<10 {
            try await fixture.outbox.enqueue(kind: "note", payload: [UInt8(number)])
        }
        let delivered = Mutex<[UInt8]>([])
        try await fixture.drainUntilIdle { operation in
            if operation.payload == [0] { return .retry("poison") }
            delivered.withLock { $0.append(operation.payload[0]) }
            return .done
        }
        #expect(delivered.withLock { $0.sorted() } == Array(1...9))
        let parked = try fixture.outbox.entries(in: .parked)
        #expect(parked.map(\.envelope?.lastError) == [.expired])
    }

    @Test("a wait that a server asked for is honoured and is no attempt")
    func serverWait() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let start = fixture.clock.now
        let outcomes = [DeliveryMachine.Outcome](
            repeating: .retryAfter(.seconds(30), "relay.http.429"),
            count: 4
        )
        try await fixture.drainUntilIdle(fixture.handler(outcomes))
        #expect(fixture.attempts.map(\.attemptCount) == [0, 0, 0, 0, 0])
        // Four waits of 30 s.
        #expect(fixture.clock.now.since(start) >= .seconds(120))
    }

    @Test("200 operations pass a server's limit of 30 a minute without being refused once")
    func allowed() async throws {
        let fixture = OutboxFixture()
        for number in 0..<200 {
            try await fixture.outbox.enqueue(kind: "note", payload: [UInt8(number)])
        }
        let start = fixture.clock.now
        let accepted = Mutex<[WallTime]>([])
        let refusals = Mutex(0)
        let handler = fixture.handler()
        try await fixture.drainUntilIdle { operation in
            let now = fixture.clock.now
            let allowance = accepted.withLock { times -> AttemptAllowance? in
                times.removeAll { now.since($0) >= .seconds(60) }
                guard times.count < 30 else { return nil }
                times.append(now)
                let wait = times[0].advanced(by: .seconds(60)).since(now)
                return AttemptAllowance(attempts: 30 - times.count, wait: wait)
            }
            guard let allowance else {
                refusals.withLock { $0 += 1 }
                return .retryAfter(.seconds(60), "relay.http.429")
            }
            fixture.outbox.allow(allowance, after: operation.id)
            return await handler(operation)
        }
        #expect(refusals.withLock { $0 } == 0)
        #expect(fixture.attempts.count == 200)
        #expect(fixture.attempts.allSatisfy { $0.attemptCount == 0 })
        #expect(try fixture.outbox.counts() == OutboxCounts())
        // The seventh window has the last 20.
        let elapsed = fixture.clock.now.since(start)
        #expect(elapsed >= .seconds(6 * 60) && elapsed < .seconds(9 * 60))
        // While nothing was allowed, no operation was stored anew.
        let isWaiting = fixture.events.contains {
            if case .waiting = $0.change { true } else { false }
        }
        #expect(!isWaiting)
    }

    @Test("failures back off 1, 2, 4 seconds")
    func backoff() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let start = fixture.clock.now
        try await fixture.drainUntilIdle(
            fixture.handler([.retry("e"), .retryOnNetwork("e"), .retry("e")])
        )
        let elapsed = fixture.clock.now.since(start)
        #expect(fixture.attempts.map(\.attemptCount) == [0, 1, 2, 3])
        // Waits of 1, 2 and 4 s without jitter; the fixture's clock goes on while the drain works.
        #expect(elapsed >= .seconds(7) && elapsed < .seconds(9))
    }

    @Test("a kind without a handler is parked, visibly, and taken up by a drain that has one")
    func missingHandler() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        try await fixture.drainUntilIdle(fixture.handler(), kind: "other")
        #expect(fixture.attempts.isEmpty)
        #expect(try fixture.outbox.entries(in: .parked).first?.envelope?.lastError == .noHandler)
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attempts.count == 1)
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("a refused operation is kept until a person retries or deletes it")
    func parked() async throws {
        let fixture = OutboxFixture()
        let id = try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let handler = fixture.handler([.park("refused")])
        try await fixture.drainUntilIdle(handler)
        #expect(try fixture.outbox.counts() == OutboxCounts(parked: 1))
        try fixture.outbox.retry(id)
        try await fixture.drainUntilIdle(handler)
        #expect(fixture.attempts.count == 2)
        #expect(throws: OutboxError.notFound(id)) { try fixture.outbox.delete(id) }
    }

    @Test("a removal that fails is tried again; the operation is not")
    func removalFails() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let handler = fixture.handler()
        try await fixture.drainUntilIdle { operation in
            fixture.storage.failNext(3, .writing, with: .diskFull)
            return await handler(operation)
        }
        #expect(fixture.attempts.count == 1)
        #expect(fixture.events.count { $0.change == .outcomeNotStored } == 3)
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    @Test("a queue that cannot be read is read again later")
    func loadFails() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        fixture.storage.failNext(4, .reading, with: .busy)
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attempts.count == 1)
    }

    @Test("while one drains nobody else does, and afterwards anybody may")
    func oneDrainer() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        try await fixture.drainUntilIdle { _ in
            await #expect(throws: OutboxError.drainedElsewhere) {
                try await fixture.outbox.drain([:], until: .idle)
            }
            return .done
        }
        #expect(try fixture.outbox.counts() == OutboxCounts())
        try await fixture.outbox.enqueue(kind: "note", payload: [2])
        try await fixture.drainUntilIdle(fixture.handler())
        #expect(fixture.attempts.count == 1)
    }

    @Test("a cancelled drain leaves what it was attempting as it was")
    func cancelled() async throws {
        let fixture = OutboxFixture()
        let id = try await cancelDrain(fixture, whileAnswering: .retry("cancelled"))
        let envelope = try #require(try fixture.outbox.entry(for: id)?.envelope)
        #expect(envelope.attemptCount == 0 && envelope.nextEligibleAt == .distantPast)
    }

    @Test("what the other side takes while a drain is being cancelled is not attempted again")
    func deliveredWhileCancelled() async throws {
        let fixture = OutboxFixture()
        _ = try await cancelDrain(fixture, whileAnswering: .done)
        #expect(try fixture.outbox.counts() == OutboxCounts())
    }

    /// Cancels a drain whose one handler answers only once it has been cancelled.
    private func cancelDrain(
        _ fixture: OutboxFixture,
        whileAnswering outcome: DeliveryMachine.Outcome
    ) async throws -> OperationID {
        let id = try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let (started, start) = AsyncStream<Void>.makeStream()
        let drain = Task {
            try await fixture.outbox.drain([
                "note": { _ in
                    start.yield()
                    await fixture.clock.clock.sleep(.seconds(1_000_000))
                    return outcome
                }
            ])
        }
        for await _ in started { break }
        drain.cancel()
        try await drain.value
        return id
    }

    @Test("however often it is woken, a drain keeps one timer")
    func oneTimer() async throws {
        let fixture = OutboxFixture()
        try await fixture.outbox.enqueue(kind: "note", payload: [1])
        let handler = fixture.handler([.retry("e")])
        let drain = Task { try await fixture.outbox.drain(["note": handler]) }
        for number in 2...300 {
            try await fixture.outbox.enqueue(kind: "note", payload: [2])
            try await waitUntil { fixture.attempts.count >= number }
        }
        try await waitUntil { try fixture.outbox.counts().queued <= 1 }
        #expect(fixture.clock.sleeperCount <= 1)
        drain.cancel()
        try await drain.value
        #expect(fixture.clock.sleeperCount == 0)
    }
}

/// Runs tasks on a queue of its own.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "drain")
    private let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: key, value: true) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A storage whose looks take long, as those over many entries do.
private final class SlowStorage: WrappingStorage {
    let base = MemoryStorage()
    private let clock: ManualClock
    private let state = Mutex(State())

    private struct State: Sendable {
        var looks = 0
        var looked: @Sendable () -> Void = {}
        var waiting: CheckedContinuation<Int, Never>?
    }

    init(clock: ManualClock) { self.clock = clock }

    /// The number of looks so far.
    var looks: Int { state.withLock { $0.looks } }

    /// Called at the end of each look.
    var looked: @Sendable () -> Void {
        get { state.withLock { $0.looked } }
        set { state.withLock { $0.looked = newValue } }
    }

    /// Waits for a look, which lets the caller go on.
    ///
    /// - Returns: The number of looks when the caller was let go on.
    func nextLook() async -> Int {
        await withCheckedContinuation { waiting in state.withLock { $0.waiting = waiting } }
    }

    func eligible(at now: WallTime, limit: Int) throws -> EligibleRecords {
        let eligible = try base.eligible(at: now, limit: limit)
        clock.advance(by: .seconds(1))
        let (looks, looked, waiting) = state.withLock { state in
            state.looks += 1
            defer { state.waiting = nil }
            return (state.looks, state.looked, state.waiting)
        }
        waiting?.resume(returning: looks)
        looked()
        return eligible
    }
}
