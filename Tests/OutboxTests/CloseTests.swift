import Outbox
import OutboxCore
import OutboxTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60))) struct CloseTests {
    private let fixture = OutboxFixture()

    private func enqueue(_ count: Int) throws -> [OperationID] {
        try (0..<count).map {
            try fixture.outbox.enqueue(kind: "note", payload: [UInt8($0)])
        }
    }

    /// What is stored, although the storage is closed.
    private func left(_ storage: FaultyStorage<MemoryStorage>) throws -> OutboxCounts {
        try storage.base.copy().counts()
    }

    @Test("closing stops the drain, awaits its handlers, and records what they delivered")
    func drain() throws {
        let world = try SimulatedDrain(seed: 1, operations: 3)
        let (scheduler, outbox) = (world.scheduler, world.outbox)
        let (ended, isClosed) = (Count(), Flag())
        scheduler.after(.seconds(1)) {
            Task {
                await outbox.close()
                isClosed.set()
            }
        }
        // The end of simulated time: a drain that is not stopped goes on for ever.
        world.run(until: .seconds(3600), .cancelled) { number in
            while !Task.isCancelled { await scheduler.sleep(.seconds(60)) }
            ended.add()
            return number == 0 ? .done : .retry("cut short")
        }
        #expect(isClosed.isSet && world.isDrained)
        #expect(ended.value == 3)
        #expect(try world.storage.base.copy().counts() == OutboxCounts(queued: 2))
    }

    @Test("each caller of close returns when all is closed")
    func several() async throws {
        _ = try enqueue(1)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isReleased = Flag()
        let outbox = fixture.outbox
        let drain = Task {
            try await outbox.drain([
                "note": { _ in
                    begin.yield()
                    while !isReleased.isSet { await Task.yield() }
                    return .done
                }
            ])
        }
        for await _ in begun { break }
        await withTaskGroup { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    await outbox.close()
                    #expect(isReleased.isSet)
                    #expect(throws: StorageError.closed) { try outbox.counts() }
                }
            }
            for _ in 0..<100 { await Task.yield() }
            isReleased.set()
        }
        try await drain.value
        await outbox.close()
    }

    @Test("an enqueue beside the closing is stored, or throws that it is not")
    func enqueues() async throws {
        for _ in 0..<50 {
            let fixture = OutboxFixture()
            let stored = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<20 {
                    tasks.addTask {
                        do {
                            try await fixture.outbox.enqueue(kind: "note", payload: [1])
                            return 1
                        } catch StorageError.closed {
                            return 0
                        }
                    }
                    if number == 10 {
                        tasks.addTask {
                            await fixture.outbox.close()
                            return 0
                        }
                    }
                }
                return try await tasks.reduce(0, +)
            }
            #expect(try left(fixture.storage) == OutboxCounts(queued: stored))
        }
    }

    @Test("after closing every use says so")
    func afterwards() async throws {
        let ids = try enqueue(1)
        let outbox = fixture.outbox
        await outbox.close()
        await #expect(throws: StorageError.closed) { try await outbox.drain([:], until: .idle) }
        await #expect(throws: StorageError.closed) {
            try await outbox.enqueue(kind: "note", payload: [1])
        }
        #expect(throws: StorageError.closed) { try outbox.entry(for: ids[0]) }
        #expect(throws: StorageError.closed) { try outbox.retryAll() }
        #expect(throws: StorageError.closed) { try outbox.state() }
        outbox.wake()
        outbox.networkReturned()
        #expect(try left(fixture.storage) == OutboxCounts(queued: 1))
    }

    @Test("states end with the outbox, also a sequence that begins later")
    func states() {
        let scheduler = SimulatedScheduler(seed: 1)
        let outbox = Outbox(
            storage: MemoryStorage(),
            keys: MemoryKeyStore(),
            clock: SimulatedClock(scheduler: scheduler, seed: 1).clock
        )
        let (states, ends) = (Count(), Count())
        scheduler.after(Milliseconds(0)) {
            Task {
                var iterator = outbox.states().makeAsyncIterator()
                if await iterator.next() != nil { states.add() }
                let following = Task { for await _ in outbox.states() {} }
                await outbox.close()
                if await iterator.next() == nil { ends.add() }
                await following.value
                ends.add()
                var late = outbox.states().makeAsyncIterator()
                if await late.next() == nil { ends.add() }
            }
        }
        // The end of simulated time: a sequence that does not end is waited for until then.
        scheduler.run(until: .seconds(3600))
        #expect(states.value == 1 && ends.value == 3)
    }

    @Test(
        "a drain ends when another outbox closes its storage, before or during an attempt",
        arguments: [false, true]
    )
    func sharedStorage(isAttempting: Bool) throws {
        let world = try SimulatedDrain(seed: 1, operations: isAttempting ? 1 : 0)
        let (scheduler, outbox) = (world.scheduler, world.outbox)
        let other = Outbox(storage: world.storage, keys: MemoryKeyStore())
        scheduler.after(.seconds(1)) {
            Task {
                await other.close()
                outbox.wake()
            }
        }
        // The end of simulated time: a drain that goes on asks until then.
        world.run(until: .seconds(3600), .cancelled) { _ in
            await scheduler.sleep(.seconds(2))
            return .done
        }
        #expect(world.failure as? StorageError == .closed)
        let left = try world.storage.base.copy().counts()
        #expect(left.queued == (isAttempting ? 1 : 0))
    }

    @Test("a drain that was refused does not keep the outbox from closing")
    func refused() async throws {
        let outbox = fixture.outbox
        let claim = try fixture.storage.claimDrain()
        await #expect(throws: OutboxError.drainedElsewhere) {
            try await outbox.drain([:], until: .idle)
        }
        await outbox.close()
        withExtendedLifetime(claim) {}
    }
}

private final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() { state.withLock { $0 = true } }
}

private final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
